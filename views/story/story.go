// Package story lists the states of the pages, with made-up data: for goldens,
// for looking at them one by one, and for whoever wants to know what there is.
package story

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/response"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/scenarios/lesson"
	"github.com/burstlab/burstlab/views"
)

// Story is one state of a page.
type Story struct {
	// Name is its file's name in testdata, without the ending.
	Name string
	// About says what there is to see.
	About     string
	Component templ.Component
}

const static = Static

var room = views.RoomInfo{Name: "mango-42", Origin: "http://localhost:8080", Static: static, Viewers: 3, Began: time.Date(2026, 9, 1, 12, 0, 0, 250_000_000, time.UTC)}

// seven is every algorithm at the same budget of ten a second.
var seven = []lab.Policy{
	{Name: "token", Algorithm: lab.TokenBucket, Limit: 10, Per: time.Second, Burst: 10},
	{Name: "leaky", Algorithm: lab.LeakyBucket, Limit: 10, Per: time.Second, Queue: 10},
	{Name: "gcra", Algorithm: lab.GCRA, Limit: 10, Per: time.Second, Burst: 10},
	{Name: "fixed", Algorithm: lab.FixedWindow, Limit: 10, Per: time.Second},
	{Name: "log", Algorithm: lab.SlidingLog, Limit: 10, Per: time.Second},
	{Name: "counter", Algorithm: lab.SlidingCounter, Limit: 10, Per: time.Second},
	{Name: "in-progress", Algorithm: lab.Concurrency, Limit: 10},
}

// optioned is every option that is not the default, under names that people
// would give.
var optioned = []lab.Policy{
	{Name: "login <per> account & address", Algorithm: lab.TokenBucket, Limit: 7, Per: 3 * time.Second, Burst: 2, Initial: lab.InitialEmpty},
	{Name: "outbox", Algorithm: lab.LeakyBucket, Limit: 2, Per: time.Second, Queue: 4, First: lab.FirstAfterGap},
	{Name: "daily", Algorithm: lab.FixedWindow, Limit: 999_983, Per: 24 * time.Hour, Align: lab.AlignFirstRequest},
}

var presets = []views.Preset{
	{Name: "burst-of-14", Group: "A burst", Title: "A burst of 14", Words: "10 pass and 4 are refused."},
	{Name: "window-edge", Group: "The edge of a window", Title: "The window’s edge", Words: "20 pass within 190 ms."},
}

// given is a command and when it is given.
type given struct {
	at      time.Duration
	command string
}

// play is a session after some commands, at a moment.
func play(policies []lab.Policy, until time.Duration, commands ...given) *session.State {
	return playWithin(session.DefaultLimits, policies, until, commands...)
}

// oneKey is too little for two.
var oneKey = func() session.Limits {
	l := session.DefaultLimits
	l.Keys = 1
	return l
}()

func playWithin(limits session.Limits, policies []lab.Policy, until time.Duration, commands ...given) *session.State {
	s, err := session.New(policies, limits)
	if err != nil {
		panic(err)
	}
	for i, g := range commands {
		c, err := session.Parse(g.command)
		if err != nil {
			panic(err)
		}
		if err := s.Apply(session.Entry{Seq: uint64(i + 1), Stamp: session.Stamp(g.at), Command: c}); err != nil {
			panic(err)
		}
	}
	s.Advance(session.Stamp(until))
	return s
}

// keys is a policy's scores key by key.
func keys(s *session.State, policy string) views.Keys { return views.KeysOf(s.Kept(), policy) }

// many is more keys than the table shows apart, with names of all kinds.
func many() *session.State {
	traffic := `5@0s every 3ms key="=1+1" cost=2; 4@0s key="<b> & more"; 1@0s cost=11 key=dear`
	for i := range 24 {
		traffic += fmt.Sprintf("; %d@%dms every 2ms key=client-%d", 3+i%5, i, i+1)
	}
	return play(seven, time.Second, given{0, "send " + traffic})
}

// budgeted is the page after somebody has used the switch for one budget.
func budgeted(policies []lab.Policy, query url.Values) templ.Component {
	s := play(policies, 0)
	return views.LabPage(views.Page{Room: room, Seq: 7, Whole: views.WholeOf(s), Presets: presets, Budget: views.BudgetOf(policies, query)})
}

func page(s *session.State, problem *views.Problem) templ.Component {
	return views.LabPage(views.Page{Room: room, Seq: 7, Whole: views.WholeOf(s), Presets: presets, Budget: views.BudgetOf(s.Policies(), nil), Problem: problem})
}

// burst is the first lesson: quiet traffic, then 14 at once.
func burst() *session.State {
	return play(seven, 3850*time.Millisecond,
		given{0, "send 2/s 0s..3s service=200ms"}, given{3600 * time.Millisecond, "send 14@0s service=500ms"})
}

