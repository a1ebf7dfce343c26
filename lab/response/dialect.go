package response

import (
	"fmt"
	"strconv"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// Dialect is a way to tell a client in header fields what it has left. All
// dialects tell the same numbers of a decision: the quota, what remains of it,
// and when more of it is there. Retry-After, which RFC 9110 defines, is the same
// in all of them.
type Dialect uint8

const (
	// IETF is RateLimit-Policy and RateLimit, of
	// draft-ietf-httpapi-ratelimit-headers.
	IETF Dialect = iota
	// Seconds is X-RateLimit-Limit, -Remaining and -Reset, with the reset as
	// whole seconds left, rounded up. Envoy (enable_x_ratelimit_headers), Apache
	// APISIX (limit-count) and Go's throttled send it like this; Kong and the
	// draft up to revision 6 do without the X-.
	Seconds
	// Epoch is the same three fields with the reset as an instant: whole seconds
	// since the Unix epoch (UTC), rounded up. GitHub's REST API (docs.github.com,
	// "Rate limits for the REST API"), X (docs.x.com, "Rate limits": there
	// spelled x-rate-limit-reset) and express-rate-limit send it like this.
	Epoch
)

// Dialects lists all of them, the default first.
var Dialects = []Dialect{IETF, Seconds, Epoch}

var dialectNames = [...]string{IETF: "ietf", Seconds: "seconds", Epoch: "epoch"}

// String is the dialect's word: "ietf", "seconds" or "epoch".
func (d Dialect) String() string {
	if int(d) < len(dialectNames) {
		return dialectNames[d]
	}
	return fmt.Sprintf("dialect(%d)", uint8(d))
}

// ParseDialect reads a dialect's word; the empty text is [IETF].
func ParseDialect(text string) (Dialect, error) {
	for d, name := range dialectNames {
		if text == name {
			return Dialect(d), nil
		}
	}
	if text == "" {
		return IETF, nil
	}
	return IETF, fmt.Errorf("%q is not a dialect; expected ietf, seconds or epoch", lab.Clip(text))
}

// Names of the older fields. No document defines them; this is how GitHub's
// documentation and most others spell them.
const (
	XLimit     = "X-RateLimit-Limit"
	XRemaining = "X-RateLimit-Remaining"
	XReset     = "X-RateLimit-Reset"
)

// quotaFields are the fields that tell the quota and what is left of it.
//
// X-RateLimit-Reset is what t is in RateLimit: when more is there than now, and
// not when all of it is, which some services mean by it. Like t it is left out
// when the whole quota is there, since there is nothing to wait for and a 0 would
// be read as the year 1970 by who expects an instant.
func quotaFields(p lab.Policy, r lab.Request, d lab.Decision, opts Options) []Field {
	if opts.Dialect == IETF {
		return []Field{{RateLimitPolicy, policyField(p, r, opts)}, {RateLimit, limitField(p, r, d, opts)}}
	}
	fields := []Field{
		{XLimit, strconv.FormatInt(p.Most(), 10)},
		{XRemaining, strconv.FormatInt(d.Remaining, 10)},
	}
	if d.Reset > 0 {
		// An instant needs no correction for a clock that was behind: it is the
		// same on every clock.
		reset := epochSeconds(opts.Origin, d.At, lab.Time(d.Reset))
		if opts.Dialect == Seconds {
			reset = seconds(sinceRequest(r, d, d.Reset))
		}
		fields = append(fields, Field{XReset, strconv.FormatInt(reset, 10)})
	}
	return fields
}

// epochSeconds is when some times are over that follow each other from origin on,
// in whole seconds since the Unix epoch, rounded up. In nanoseconds it may need
// more than 64 bits.
func epochSeconds(origin time.Time, times ...lab.Time) int64 {
	const second = int64(time.Second)
	var whole, rest int64
	if !origin.IsZero() {
		whole, rest = origin.Unix(), int64(origin.Nanosecond())
	}
	for _, t := range times {
		whole += int64(t) / second
		rest += int64(t) % second
	}
	whole, rest = whole+rest/second, rest%second
	if rest > 0 {
		whole++
	}
	return whole
}
