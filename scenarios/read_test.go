package scenarios

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab/traffic"
	"github.com/burstlab/burstlab/lab/traffic/lessontrace"
)

const sound = `title: A line
words: Some words.
policies:
  - {name: token, algorithm: token-bucket, limit: 5, per: 1s, burst: 10}
traffic: 14@0s
tables: [requests]
given: {users: 2000}
expect:
  - {kind: served, policy: token, is: 10}
`

func TestReadSound(t *testing.T) {
	s, err := read([]byte(sound))
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.Run()
	if err != nil || result.Failed() != 0 || len(result.Tables) != 1 {
		t.Errorf("run = %+v, %v, want one table and nothing failed", result, err)
	}
}

// TestReadRefuses: a mistake in a scenario is found when it is read, and the
// message says what is wrong.
func TestReadRefuses(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"title: A line", "title: A line\ncolour: red", `unknown field "colour"`},
		{"title: A line", "title: A line\ntitle: Another", `already defined`},
		{"title: A line\n", "", "expected a title and words"},
		{"words: Some words.\n", "", "expected a title and words"},
		{"limit: 5", "limit: 0", "limit"},
		{"limit: 5", "limt: 5", "limt"},
		{"traffic: 14@0s", "traffic: 14@", "traffic:"},
		{"traffic: 14@0s", "traffic: 14@0s\ntrace: bursty seed 7", "not both"},
		{"traffic: 14@0s", "trace: bursty seed seven", "trace:"},
		{"traffic: 14@0s", "trace: bursty load 7", "trace:"},
		{"traffic: 14@0s", "trace: steady load 11", "expected a load from 1 to 10"},
		{"traffic: 14@0s", "trace: gaps seed 7", "expected gaps alone"},
		{"traffic: 14@0s", "trace: ' '", "expected a trace's name"},
		{"traffic: 14@0s", "trace: unheard-of seed 7", "expected one of bursts, bursty, gaps, steady"},
		{"traffic: 14@0s", "keys: 5", "keys:"},
		{"traffic: 14@0s", "traffic: 14@0s\nkeys: -1", "keys:"},
		{"tables: [requests]", "tables: [pictures]", "requests, responses, seconds, summary"},
		{"users: 2000", "users: many", `users: "many" is not a decimal number`},
		{"users: 2000", "limit: 2000", `"limit" is not a free name`},
		{"users: 2000", "users: [1, 2]", "not a list"},
		{"expect:", "extra:", "extra"},
		{"kind: served", "kind: serve", `"serve" is unknown`},
		{"policy: token", "policy: tokens", `there is no policy "tokens"`},
		{"policy: token, ", "", "it needs policy"},
		{"is: 10", "is: ten", `"ten" is not a whole number`},
		{"is: 10", "is: -1", `"-1" is not a whole number`},
		{"is: 10", "is: [10]", "expected one value, not a list"},
		{"is: 10", "is: {a: 1}", "expected a number or a text"},
		{", is: 10", "", "expected a value"},
		{"is: 10", "is: 10, span: 1s", "it has no span"},
		{"is: 10", "is: 10, from: 1s", "expected from with either to or through"},
		{"is: 10", "is: 10, from: 1s, to: 2s, through: 3s", "expected from with either to or through"},
		{"is: 10", "is: 10, from: 1, to: 2s", `"1" has a number without a unit`},
		{"kind: served, policy: token, is: 10", "kind: decisions, policy: token, is: allow", "expected a list"},
		{"kind: served, policy: token, is: 10", "kind: decisions, policy: token, is: [deny]", `"deny" is not a decision`},
		{"kind: served, policy: token, is: 10", "kind: decisions, policy: token, is: [0 × allow]", "2 to"},
		{"kind: served, policy: token, is: 10", `kind: remaining, policy: token, requests: "2, 1", is: [1, 2]`, "in order"},
		{"kind: served, policy: token, is: 10", "kind: tokens, policy: token, is: 1", "either at or requests"},
		{"kind: served, policy: token, is: 10", "kind: tokens, policy: token, at: 1s, is: half", `"half" is not a decimal number`},
		{"kind: served, policy: token, is: 10", "kind: longest-wait, policy: token, is: 5", `"5" has a number without a unit`},
		{"kind: served, policy: token, is: 10", "kind: wait-percentile, policy: token, percent: 101, is: 5s", "expected 1 to 100"},
		{"kind: served, policy: token, is: 10", "kind: formula, formula: 1 +, is: 5", "formula"},
		{"kind: served, policy: token, is: 10", "kind: formula, formula: f(1), is: 5", "expected whole numbers, decimals and names"},
		{"is: 10}\n", "is: 10}\n---\ntitle: Another\n", "one document"},
	} {
		if !strings.Contains(sound, test.old) {
			t.Fatalf("%q does not stand in the sound scenario", test.old)
		}
		_, err := read([]byte(strings.Replace(sound, test.old, test.new, 1)))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q for %q: error %v, want one with %q", test.new, test.old, err, test.want)
		}
	}
}

