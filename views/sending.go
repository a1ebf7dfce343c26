package views

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/response"
	"github.com/burstlab/burstlab/lab/traffic"
)

// Sending is how a request is sent again to the room's real endpoint: as a line
// for a shell and as what goes over the wire. The dialect stands at the end of
// the target, so both go on from what is here with [asking].
type Sending struct {
	// Curl is the line up to where the dialect goes; its quote is still open.
	Curl string
	// Target is the request's target up to there, "/r/room/hit?policy=token".
	Target string
	// Header is what curl sends besides.
	Header []HeaderLine
	// Why says what the target's parts mean.
	Why string
	// Missing says why it cannot be sent again; the rest is then empty.
	Missing string
	// Gone says that the room no longer has the policy; else empty.
	Gone string
}

// Line is the whole line for a shell, which asks for a dialect.
func (s Sending) Line(d response.Dialect) string { return s.Curl + asking(d) + "'" }

// asking is the part of a query that asks for a dialect; nothing for the default.
func asking(d response.Dialect) string {
	if d == response.IETF {
		return ""
	}
	return "&dialect=" + d.String()
}

// sendingOf says how r is sent again so that policy p answers.
func sendingOf(room RoomInfo, p lab.Policy, r lab.Request) Sending {
	if !utf8.ValidString(r.Key) {
		return Sending{Missing: "The endpoint takes keys that are text, and this one is not: its bytes are no UTF-8."}
	}
	query := "?policy=" + url.QueryEscape(p.Name)
	why := "All policies decide the request, and this one answers it (policy)."
	// What is left out is what a request has anyway.
	if r.Key != traffic.DefaultKey {
		query += "&key=" + url.QueryEscape(r.Key)
		why += " It uses the allowance of its key (key), in which all but letters, digits and -_.~ is written as %XX and a space as +."
	}
	if r.Cost != traffic.DefaultCost {
		query += "&cost=" + strconv.FormatInt(r.Cost, 10)
		why += " It costs " + Count(r.Cost) + " (cost)."
	}
	if r.Service > 0 {
		query += "&service=" + url.QueryEscape(lab.FormatSpan(r.Service))
		why += " Once it has passed it is in progress for " + precise(r.Service) + " (service)."
	}
	_, host, _ := strings.Cut(room.Origin, "://")
	target := room.Path("hit") + query
	return Sending{
		Curl:   "curl -i " + strings.TrimSuffix(shellQuote(room.Origin+target), "'"),
		Target: target,
		Why:    why,
		Header: []HeaderLine{
			{Field: response.Field{Name: "Host", Value: host}, Why: "The server that is meant: one address can have several."},
			{Field: response.Field{Name: "User-Agent", Value: "curl/…"}, Why: "curl puts its own version here. It decides nothing."},
			{Field: response.Field{Name: "Accept", Value: "*/*"}, Why: "Any kind of answer will do: a refusal comes as a problem (RFC 9457), not as a page."},
		},
	}
}

// shellQuote writes text as one word for a POSIX shell. Between single quotes
// everything but the single quote means itself.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
