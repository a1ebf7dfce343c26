package views

import (
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// RoomInfo says which room a view belongs to, and where it lies.
type RoomInfo struct {
	// Name is the room's name as it stands in its address.
	Name string `json:"name"`
	// Origin is the server's, for instance "http://localhost:8080".
	Origin string `json:"-"`
	// Static is where style sheets and scripts lie: "/static/<hash>".
	Static string `json:"-"`
	// Viewers is how many people have the room open.
	Viewers int `json:"-"`
	// Began is when lab time 0 was; zero for a room that is in no real time.
	Began time.Time `json:"-"`
}

// Path is the address of the room's page or, with more elements, below it.
func (r RoomInfo) Path(below ...string) string {
	return "/r/" + strings.Join(append([]string{url.PathEscape(r.Name)}, below...), "/")
}

// Address is the room's full address, to share.
func (r RoomInfo) Address() string { return r.Origin + r.Path() }

// Curl is the command line that sends one request to the room's real endpoint,
// decided by the named policy.
func (r RoomInfo) Curl(policy string) string {
	return "curl -i " + shellQuote(r.Address()+"/hit?policy="+url.QueryEscape(policy))
}

// here is "3 here"; nothing while nobody is connected, as for a page without
// script.
func (r RoomInfo) here() string {
	if r.Viewers == 0 {
		return ""
	}
	return Count(int64(r.Viewers)) + " here"
}

// Preset is a scenario that the page can play.
type Preset struct {
	Name string
	// Group is the heading under which it stands; those of a group follow each
	// other.
	Group string
	// Title is a line, Words say what there is to see.
	Title, Words string
}

// Page is all that the lab's page shows.
type Page struct {
	Room    RoomInfo
	Seq     uint64 // number of the last frame that the page holds
	Whole   Whole
	Presets []Preset
	Budget  Budget
	Problem *Problem // what was wrong with a form that was posted; nil if nothing
	// Looking says where in the past the page looks: Whole is the session as it
	// was then, and Now as it is. Nil, and Now empty, for a page of now.
	Looking *Looking
	Now     Whole
	// Earlier is just before the newest request, in whole microseconds.
	Earlier int64
	// Comparison is the room beside the one that it was made from; nil when it
	// began by itself.
	Comparison *Comparison
}

// present is the session as it is now, wherever the page looks: what the clock
// does and what is still to come.
func (p Page) present() Whole {
	if p.Looking != nil {
		return p.Now
	}
	return p.Whole
}

// data is what the page's script starts from.
type data struct {
	Room RoomInfo `json:"room"`
	Seq  uint64   `json:"seq"`
	// Looking is where in the past the page looks, in whole microseconds of lab
	// time; -1 for now. The rest is the present all the same.
	Looking int64 `json:"looking"`
	Whole
}

// Problem is a refused form: what was wrong, and what was in the form, so that
// nobody has to write it twice.
type Problem struct {
	// Policy is the policy whose form it was; empty for another form, or for
	// the form that adds one.
	Policy string
	// Field is the field that was wrong, or empty when no single field was.
	Field   string
	Message string
	Form    url.Values
}

// ProblemOf says what was wrong with a posted form.
func ProblemOf(form url.Values, err error) *Problem {
	p := &Problem{Message: err.Error(), Form: form}
	if pe := (*lab.PolicyError)(nil); errors.As(err, &pe) {
		p.Policy, p.Field, p.Message = form.Get("policy"), string(pe.Field), pe.Reason
		if !form.Has("do") {
			p.Policy = pe.Policy
		}
		return p
	}
	if fe := (*FormError)(nil); errors.As(err, &fe) {
		p.Field = fe.Field
		return p
	}
	if form.Has("notation") {
		p.Field = "notation"
	}
	return p
}

// of says whether the problem lies in the form of that policy; "" is the form
// that adds one.
func (p *Problem) of(policy string) bool {
	return p != nil && p.Form.Has("do") && p.Policy == policy && (policy != "" || p.Form.Get("do") == doAdd)
}

// at is the message for a field of a policy's form, or "".
func (p *Problem) at(policy string, f lab.Field) string {
	if p.of(policy) && p.Field == string(f) {
		return p.Message
	}
	return ""
}

// general is the message that belongs to no field on the page, or "".
func (p *Problem) general() string {
	if p == nil || p.Field != "" {
		return ""
	}
	return p.Message
}

// wrote is the message for a field of the composer, or "".
func (p *Problem) wrote(field string) string {
	if p == nil || p.Field != field {
		return ""
	}
	return p.Message
}

// composer is the message for the composer's fields, or "".
func (p *Problem) composer() string {
	if p == nil {
		return ""
	}
	if _, has := entries[p.Field]; !has || p.Form.Has("do") || p.Form.Has("kind") {
		return ""
	}
	return p.Message
}

// value is what stands in a field of the composer: what a refused form held,
// or else the usual.
func (p *Problem) value(field, usual string) string {
	if p == nil || !p.Form.Has(field) {
		return usual
	}
	return p.Form.Get(field)
}

// notation is what stands in the notation's box after a refused form.
func (p *Problem) notation() (text, message string) {
	if p == nil || p.Field != "notation" {
		return "", ""
	}
	return p.Form.Get("notation"), p.Message
}

// Failure is a page that says what went wrong, in place of the lab.
type Failure struct {
	Static string
	Status int
	Title  string
	Detail string
}
