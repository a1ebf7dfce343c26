package policyfile_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/policyfile"
)

var every = []lab.Policy{
	{Name: "token", Algorithm: lab.TokenBucket, Limit: 10, Per: time.Second, Burst: 20, Initial: lab.InitialEmpty},
	{Name: "leaky", Algorithm: lab.LeakyBucket, Limit: 10, Per: 1500 * time.Millisecond, Queue: 5, First: lab.FirstAfterGap},
	{Name: "gcra", Algorithm: lab.GCRA, Limit: 999_983, Per: 24 * time.Hour, Burst: 3},
	{Name: "fixed", Algorithm: lab.FixedWindow, Limit: 10, Per: time.Minute, Align: lab.AlignFirstRequest},
	{Name: "log", Algorithm: lab.SlidingLog, Limit: lab.MaxCount, Per: lab.MaxSpan},
	{Name: "counter", Algorithm: lab.SlidingCounter, Limit: 1, Per: 1},
	{Name: "in progress: 6 \"at most\"", Algorithm: lab.Concurrency, Limit: 6},
}

const everyJSON = `{"policies": [
	{"name": "token", "algorithm": "token-bucket", "limit": 10, "per": "1s", "burst": 20, "initial": "empty"},
	{"queue": 5, "first": "after-gap", "per": "1500ms", "limit": 10, "algorithm": "leaky-bucket", "name": "leaky"},
	{"name": "gcra", "algorithm": "gcra", "limit": 999983, "per": "24h", "burst": 3},
	{"name": "fixed", "algorithm": "fixed-window", "limit": 10, "per": "1m", "align": "first-request"},
	{"name": "log", "algorithm": "sliding-log", "limit": 1000000000000, "per": "438000h"},
	{"name": "counter", "algorithm": "sliding-counter", "limit": 1, "per": "1ns"},
	{"name": "in progress: 6 \"at most\"", "algorithm": "concurrency", "limit": 6}
]}`

const everyYAML = `# every algorithm
---
policies:
  - name: token # the first
    algorithm: token-bucket
    limit: 10
    per: 1s
    burst: 20
    initial: empty
  - {queue: 5, first: after-gap, per: 1.5s, limit: 10, algorithm: leaky-bucket, name: leaky}
  - name: gcra
    algorithm: "gcra"
    limit: 999983
    per: 24h
    burst: 3
  - name: 'fixed'
    algorithm: fixed-window
    limit: 10
    per: 1m
    align: first-request
  - name: log
    algorithm: sliding-log
    limit: 1000000000000
    per: 438000h
  - name: counter
    algorithm: sliding-counter
    limit: 1
    per: 1ns
  - name: "in progress: 6 \"at most\""
    algorithm: concurrency
    limit: 6
...
`

func TestRead(t *testing.T) {
	for _, test := range []struct{ file, text string }{
		{"p.json", everyJSON},
		{"p.JSON", "\ufeff \r\n" + strings.ReplaceAll(everyJSON, "\n", "\r\n")},
		{"-", everyJSON},
		{"p.yaml", everyYAML},
		{"p.yml", "\ufeff" + strings.ReplaceAll(everyYAML, "\n", "\r\n")},
		{"-", everyYAML},
		{"p.yaml", strings.ReplaceAll(everyJSON, "\t", " ")},
		{"written.json", string(policyfile.Write(every))},
	} {
		got, err := policyfile.Read(test.file, []byte(test.text))
		if err != nil {
			t.Errorf("%s %.20q: %v", test.file, test.text, err)
			continue
		}
		if diff := cmp.Diff(every, got); diff != "" {
			t.Errorf("%s %.20q: -want +got:\n%s", test.file, test.text, diff)
		}
	}
}

func TestWrite(t *testing.T) {
	const want = `{
  "policies": [
    {
      "name": "token",
      "algorithm": "token-bucket",
      "limit": 10,
      "per": "1s",
      "burst": 20,
      "initial": "empty"
    }
  ]
}
`
	if got := string(policyfile.Write(every[:1])); got != want {
		t.Errorf("got\n%s", got)
	}
}

// policy is a file with one token bucket with some of its text replaced.
func policy(old, new string) string {
	const text = `{"policies": [{"name": "a", "algorithm": "token-bucket", "limit": 10, "per": "1s", "burst": 10}]}`
	return strings.Replace(text, old, new, 1)
}