// TestRunRefuses: what only a run can find out is an error of the run and never
// a result.
func TestRunRefuses(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"kind: served, policy: token, is: 10", `kind: remaining, policy: token, requests: "15", is: 0`, "there is no request 15: 14 were sent"},
		{"kind: served, policy: token, is: 10", "kind: formula, formula: students, is: 5", `"students" means nothing here`},
		{"kind: served, policy: token, is: 10", "kind: formula, formula: limit, is: 5", `"limit" means nothing here`},
		{"kind: served, policy: token, is: 10", "kind: formula, policy: token, formula: queue, is: 5", `"queue" means nothing here`},
		{"kind: served, policy: token, is: 10", "kind: formula, formula: 1 / (users - 2000), is: 5", "divides by 0"},
		{"kind: served, policy: token, is: 10", "kind: formula, formula: users, unit: miles, is: 5", `"miles" is unknown`},
		{"traffic: 14@0s", "traffic: 500001@0s", "expected at most 500000"},
	} {
		s, err := read([]byte(strings.Replace(sound, test.old, test.new, 1)))
		if err != nil {
			t.Errorf("%q: %v", test.new, err)
			continue
		}
		if _, err := s.Run(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want one with %q", test.new, err, test.want)
		}
	}
}

// TestOrderIsTheOneList: every file is listed once, and every name has a file.
func TestOrderIsTheOneList(t *testing.T) {
	file := &fstest.MapFile{Data: []byte(sound)}
	for _, test := range []struct {
		name, order string
		cases       []string
		want        string
	}{
		{"in its order", "- {group: G, scenarios: [b, a]}", []string{"a", "b"}, ""},
		{"a file is missing", "- {group: G, scenarios: [a, b]}", []string{"a"}, `"b" is listed twice or has no file`},
		{"listed twice", "- {group: G, scenarios: [a]}\n- {group: H, scenarios: [a]}", []string{"a"}, `"a" is listed twice`},
		{"not listed", "- {group: G, scenarios: [a]}", []string{"a", "b"}, "b.yaml is not listed"},
		{"unknown field", "- {group: G, scenario: [a]}", []string{"a"}, "unknown field"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := fstest.MapFS{"order.yaml": {Data: []byte(test.order)}}
			for _, name := range test.cases {
				files["cases/"+name+".yaml"] = file
			}
			list, err := load(files)
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Fatalf("error %v, want one with %q", err, test.want)
				}
				return
			}
			if err != nil || len(list) != 2 || list[0].Name != "b" || list[1].Name != "a" || list[0].Group != "G" {
				t.Errorf("load = %v, %v, want b and a of group G", list, err)
			}
		})
	}
}

// TestNumbersStayAsWritten: no number passes through a float.
func TestNumbersStayAsWritten(t *testing.T) {
	for _, test := range []struct{ is, want string }{
		{"2.690", "2.69"},
		{"0.1234567890123456789", "0.1234567890123456789"},
		{"9007199254740993", "9007199254740993"},
		{"'5'", "5"},
		{"-0.50", "-0.5"},
	} {
		s, err := read([]byte(strings.Replace(sound, "kind: served, policy: token, is: 10", "kind: formula, formula: users, is: "+test.is, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{test.want}, s.Expectations[0].Is); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.is, diff)
		}
	}
}

func TestRollIsUndoneByUnroll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.SampledFrom([]string{"allow", "delay", "refuse"}), 1, 30).Draw(t, "list")
		rolled := Roll(list)
		got, err := unroll(rolled)
		if diff := cmp.Diff(list, got); err != nil || diff != "" {
			t.Fatalf("unroll(%v): %v (-want +got):\n%s", rolled, err, diff)
		}
	})
}

func TestRequestsAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []int
		for n := 0; len(list) < rapid.IntRange(1, 20).Draw(t, "length"); {
			n += rapid.IntRange(1, 3).Draw(t, "step")
			list = append(list, n)
		}
		got, err := parseRequests(formatRequests(list))
		if diff := cmp.Diff(list, got); err != nil || diff != "" {
			t.Fatalf("%q: %v (-want +got):\n%s", formatRequests(list), err, diff)
		}
	})
}

// TestPresets: what a scenario offers as a preset is a notation that sends the
// same requests.
func TestPresets(t *testing.T) {
	without := []string{}
	for _, s := range All() {
		notation, ok := s.Sent.Preset()
		if !ok {
			without = append(without, s.Name)
			continue
		}
		parsed, err := traffic.Parse(notation)
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		if !slices.Equal(slices.Collect(parsed.Requests(0)), slices.Collect(s.Sent.Requests())) {
			t.Errorf("%s: the preset sends other requests than the scenario", s.Name)
		}
	}
	want := []string{"hour-steady-1x", "hour-steady-2x", "hour-bursty-2x", "memory", "memory-busy-log", "memory-of-the-app"}
	if diff := cmp.Diff(want, without); diff != "" {
		t.Errorf("scenarios too long for a notation, or of many keys (-want +got):\n%s", diff)
	}
}

// TestEdgePatternIsTheLessons: the scenario writes the lesson's trace as two
// bursts, over and over.
func TestEdgePatternIsTheLessons(t *testing.T) {
	s, _ := ByName("hour-edge-pattern")
	if !slices.Equal(slices.Collect(s.Sent.Requests()), lessontrace.EdgePattern()) {
		t.Error("the notation sends other requests than the lesson's trace")
	}
}

// TestEveryKindIsUsed: the set of kinds is closed, and none is in it that no
// scenario needs.
func TestEveryKindIsUsed(t *testing.T) {
	unused := maps.Clone(kinds)
	for _, s := range All() {
		for _, e := range s.Expectations {
			delete(unused, e.Kind)
		}
	}
	for name := range unused {
		t.Errorf("no scenario has an expectation of kind %q", name)
	}
}

func TestByName(t *testing.T) {
	for _, want := range All() {
		if got, ok := ByName(want.Name); !ok || got.Title != want.Title {
			t.Errorf("ByName(%q) = %q, %v, want %q", want.Name, got.Title, ok, want.Title)
		}
	}
	if got, ok := ByName("no-such"); ok {
		t.Errorf("ByName of an unknown name = %q", got.Name)
	}
}
