package web

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/web/live"
)

// Fields of the answer with requests or decisions: the number of the first
// request that it holds, and of the next one to come. Older requests are no
// longer kept.
const (
	headerFirst = "Burstlab-First-Request"
	headerNext  = "Burstlab-Next-Request"
)

// exportChunk is about how many bytes are written in a room's goroutine at a
// time, so that the room is not held up by who reads everything.
const exportChunk = 256 << 10

// Media types of exports.
const (
	mediaCSV   = "text/csv; charset=utf-8"
	mediaJSON  = "application/json"
	mediaJSONL = "application/jsonl"
)

// export is a way to write down what a room keeps. Rows may be none.
type export struct {
	media string
	// file is the name under which a browser keeps it, after the room's.
	file                string
	head, between, tail string
	// write writes what there is to say of a request.
	write func(w *writer, number uint64, r session.Record)
}

// writer writes an export into memory, which cannot fail.
type writer struct {
	bytes.Buffer
	csv     *csv.Writer
	before  string // the next item
	between string
}

func newWriter(e export) *writer {
	w := &writer{between: e.between}
	w.csv = csv.NewWriter(&w.Buffer)
	w.WriteString(e.head)
	return w
}

// row writes a row of CSV (RFC 4180).
func (w *writer) row(fields ...string) {
	_ = w.csv.Write(fields)
	w.csv.Flush()
}

// item begins an item of a list, which is then appended to what it returns.
func (w *writer) item() []byte {
	w.WriteString(w.before)
	w.before = w.between
	return w.AvailableBuffer()
}

// decisions: GET /r/{room}/decisions is what was decided so far, a line for
// every request and policy, as `burstlab replay --format jsonl` prints it.
// ?from=N leaves out the requests before number N, here as in the others.
func (s *Server) decisions(c echo.Context, room *live.Room) error {
	return send(c, room, export{
		media: mediaJSONL, file: "decisions.jsonl",
		write: func(w *writer, number uint64, r session.Record) {
			for i := range r.Decisions {
				w.Write(lab.AppendLine(w.item(), number, r.Policies[i].Name, &r.Decisions[i]))
			}
		},
	})
}

// decisionsJSON: GET /r/{room}/decisions.json is the same lines as one array.
func (s *Server) decisionsJSON(c echo.Context, room *live.Room) error {
	return send(c, room, export{
		media: mediaJSON, file: "decisions.json", head: "[\n", between: ",\n", tail: "\n]\n",
		write: func(w *writer, number uint64, r session.Record) {
			for i := range r.Decisions {
				w.Write(lab.AppendLine(w.item(), number, r.Policies[i].Name, &r.Decisions[i]))
				w.Truncate(w.Len() - 1) // the line's end
			}
		},
	})
}

// decisionsCSV: GET /r/{room}/decisions.csv is a row for every request and
// policy, made for spreadsheets: see [harmless].
func (s *Server) decisionsCSV(c echo.Context, room *live.Room) error {
	return send(c, room, export{
		media: mediaCSV, file: "decisions.csv",
		head: "i,at_ms,key,cost,service_ms,policy,decision,wait_ms,remaining,retry_after_ms,reset_ms\n",
		write: func(w *writer, number uint64, r session.Record) {
			q := r.Request
			for i, d := range r.Decisions {
				retry := ""
				if d.Verdict != lab.Never {
					retry = strconv.FormatInt(lab.CeilMillis(d.RetryAfter), 10)
				}
				w.row(strconv.FormatUint(number, 10), q.At.Millis(), harmless(q.Key), strconv.FormatInt(q.Cost, 10), lab.FormatMillis(q.Service),
					harmless(r.Policies[i].Name), d.Verdict.String(), strconv.FormatInt(lab.CeilMillis(d.Wait), 10), strconv.FormatInt(d.Remaining, 10),
					retry, strconv.FormatInt(lab.CeilMillis(d.Reset), 10))
			}
		},
	})
}

// trace: GET /r/{room}/trace is the requests so far as a trace that `burstlab
// replay` reads. Keys stand in it as they are.
func (s *Server) trace(c echo.Context, room *live.Room) error {
	return send(c, room, export{
		media: mediaCSV, file: "requests.csv", head: "at_ms,key,cost,service_ms\n",
		write: func(w *writer, _ uint64, r session.Record) {
			q := r.Request
			w.row(q.At.Millis(), q.Key, strconv.FormatInt(q.Cost, 10), lab.FormatMillis(q.Service))
		},
	})
}