const (
	shape         = `expected {"policies": [...]} with a list of policies`
	algorithms    = `token-bucket, leaky-bucket, gcra, fixed-window, sliding-log, sliding-counter, concurrency`
	bucketFields  = `name, algorithm, limit, per, burst, initial`
	plainValues   = `expected plain values, without anchors, aliases, merge keys and tags`
	countInDigits = `expected a whole number from 1 to 1,000,000,000,000, in digits`
)

func TestReadSaysWhereAndWhat(t *testing.T) {
	many := strings.Repeat(`{},`, 64) + `{}`
	tests := []struct{ text, want string }{
		{"", `1:1: the file is empty; ` + shape},
		{" \n", `1:1: the file is empty; ` + shape},
		{"{\"a\": \"\xff\"}", `1:8: the byte 0xff is not UTF-8; expected text in UTF-8`},
		{strings.Repeat(" ", policyfile.MaxSize+1), `1:1: the file is too long; expected at most 1048576 bytes`},

		// The shape, in JSON.
		{"{", `1:2: the file ends in the middle of a value; expected the rest of it`},
		{"{]", `1:2: this is not JSON: invalid character ']' looking for beginning of object key string`},
		{"{}", `1:1: the object has no policies; ` + shape},
		{`{"é":1}`, `1:2: "é" is no field here; ` + shape},
		{"{\"policies\":\n  {}}", `2:3: policies: found an object; expected a list of policies`},
		{`{"policies": null}`, `1:14: policies: found null; expected a list of policies`},
		{`{"policies": true}`, `1:14: policies: found true or false; expected a list of policies`},
		{`{"policies": []}`, `1:14: policies: the list is empty; expected 1 to 64 policies`},
		{`{"policies": [` + many + `]}`, `1:207: policies: the list has 65; expected 1 to 64 policies`},
		{`{"policies": [7]}`, `1:15: found a number; expected a policy: an object with name, algorithm and the algorithm's fields`},
		{`{"policies": [], "policies": []}`, `1:18: the field policies stands here twice; expected it once`},
		{`{"policies": [[[[[[[[7]]]]]]]]}`, `1:22: values nest too deeply; expected policies in a list in an object`},
		{policy("}]}", "}]} x"), `1:99: this is not JSON: invalid character 'x' after top-level value`},
		{policy("}]}", ",}]}"), `1:96: this is not JSON: invalid character '}' looking for beginning of object key string`},

		// A policy's fields.
		{policy(`"name": "a", `, ``), `1:15: the policy has no name; the fields of a token-bucket policy are ` + bucketFields},
		{policy(`"a"`, `7`), `1:24: name: found a number; expected a text, which stands in quotes where it looks like something else`},
		{policy(`"a"`, `""`), `1:24: name: expected 1 to 64 characters`},
		{policy(`"a"`, `"é"`), `1:24: name: "é" has the character 'é'; expected printable ASCII, because the name stands in response headers`},
		{policy(`{"name"`, `{"name": "a", "algorithm": "concurrency", "limit": 1}, {"name"`), `1:79: name: two policies are called "a"; expected each name once`},
		{policy(`"algorithm": "token-bucket", `, ``), `1:15: the policy has no algorithm; expected one of ` + algorithms},
		{policy(`"token-bucket"`, `"bucket"`), `1:42: algorithm: "bucket" is unknown; expected one of ` + algorithms},
		{policy(`"token-bucket"`, `1`), `1:42: algorithm: found a number; expected one of ` + algorithms},
		{policy(`"burst"`, `"brust"`), `1:84: "brust" is no field of a policy; the fields of a token-bucket policy are ` + bucketFields},
		{policy(`"burst"`, `"queue"`), `1:84: a token-bucket policy has no queue; its fields are ` + bucketFields},
		{policy(`"burst"`, `"limit"`), `1:84: the field limit stands here twice; expected it once`},
		{policy(`, "burst": 10`, ``), `1:15: the policy has no burst; the fields of a token-bucket policy are ` + bucketFields},
		{policy(`10`, `0`), `1:67: limit: 0 is out of range; expected a whole number from 1 to 1,000,000,000,000`},
		{policy(`10`, `-3`), `1:67: limit: -3 is out of range; expected a whole number from 1 to 1,000,000,000,000`},
		{policy(`10`, `5.5`), `1:67: limit: found 5.5; ` + countInDigits},
		{policy(`10`, `1e1`), `1:67: limit: found 1e1; ` + countInDigits},
		{policy(`10`, `-0`), `1:67: limit: found -0; ` + countInDigits},
		{policy(`10`, `99999999999999999999`), `1:67: limit: found 99999999999999999999; ` + countInDigits},
		{policy(`10`, `"10"`), `1:67: limit: found a text; expected a whole number`},
		{policy(`"1s"`, `"9999999h"`), `1:78: per: "9999999h" is out of range; expected a duration from 1ns to 438000h`},
		{policy(`10`, `[10]`), `1:67: limit: found a list; expected a whole number`},
		{policy(`"1s"`, `1`), `1:78: per: found a number; expected a duration such as 1s, 1500ms or 24h`},
		{policy(`"1s"`, `"1d"`), `1:78: per: "1d" has a unit that is none of h, m, s, ms, us and ns`},
		{policy(`"1s"`, `"1.5ns"`), `1:78: per: "1.5ns" is not a whole number of nanoseconds; expected fewer decimals`},
		{policy(`"1s"`, `"0s"`), `1:78: per: 0s is out of range; expected a duration from 1ns to 438000h`},
		{policy(`"1s", "burst": 10`, `"24h", "burst": 1000000000`), `1:94: burst: 1000000000 at 10 per 24h would take over 50 years to recover, longer than the engine's clock can hold exactly; expected at most 182500`},
		{policy(`"burst"`, `"initial": "half", "burst"`), `1:95: initial: "half" is unknown; expected full or empty`},
		{policy(`"burst"`, `"initial": false, "burst"`), `1:95: initial: found true or false; expected full or empty`},
		{`{"policies": ` + strings.Repeat("[", 20_000), `1:10013: values nest too deeply; expected policies in a list in an object`},

		// YAML.
		{"policies", `1:1: found a text; ` + shape},
		{"policies:", `1:11: policies: found null; expected a list of policies`},
		{"# nothing", `1:1: the file is empty; ` + shape},
		{"policies:\n\t- a", `2:1: a tab indents this line; expected spaces`},
		{"policies:\n- name:\ta\n \tlimit: 1", `3:2: a tab indents this line; expected spaces`},
		{"policies:\n  - a\n - b", `3:2: this is not YAML: value is not allowed in this context`},
		{"- a", `1:1: found a list; ` + shape},
		{"policies: [", `1:11: this is not YAML: sequence end token ']' not found`},
		{"policies: []\n---\npolicies: []", `3:1: a second document begins here; expected one`},
		{"%YAML 1.2\n---\npolicies: []", `1:1: found a directive (%); ` + shape},
		{"policies: &a\n- name: a", `1:11: found an anchor (&); ` + plainValues},
		{"policies:\n- &a name: a", `2:3: found an anchor (&) as a field's name; expected a plain word`},
		{"policies:\n- *a", `2:3: found an alias (*); ` + plainValues},
		{"policies:\n- <<: {name: a}", `2:3: found a merge key (<<) as a field's name; expected a plain word`},
		{"policies:\n- name: !!str a", `2:9: found a tag (!); ` + plainValues},
		{"policies:\n- ? name\n  : a", `2:3: found a key that is marked with ? as a field's name; expected a plain word`},
		{"policies:\n- 7: a", `2:3: found a number as a field's name; expected a plain word`},
		{"policies:\n- true: a", `2:3: found true or false as a field's name; expected a plain word`},
		{"policies:\n- - - - - - - - - a", `2:17: values nest too deeply; expected policies in a list in an object`},
		{"policies: [" + strings.Repeat("a,", 5000), `1:4105: the file has too many parts; expected at most 64 policies`},
		{"policies:\n- name: b\n  limit: 010\n  algorithm: concurrency", `3:10: limit: found 010; ` + countInDigits},
		{"policies:\n- name: b\n  limit: 0x10\n  algorithm: concurrency", `3:10: limit: found 0x10; ` + countInDigits},
		{"policies:\n- name: b\n  limit: 1_000\n  algorithm: concurrency", `3:10: limit: found 1_000; ` + countInDigits},
		{"policies:\n- name: b\n  limit: .inf\n  algorithm: concurrency", `3:10: limit: found .inf; ` + countInDigits},
		{"policies:\n- name: b\n  limit:\n  algorithm: concurrency", `3:9: limit: found null; expected a whole number`},
		{"policies:\n- name: 12\n  limit: 1\n  algorithm: concurrency", `2:9: name: found a number; expected a text, which stands in quotes where it looks like something else`},
		{"policies:\n- {name: \"é\", limit: x, algorithm: concurrency}", `2:22: limit: found a text; expected a whole number`},
		{"policies:\n- name: |\n    two\n    lines\n  limit: 1\n  algorithm: concurrency", `2:9: name: "two\nlines\n" has the character '\n'; expected printable ASCII, because the name stands in response headers`},
		{"policies:\n- name: b\n  limit: 1\n  limit: 2\n  algorithm: concurrency", `4:3: the field limit stands here twice; expected it once`},
	}
	for _, test := range tests {
		t.Run(test.text[:min(len(test.text), 40)], func(t *testing.T) {
			_, err := policyfile.Read("p", []byte(test.text))
			var wrong *policyfile.Error
			if !errors.As(err, &wrong) || err.Error() != "p:"+test.want {
				t.Errorf("%s\ngot  %v\nwant p:%s", test.text[:min(len(test.text), 200)], err, test.want)
			}
		})
	}
}

