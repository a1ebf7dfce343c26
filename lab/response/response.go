// Package response turns a decision into what an HTTP client gets: the status,
// the header fields and the body.
//
// The fields are those of draft-ietf-httpapi-ratelimit-headers (revisions 8 to
// 12) or, in another [Dialect], the older X-RateLimit ones, and Retry-After (RFC
// 9110, section 10.2.3); a refusal's body is a problem (RFC 9457). They are hints
// for the client and take no part in any decision.
package response

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// Names of the header fields, as their documents spell them.
const (
	RetryAfter      = "Retry-After"
	RateLimitPolicy = "RateLimit-Policy"
	RateLimit       = "RateLimit"
	CacheControl    = "Cache-Control"
	ContentType     = "Content-Type"
	contentLength   = "Content-Length"
)

// order is the order in which a response's fields are written; others follow
// by name.
var order = []string{RetryAfter, RateLimitPolicy, RateLimit, XLimit, XRemaining, XReset, CacheControl, ContentType}

// Response is what a client gets. Its header has canonical keys, so that
// Header.Get finds them; [Response.Fields], [Response.Wire] and
// [Response.Send] spell the names as their documents do ("RateLimit", where
// [http.CanonicalHeaderKey] says "Ratelimit").
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Options are what a server may choose about its responses.
type Options struct {
	// PartitionKey sends the request's key along, as the pk parameter of the
	// IETF fields. A key that the client should not see must not be sent.
	PartitionKey bool
	// Dialect says in which fields the quota is told.
	Dialect Dialect
	// Origin is when lab time 0 was; only [Epoch] needs it. The zero time means
	// the Unix epoch, for traffic whose clock counts from there.
	Origin time.Time
}

// Of is what the client of request r gets from policy p, which decided d about
// it. A delayed request gets its 200 once it has waited d.Wait. The policy has
// passed [lab.Policy.Check]; Of panics when its name cannot stand in a header
// field that carries it.
//
// Waits are told from r's own time. For a request that was clamped they are
// longer by how far its clock was behind, or a client that waits as it is told
// would come too early.
//
// Retry-After is never earlier than RateLimit's t, because a refused request
// that passes later finds more quota then than there was: its wait is no
// shorter than the wait for more, and both are rounded up to whole seconds. The
// same holds of X-RateLimit-Reset as seconds. As an instant it is rounded up on
// another grid, that of the clock's seconds, so it may lie up to a second after
// the end of Retry-After; neither is ever before more is there.
func Of(p lab.Policy, r lab.Request, d lab.Decision, opts Options) Response {
	resp := Response{Status: http.StatusOK, Header: make(http.Header, len(order))}
	for _, f := range quotaFields(p, r, d, opts) {
		resp.set(f.Name, f.Value)
	}
	if d.Verdict.Passed() {
		return resp
	}
	// A refusal, which no cache may store (RFC 6585, section 4).
	resp.Status = http.StatusTooManyRequests
	resp.set(CacheControl, "no-store")
	resp.set(ContentType, problemType)
	if d.Verdict == lab.Refuse {
		resp.set(RetryAfter, strconv.FormatInt(seconds(sinceRequest(r, d, d.RetryAfter)), 10))
	}
	resp.Body = problem{quotaExceeded, quotaExceededTitle, resp.Status, detail(p, r, d), []string{p.Name}}.encode()
	return resp
}

func (r *Response) set(name, value string) { r.Header[http.CanonicalHeaderKey(name)] = []string{value} }

// Field is one header field, its name as its document spells it.
type Field struct{ Name, Value string }

func (f Field) String() string { return f.Name + ": " + f.Value }

// Fields lists the header fields in a stable order, one for each value.
func (r Response) Fields() []Field {
	var fields []Field
	rest := make([]string, 0, len(r.Header))
	for key := range r.Header {
		if !slices.ContainsFunc(order, func(name string) bool { return http.CanonicalHeaderKey(name) == key }) {
			rest = append(rest, key)
		}
	}
	slices.Sort(rest)
	for _, name := range slices.Concat(order, rest) {
		for _, value := range r.Header.Values(name) {
			fields = append(fields, Field{name, value})
		}
	}
	return fields
}

// StatusLine is the response's first line: "HTTP/1.1 429 Too Many Requests".
func (r Response) StatusLine() string {
	return fmt.Sprintf("HTTP/1.1 %03d %s", r.Status, http.StatusText(r.Status))
}

// Wire is the whole response as HTTP/1.1 text, with the line ends of HTTP.
func (r Response) Wire() string {
	var b strings.Builder
	line := func(s string) { b.WriteString(s); b.WriteString("\r\n") }
	line(r.StatusLine())
	for _, f := range r.Fields() {
		line(f.String())
	}
	line(Field{contentLength, strconv.Itoa(len(r.Body))}.String())
	line("")
	b.Write(r.Body)
	return b.String()
}

// Send writes the response to w and returns w's error. It does not wait for a
// delayed request's turn: the caller does.
func (r Response) Send(w http.ResponseWriter) error {
	header := w.Header()
	for _, f := range r.Fields() {
		header[f.Name] = append(header[f.Name], f.Value)
	}
	w.WriteHeader(r.Status)
	_, err := io.Copy(w, bytes.NewReader(r.Body))
	return err
}