// bursts is a history with a burst of 14 at 1 s and another at 3 s, at 4 s.
func bursts() *session.History {
	h, err := session.NewHistory(seven, session.DefaultLimits)
	if err != nil {
		panic(err)
	}
	for _, at := range []time.Duration{time.Second, 3 * time.Second} {
		c, err := session.Parse("send 14@0s service=500ms")
		if err != nil {
			panic(err)
		}
		if _, err := h.Append(session.Stamp(at), c); err != nil {
			panic(err)
		}
	}
	h.Advance(session.Stamp(4 * time.Second))
	return h
}

// past is the page of bursts at 1 s.
func past() templ.Component {
	h := bursts()
	s, err := h.Log().At(views.EndOfMicrosecond(1_000_000, h.Log().Now()))
	if err != nil {
		panic(err)
	}
	now := h.State()
	looking := views.LookingAt(s, now)
	return views.LabPage(views.Page{
		Room: room, Seq: 7, Presets: presets, Looking: &looking, Now: views.WholeOf(now),
		Whole: views.MomentOf(s, now.Policies(), now.Generation()), Earlier: views.BeforeNewest(now),
	})
}

// copied is bursts, in which from 2 s on the token bucket holds 12.
func copied() templ.Component {
	h := bursts()
	larger := slices.Clone(seven)
	larger[0].Burst = 12
	copied, err := h.Log().Alter(lab.Time(2*time.Second), session.Policies{Policies: larger})
	if err != nil {
		panic(err)
	}
	s := copied.State()
	comparison := views.Compare(session.Compare(s.Kept(), h.State().Kept(), copied.Shared()), "OASIS-7K2M-Q4TX", lab.Time(2*time.Second))
	return views.LabPage(views.Page{Room: room, Seq: 7, Presets: presets, Whole: views.WholeOf(s), Comparison: &comparison, Earlier: views.BeforeNewest(s)})
}

// taught is a lesson with answers to its first predictions.
func taught(name string, answers ...string) templ.Component {
	all := lesson.All()
	i := slices.IndexFunc(all, func(l *lesson.Lesson) bool { return l.Name == name })
	l := views.Lesson{Static: static, Lesson: all[i], Answers: make([]views.Answer, len(all[i].Predictions))}
	if i > 0 {
		l.Before = all[i-1]
	}
	if i+1 < len(all) {
		l.After = all[i+1]
	}
	for n, text := range answers {
		a, err := views.AnswerTo(l.Predictions[n], text)
		if err != nil {
			panic(err)
		}
		l.Answers[n] = a
	}
	return views.LessonPage(l)
}

func inspection(s *session.State, number uint64) templ.Component {
	return inspectionAs(s, number, "", response.IETF)
}

// inspectionAs shows what one policy said, in a dialect.
func inspectionAs(s *session.State, number uint64, policy string, dialect response.Dialect) templ.Component {
	return views.Inspector(room, inspected(s, number, policy, dialect))
}

// inspected is a request with a policy's answer open; "" opens the usual one.
func inspected(s *session.State, number uint64, policy string, dialect response.Dialect) views.Inspection {
	in, err := views.InspectionOf(s, number, room)
	if err != nil {
		panic(err)
	}
	if policy != "" && !in.Show(policy) {
		panic("story: no policy " + policy)
	}
	in.Dialect = dialect
	return in
}

// edit is what was wrong with a policy form.
func edit(form url.Values) *views.Problem {
	_, err := views.EditPolicies(seven, form)
	return views.ProblemOf(form, err)
}