func TestReadTakesTheLanguageFromTheName(t *testing.T) {
	if _, err := policyfile.Read("p.json", []byte(everyYAML)); err == nil || err.Error() != `p.json:1:1: this is not JSON: invalid character '#' looking for beginning of value` {
		t.Errorf("YAML in a file called p.json: %v", err)
	}
	if _, err := policyfile.Read("p.yaml", []byte(`{"policies": [`)); err == nil || !strings.Contains(err.Error(), "this is not YAML") {
		t.Errorf("wrong YAML that looks like JSON: %v", err)
	}
}

// A hostile file of the largest size is refused without much work.
func TestLargeFilesAreRefused(t *testing.T) {
	if _, err := policyfile.Read("p.yaml", []byte(strings.Repeat("# long\n", 10_000))); err == nil || err.Error() != "p.yaml:1:1: the file is too long; expected at most 65536 bytes in YAML" {
		t.Errorf("a long YAML file: %v", err)
	}
	for _, piece := range []string{"[", "- ", "? ", "{a: ", "a: b\n", "&a ", "*a ", "!!a ", "---\n", "#\n", "\"", "a:", "a: |\n b\n"} {
		for file, size := range map[string]int{"p.yaml": policyfile.MaxYAML, "p.json": policyfile.MaxSize} {
			if got, err := policyfile.Read(file, []byte(strings.Repeat(piece, size/len(piece)))); err == nil {
				t.Errorf("%s of %q gives %v", file, piece, got)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("p.json", everyJSON)
	f.Add("p.yaml", everyYAML)
	f.Add("p", policy("10", "1e1"))
	f.Add("p.yaml", "policies:\n- &a {name: *a, <<: !!x ? |\n")
	f.Fuzz(func(t *testing.T, file, text string) {
		policies, err := policyfile.Read(file, []byte(text))
		if err != nil {
			var wrong *policyfile.Error
			if !errors.As(err, &wrong) || wrong.Line < 1 || wrong.Column < 1 || wrong.Message == "" || wrong.File != file {
				t.Fatalf("no place: %#v", err)
			}
			return
		}
		if len(policies) == 0 || len(policies) > policyfile.MaxPolicies {
			t.Fatalf("%d policies", len(policies))
		}
		if err := lab.CheckPolicies(policies); err != nil {
			t.Fatal(err)
		}
		again, err := policyfile.Read("again.json", policyfile.Write(policies))
		if err != nil || !slices.Equal(again, policies) {
			t.Fatalf("%v became %v (%v)", policies, again, err)
		}
	})
}

func ExampleRead() {
	_, err := policyfile.Read("policies.yaml", []byte("policies:\n  - name: api\n    algorithm: gcra\n    limit: 5.5\n"))
	fmt.Println(err)
	// Output: policies.yaml:4:12: limit: found 5.5; expected a whole number from 1 to 1,000,000,000,000, in digits
}