// traceJSON: GET /r/{room}/trace.json is the requests as an array of objects
// with the columns of a trace and the requests' numbers.
func (s *Server) traceJSON(c echo.Context, room *live.Room) error {
	return send(c, room, export{
		media: mediaJSON, file: "requests.json", head: "[\n", between: ",\n", tail: "\n]\n",
		write: func(w *writer, number uint64, r session.Record) {
			q := r.Request
			key, _ := json.Marshal(q.Key) // a string can be written
			b := append(w.item(), `{"i":`...)
			b = strconv.AppendUint(b, number, 10)
			b = append(append(append(b, `,"at_ms":`...), q.At.Millis()...), `,"key":`...)
			b = append(append(b, key...), `,"cost":`...)
			b = strconv.AppendInt(b, q.Cost, 10)
			b = append(append(b, `,"service_ms":`...), lab.FormatMillis(q.Service)...)
			w.Write(append(b, '}'))
		},
	})
}

// send answers with the requests that the room keeps.
func send(c echo.Context, room *live.Room, e export) error {
	var from uint64
	if text := c.QueryParam("from"); text != "" {
		var err error
		if from, err = strconv.ParseUint(text, 10, 64); err != nil {
			return &inputError{"from", "expected a request's number, from 0"}
		}
	}
	var next, end, generation uint64
	err := room.Read(c.Request().Context(), func(_ live.Info, state *session.State) {
		next, end = min(max(from, state.Oldest()), state.Decided()), state.Decided()
		generation = state.Generation()
	})
	if err != nil {
		return err
	}
	header := c.Response().Header()
	header.Set(headerFirst, strconv.FormatUint(next, 10))
	header.Set(headerNext, strconv.FormatUint(end, 10))
	header.Set(echo.HeaderContentType, e.media)
	attach(c, room, e.file)
	c.Response().WriteHeader(http.StatusOK)
	w := newWriter(e)
	for next < end {
		err := room.Read(c.Request().Context(), func(_ live.Info, state *session.State) {
			for ; next < end && w.Len() < exportChunk; next++ {
				record, kept := state.Record(next)
				// A reader who is slow gets what was there up to where the room has
				// given requests up meanwhile, or was emptied.
				if !kept || record.Generation > generation {
					end = next
					return
				}
				e.write(w, next, record)
			}
		})
		if err != nil {
			// The room has ended: the connection breaks off, so that nobody takes a
			// half for the whole.
			panic(http.ErrAbortHandler)
		}
		if _, err := w.WriteTo(c.Response()); err != nil {
			return nil // the client went away
		}
	}
	w.WriteString(e.tail)
	_, _ = w.WriteTo(c.Response())
	return nil
}

// attach says under which name a browser keeps the answer.
func attach(c echo.Context, room *live.Room, file string) {
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="`+room.Name()+"-"+file+`"`)
}

// scoresCSV: GET /r/{room}/scores.csv is the score table. Times are in
// milliseconds, rounded up, Retry-After in seconds as it was sent; busiest is
// the least that it was where busiest_exact says no.
func (s *Server) scoresCSV(c echo.Context, room *live.Room) error {
	w := newWriter(export{head: "policy,algorithm,sent,allowed,delayed,refused,never,busiest,busiest_exact,span_ms,wait_p50_ms,wait_p95_ms,wait_longest_ms,retry_after_shortest_s,retry_after_longest_s,state_bytes\n"})
	err := room.Read(c.Request().Context(), func(_ live.Info, state *session.State) {
		sizes := state.Bytes()
		for i, score := range state.Scores() {
			writeScore(w, state.Policies()[i], score, sizes[i])
		}
	})
	if err != nil {
		return err
	}
	attach(c, room, "scores.csv")
	return c.Blob(http.StatusOK, mediaCSV, w.Bytes())
}

func writeScore(w *writer, p lab.Policy, s *bench.Score, size int64) {
	whole := func(n int64) string { return strconv.FormatInt(n, 10) }
	busiest, _ := s.Busiest()
	exact := "yes"
	if s.AtLeast() {
		exact = "no"
	}
	var shortest, longest string
	if s.Refused > 0 {
		from, to := s.RetryAfter()
		shortest, longest = whole(lab.CeilSeconds(from)), whole(lab.CeilSeconds(to))
	}
	w.row(harmless(p.Name), string(p.Algorithm), whole(s.Sent), whole(s.Allowed), whole(s.Delayed), whole(s.Refused), whole(s.Never),
		whole(busiest), exact, lab.FormatMillis(s.Span()), whole(lab.CeilMillis(s.Wait(50))), whole(lab.CeilMillis(s.Wait(95))),
		whole(lab.CeilMillis(s.LongestWait())), shortest, longest, whole(size))
}

// harmless keeps a spreadsheet from taking a text for a formula: what begins
// with =, +, -, @, a tab or a line's end gets an apostrophe before it. So does
// what begins with an apostrophe, so that taking one away gives the text back.
func harmless(text string) string {
	if text != "" && strings.Contains("=+-@\t\r\n'", text[:1]) {
		return "'" + text
	}
	return text
}