// All lists the stories.
func All() []Story {
	mixed := play(seven, 2*time.Second,
		given{0, "send 6@0s key=ann cost=2; 3@100ms every 50ms key=bob; 1@200ms cost=11; 1@250ms key=ann"},
		given{time.Second, "stream 4/s"})
	odd := play(optioned, 5*time.Second, given{0, "send 4@0s key=\"O'Neil & \\u00fc\\n\" cost=2 service=1500ms"})
	changed := play(seven[:2], 2*time.Second, given{0, "send 12@0s"},
		given{time.Second, session.Policies{Policies: seven[1:2]}.String()})
	return append([]Story{
		{"fresh", "A room that has just been made", page(play(seven, 0), nil)},
		{"burst", "A burst of 14 has just come", page(burst(), nil)},
		{"mixed", "Several keys and costs, one that can never pass, and a stream", page(mixed, nil)},
		{"paused", "Paused at a slow pace", page(play(seven, time.Minute, given{0, "pace 0.25"}, given{1, "send 3@0s every 100ms"}, given{time.Second, "pause"}), nil)},
		{"options", "Every option that is not the default; names with signs in them", page(play(optioned, 5*time.Second, given{0, "send 9@0s every 10ms"}), nil)},
		{"alone", "A single policy, which cannot be removed", page(play(seven[:1], 0), nil)},
		{"changed", "The policies were changed after some requests: the new lane has not seen them", page(play(seven[:1], 2*time.Second,
			given{0, "send 2@0s"},
			given{time.Second, session.Policies{Policies: seven[:2]}.String()},
			given{1500 * time.Millisecond, "send 1@0s"}), nil)},
		{"policy-refused", "A wrong number in a policy’s form", page(burst(), edit(url.Values{
			"do": {"set"}, "policy": {"leaky"}, "algorithm": {"leaky-bucket"}, "name": {"leaky"}, "limit": {"ten"}, "per": {"1s"}, "queue": {"10"},
		}))},
		{"add-refused", "A wrong duration in the form that adds a policy", page(burst(), edit(url.Values{
			"do": {"add"}, "algorithm": {"gcra"}, "name": {"mine"}, "limit": {"5"}, "per": {"soon"}, "burst": {"5"},
		}))},
		{"notation-refused", "A mistake in the notation", page(burst(), views.ProblemOf(
			url.Values{"command": {"send {notation}"}, "notation": {"14@"}}, errors.New("expected a time such as 3s after @")))},
		{"command-refused", "A command that cannot be carried out now", page(burst(), views.ProblemOf(
			url.Values{"command": {"step"}}, &session.Refusal{Reason: "no request is waiting; step by a time, such as 100ms"}))},
		{"composer-refused", "A mistake in what is sent: the form still holds what was written", page(burst(), views.ProblemOf(
			url.Values{"command": {"send {count}@0s every {gap}"}, "count": {"many"}, "gap": {"5ms"}, "key": {"ann"}}, &views.FormError{Field: "count", Message: `Requests: "many"; expected a whole number, such as 14`}))},
		{"ahead", "Nothing happens for a while: the page says what it waits for", page(play(seven, time.Second, given{0, "send 3@0s; 120@59s every 1ms"}), nil)},
		{"past", "The page looks back to just after a burst", past()},
		{"copied", "A copy of a room in which a policy was changed in the past, beside the original", copied()},
		{"link", "A link to copy by hand", views.LinkPage(room, "http://localhost:8080/open?lab=2.q1ZKVLJSqgUA")},
		{"span", "A selected span, in which all lanes have decided", views.SelectionPart(room, views.SelectionOf(burst().Kept(), lab.Time(3*time.Second), lab.Time(3700*time.Millisecond)))},
		{"span-page", "A span on a page of its own, in which nothing came", views.SelectionPage(room, views.SelectionOf(play(seven, time.Second).Kept(), 0, lab.Time(500*time.Millisecond)))},
		{"full", "More keys than the room holds", page(playWithin(oneKey, seven[:2], time.Second, given{0, "send 3@0s; 2@1ms key=ann"}), nil)},
		{"inspector", "A request that some refuse and one delays", inspection(burst(), 18)},
		{"inspector-first", "A request that all let through", inspection(burst(), 0)},
		{"inspector-never", "A request that costs more than any policy can pass", inspection(mixed, 9)},
		{"inspector-refused", "A refusal, with seconds left in the older fields", inspectionAs(burst(), 18, "log", response.Seconds)},
		{"inspector-epoch", "The same, with the instant in the older fields", inspectionAs(burst(), 18, "log", response.Epoch)},
		{"inspector-delayed", "A delayed request, with the instant in the older fields", inspectionAs(burst(), 12, "leaky", response.Epoch)},
		{"inspector-key", "A key with signs that shells and addresses use themselves, and waits that are no whole milliseconds", inspectionAs(odd, 3, "", response.IETF)},
		{"inspector-gone", "A policy that the room no longer has", inspectionAs(changed, 11, "token", response.IETF)},
		{"inspector-page", "One request on a page of its own", views.InspectorPage(room, inspected(burst(), 18, "", response.IETF))},
		{"inspector-page-seconds", "The same in another dialect, with another policy’s answer", views.InspectorPage(room, inspected(burst(), 18, "gcra", response.Seconds))},
		{"keys", "A policy's scores key by key, as a part of the page", views.KeysTable(keys(burst(), "leaky"))},
		{"keys-none", "No request yet", views.KeysTable(keys(play(seven, 0), "log"))},
		{"keys-page", "More keys than are shown apart, on a page of its own", views.KeysPage(room, keys(many(), "token"))},
		{"budget-own", "All have the same budget, and one is to be set alone", budgeted(seven[:3], url.Values{"budget": {"own"}})},
		{"budget-undo", "All were given the budget of the first, which can be undone", budgeted(seven[:3], url.Values{"was": {"10 1s token", "5 1m leaky"}})},
		{"lessons", "The path of lessons", views.LessonsPage(static, lesson.All())},
		{"lesson", "A lesson, of which nothing has been predicted yet", taught("leaky-bucket")},
		{"lesson-answered", "Predictions that were right, wrong, and no number", taught("fixed-window", "20000", "12")},
		{"lesson-misjudged", "Requests were marked as passing that do not, and what is no answer", taught("token-bucket", "1,2,3", "", "many")},
		{"failure", "A room that is not there", views.FailurePage(views.Failure{
			Static: static, Status: http.StatusNotFound, Title: "There is no such room", Detail: "A room ends when nobody has been in it for a while.",
		})},
	}, more()...)
}
