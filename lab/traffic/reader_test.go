package traffic_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/traffic"
)

func readAll(r traffic.TraceReader) ([]lab.Request, error) {
	var rows []lab.Request
	for {
		row, err := r.Read()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
}

func readCSV(text string) ([]lab.Request, error) {
	return readAll(traffic.NewCSV("t.csv", strings.NewReader(text)))
}

func readJSONL(text string) ([]lab.Request, error) {
	return readAll(traffic.NewJSONL("t.jsonl", strings.NewReader(text)))
}

func plain(at lab.Time) lab.Request { return lab.Request{At: at, Key: "default", Cost: 1} }

func TestCSV(t *testing.T) {
	tests := []struct {
		name, text string
		want       []lab.Request
	}{
		{"only times", "at_ms\n0\n1500\n", []lab.Request{plain(0), plain(1500 * ms)}},
		{"no rows", "at_ms,key\n", nil},
		{"no end of the last line", "at_ms\n7", []lab.Request{plain(7 * ms)}},
		{"six decimals", "at_ms\n0.000001\n-0.5\n1796077000000.123456\n00012.250\n", []lab.Request{
			plain(1), plain(-500_000), plain(1796077000000123456), plain(12_250_000),
		}},
		{"the ends of time", "at_ms\n4611686018427.387903\n-4611686018427.387903\n", []lab.Request{plain(lab.MaxTime), plain(lab.MinTime)}},
		{"any order, byte order mark, line ends of DOS, empty lines", "\ufeffcost,service_ms,key,at_ms\r\n\r\n2,0.25,ann,1\r\n", []lab.Request{
			{At: ms, Key: "ann", Cost: 2, Service: 250 * time.Microsecond},
		}},
		{"empty fields", "at_ms,key,cost,service_ms\n1,,,\n", []lab.Request{plain(ms)}},
		{"quotes", "\"at_ms\",key\n\"1\",\"a, \"\"b\"\"\"\n2,\"two\r\nlines\"\n3,\"\"\n4,plain\n", []lab.Request{
			{At: ms, Key: `a, "b"`, Cost: 1}, {At: 2 * ms, Key: "two\r\nlines", Cost: 1}, plain(3 * ms), {At: 4 * ms, Key: "plain", Cost: 1},
		}},
		{"keys of any bytes", "key,at_ms\n\xff\x00 caf\u00e9 ,1\n", []lab.Request{{At: ms, Key: "\xff\x00 caf\u00e9 ", Cost: 1}}},
		{"a clock that steps back", "at_ms\n5\n3\n", []lab.Request{plain(5 * ms), plain(3 * ms)}},
		{"the longest line", "at_ms,key\n1," + strings.Repeat("k", traffic.MaxKey) + "\n", []lab.Request{
			{At: ms, Key: strings.Repeat("k", traffic.MaxKey), Cost: 1},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := readCSV(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			slow, err := readAll(traffic.NewCSV("t.csv", iotest.OneByteReader(strings.NewReader(test.text))))
			if err != nil || !cmp.Equal(slow, got) {
				t.Errorf("byte by byte: %v, %v", slow, err)
			}
		})
	}
}

func TestCSVSaysWhereAndWhat(t *testing.T) {
	const header = "expected a first line that names the columns: at_ms, and where there are such key, cost and service_ms"
	const number = "expected a decimal number of milliseconds with at most six decimals, such as 1500 or 0.25"
	tests := []struct{ text, want string }{
		{"", "t.csv:1:1: the file is empty; " + header},
		{"\n\n", "t.csv:2:1: the file is empty; " + header},
		{"{\"at_ms\":1}\n", `t.csv:1:1: found "{", as in a file with a JSON object on each line; ` + header},
		{"\x1f\x8b\x08\x00" + strings.Repeat("\x00", 70_000), `t.csv:1:1: the file is compressed with gzip; expected plain text in UTF-8`},
		{"\x28\xb5\x2f\xfd\x24", `t.csv:1:1: the file is compressed with zstd; expected plain text in UTF-8`},
		{"PK\x03\x04", `t.csv:1:1: the file is a zip archive; expected plain text in UTF-8`},
		{"\xff\xfea\x00t\x00", `t.csv:1:1: the file is text in UTF-16; expected plain text in UTF-8`},
		{"\xfe\xff\x00a\x00t", `t.csv:1:1: the file is text in UTF-16; expected plain text in UTF-8`},
		{"\x00\x00\n", `t.csv:1:1: "\x00\x00" is no column of a trace; ` + header},
		{"at_ms\n1\x00\n", `t.csv:2:1: at_ms: "1\x00" is not a decimal number of milliseconds; ` + number},
		{"at_ms;key\n", `t.csv:1:1: "at_ms;key" is no column of a trace; ` + header},
		{"at_ms\"" + strings.Repeat(",", 60_000), `t.csv:1:6: a quote stands inside a field that does not begin with one; expected the whole field in quotes, and this one written twice`},
		{strings.Repeat(",", 60_000), `t.csv:1:1: "" is no column of a trace; ` + header},
		{"at_ms,key,cost,service_ms" + strings.Repeat(",", 60_000), `t.csv:1:27: "" is no column of a trace; ` + header},
		{"at_ms\n\"1\"" + strings.Repeat(",", 60_000), `t.csv:2:5: the row has more fields than the first line; expected its end after 1`},
		{"0,ann\n", `t.csv:1:1: "0" is no column of a trace; ` + header},
		{"at_ms,Key\n", `t.csv:1:7: "Key" is no column of a trace; ` + header},
		{"at_ms,\n", `t.csv:1:7: "" is no column of a trace; ` + header},
		{"at_ms,key,at_ms\n", `t.csv:1:11: the column at_ms stands here twice; expected it once`},
		{"key,cost\n", `t.csv:1:1: there is no column at_ms; ` + header},
		{"at_ms,key\n1\n", `t.csv:2:2: the row ends after 1 of 2 fields; expected a comma and key`},
		{"at_ms,key\n1,a,b\n", `t.csv:2:5: the row has more fields than the first line; expected its end after 2`},
		{"at_ms,key\n\"1\"\n", `t.csv:2:1: the row ends after 1 of 2 fields; expected a comma and key`},
		{"at_ms,key\n1,\"a\",b\n", `t.csv:2:7: the row has more fields than the first line; expected its end after 2`},
		{"key,at_ms\n\u00e9\u00e9,\n", `t.csv:2:4: at_ms: nothing stands here; ` + number},
		{"key,at_ms\n\"\u00e9\u00e9\",\"x\"\n", `t.csv:2:6: at_ms: "x" is not a decimal number of milliseconds; ` + number},
		{"at_ms\n1\n1e3\n", `t.csv:3:1: at_ms: "1e3" is not a decimal number of milliseconds; ` + number},
		{"at_ms\n 1\n", `t.csv:2:1: at_ms: " 1" is not a decimal number of milliseconds; ` + number},
		{"at_ms\n1.\n", `t.csv:2:1: at_ms: "1." is not a decimal number of milliseconds; ` + number},
		{"at_ms\n1.1234567\n", `t.csv:2:1: at_ms: "1.1234567" has more than six decimals: time is kept in whole nanoseconds; ` + number},
		{"at_ms\n" + strings.Repeat("1", 41) + "\n", `t.csv:2:1: at_ms: "1111111111111111111111111111111111111111…" is too long; ` + number},
		{"at_ms\n4611686018427.387904\n", `t.csv:2:1: at_ms: 4611686018427.387904 is out of range; expected a time from -4611686018427.387903 to 4611686018427.387903 ms`},
		{"at_ms,cost\n1,0\n", `t.csv:2:3: cost: "0" is no cost; expected a whole number from 1 to 1,000,000,000,000`},
		{"at_ms,cost\n1,1.5\n", `t.csv:2:3: cost: "1.5" is no cost; expected a whole number from 1 to 1,000,000,000,000`},
		{"at_ms,cost\n1,9999999999999999999\n", `t.csv:2:3: cost: "9999999999999999999" is no cost; expected a whole number from 1 to 1,000,000,000,000`},
		{"at_ms,service_ms\n0,9999999999999\n", `t.csv:2:3: service_ms: 9999999999999 is out of range; expected a time in service from 0 to 1576800000000 ms`},
		{"at_ms,service_ms\n1,-0.1\n", `t.csv:2:3: service_ms: -0.1 is out of range; expected a time in service from 0 to 1576800000000 ms`},
		{"at_ms,service_ms\n1,soon\n", `t.csv:2:3: service_ms: "soon" is not a decimal number of milliseconds; ` + number},
		{"at_ms,key\n1," + strings.Repeat("k", 4097) + "\n", `t.csv:2:3: key: the key has 4097 bytes; expected at most 4096`},
		{"at_ms,key\n1,\"a\"b\n", `t.csv:2:6: "b" follows the closing quote; expected a comma or the end of the line (a quote inside is written twice)`},
		{"at_ms,key\n1,a\"b\"\n", `t.csv:2:4: a quote stands inside a field that does not begin with one; expected the whole field in quotes, and this one written twice`},
		{"at_ms,key\n1,\"a\nb,c\n", `t.csv:2:3: the quoted field has no end; expected a closing quote`},
		{"at_ms,key\n1,\"a\nb\",c\n", `t.csv:3:4: the row has more fields than the first line; expected its end after 2`},
		{"at_ms,key\n1,\"" + strings.Repeat("k\n", 1<<15) + "\"\n", `t.csv:2:3: the quoted field is too long; expected its end within 65536 bytes`},
		{"at_ms\n1\n" + strings.Repeat("1", 70_000) + "\n", `t.csv:3:1: the line is too long; expected at most 65536 bytes`},
	}
	for _, test := range tests {
		t.Run(test.text[:min(len(test.text), 40)], func(t *testing.T) {
			_, err := readCSV(test.text)
			var trace *lab.FileError
			if !errors.As(err, &trace) || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestJSONL(t *testing.T) {
	got, err := readJSONL(strings.Join([]string{
		`{"at_ms":0}`,
		``,
		" \t{ \"service_ms\" : 0.25 , \"key\":\"ann\" , \"cost\": 2 ,\"at_ms\": 1796077000000.123456 } \r",
		`{"at_ms":-0.5,"key":null,"cost":null,"service_ms":null}`,
		`{"at_ms":1,"key":""}`,
		`{"at_ms":1,"key":"a \" \\ \/ \b \f \n \r \t \u00e9 é 😀 \ud83d\ude00 \u0000"}`,
		`{"\u0061t_ms":1}`,
	}, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []lab.Request{
		plain(0),
		{At: 1796077000000123456, Key: "ann", Cost: 2, Service: 250 * time.Microsecond},
		plain(-500_000),
		plain(ms),
		{At: ms, Key: "a \" \\ / \b \f \n \r \t é é 😀 😀 \x00", Cost: 1},
		plain(ms),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestJSONLSaysWhereAndWhat(t *testing.T) {
	tests := []struct{ text, want string }{
		{`7`, `1:1: found "7"; expected an object such as {"at_ms": 1500}`},
		{"\x1f\x8b\x08", `1:1: the file is compressed with gzip; expected plain text in UTF-8`},
		{"at_ms,key", `1:1: found "a"; expected an object such as {"at_ms": 1500}`},
		{`{"at_ms":[[[[1]]]]}`, `1:10: found "["; at_ms: expected a number`},
		{`{"at_ms":1,"key":{"a":1}}`, `1:18: found "{"; key: expected a text in quotes`},
		{strings.Repeat("[", 70_000), `1:1: the line is too long; expected at most 65536 bytes`},
		{`[]`, `1:1: found "["; expected an object such as {"at_ms": 1500}`},
		{`{}`, `1:2: found "}"; expected a field's name in quotes: at_ms, key, cost or service_ms`},
		{`{`, `1:2: the line ends here; expected a field's name in quotes: at_ms, key, cost or service_ms`},
		{"\n\n {\"key\":\"é\"}", `3:2: the object has no at_ms; expected a decimal number of milliseconds`},
		{`{"key":"é","time":1}`, `1:12: "time" is no field of a trace; expected at_ms, key, cost or service_ms`},
		{`{"at_ms":1,"at_ms":2}`, `1:12: the field at_ms stands here twice; expected it once`},
		{`{"at_ms" 1}`, `1:10: found "1"; expected a colon after at_ms`},
		{`{"at_ms":1 "key":"a"}`, `1:12: found "\""; expected a comma or the object's closing brace`},
		{`{"at_ms":1,}`, `1:12: found "}"; expected a field's name in quotes: at_ms, key, cost or service_ms`},
		{`{"at_ms":1}}`, `1:12: found "}" after the object; expected the end of the line`},
		{`{"at_ms":"1"}`, `1:10: found "\""; at_ms: expected a number`},
		{`{"at_ms":null}`, `1:10: found "n"; at_ms: expected a number`},
		{`{"at_ms":1e3}`, `1:10: at_ms: the number has an exponent; expected it written out`},
		{`{"at_ms":007}`, `1:10: at_ms: the number begins with 0; expected it without`},
		{`{"at_ms":1.1234567}`, `1:10: at_ms: "1.1234567" has more than six decimals: time is kept in whole nanoseconds; expected a decimal number of milliseconds with at most six decimals, such as 1500 or 0.25`},
		{`{"at_ms":1,"key":7}`, `1:18: found "7"; key: expected a text in quotes`},
		{`{"at_ms":1,"key":"a`, `1:20: the text in quotes has no end; expected a closing quote`},
		{"{\"at_ms\":1,\"key\":\"a\tb\"}", `1:20: a text has the control character '\t'; expected it escaped`},
		{"{\"at_ms\":1,\"key\":\"a\xff\"}", `1:20: the byte 0xff is not UTF-8; expected JSON in UTF-8`},
		{`{"at_ms":1,"key":"\x"}`, `1:19: a wrong escape; expected \", \\, \/, \b, \f, \n, \r, \t or \u and four hexadecimal digits`},
		{`{"at_ms":1,"key":"\ud83d!"}`, `1:19: half a surrogate pair; expected \u escapes of both halves`},
		{`{"at_ms":1,"key":"\ude00\ud83d"}`, `1:19: half a surrogate pair; expected \u escapes of both halves`},
		{`{"at_ms":1,"cost":1.5}`, `1:19: cost: "1.5" is no cost; expected a whole number from 1 to 1,000,000,000,000`},
		{`{"at_ms":1,"cost":-1}`, `1:19: cost: "-1" is no cost; expected a whole number from 1 to 1,000,000,000,000`},
		{`{"at_ms":1,"key":"` + strings.Repeat("k", 4097) + `"}`, `1:18: key: the key has 4097 bytes; expected at most 4096`},
	}
	for _, test := range tests {
		t.Run(test.text[:min(len(test.text), 40)], func(t *testing.T) {
			_, err := readJSONL(test.text)
			var trace *lab.FileError
			if want := "t.jsonl:" + test.want; !errors.As(err, &trace) || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

func TestReadersSayWhereARequestBegins(t *testing.T) {
	for name, test := range map[string]struct {
		reader traffic.TraceReader
		want   [][2]int
	}{
		"CSV":   {traffic.NewCSV("t", strings.NewReader("\ufeffat_ms,key\n1,a\n\n2,\"two\nlines\"\n3,b")), [][2]int{{2, 1}, {4, 1}, {6, 1}}},
		"JSONL": {traffic.NewJSONL("t", strings.NewReader("\ufeff{\"at_ms\":1}\n\n \t{\"at_ms\":2}")), [][2]int{{1, 1}, {3, 3}}},
	} {
		for i, want := range test.want {
			if _, err := test.reader.Read(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if line, column := test.reader.Place(); line != want[0] || column != want[1] {
				t.Errorf("%s: request %d is at %d:%d, want %v", name, i, line, column, want)
			}
		}
	}
}

func TestReadersKeepTheirError(t *testing.T) {
	broken := errors.New("the cable is cut")
	for name, r := range map[string]traffic.TraceReader{
		"CSV":   traffic.NewCSV("t", io.MultiReader(strings.NewReader("at_ms\n1\n"), iotest.ErrReader(broken))),
		"JSONL": traffic.NewJSONL("t", io.MultiReader(strings.NewReader("{\"at_ms\":1}\n"), iotest.ErrReader(broken))),
	} {
		if _, err := r.Read(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for range 2 {
			if _, err := r.Read(); !errors.Is(err, broken) || err.Error() != "t: the cable is cut" {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
}

func TestReadTrace(t *testing.T) {
	const text = "at_ms,key\n5,a\n3,b\n5,c\n"
	got, err := traffic.ReadTrace(traffic.NewCSV("t.csv", strings.NewReader(text)), 3)
	if err != nil || got.String() != "trace 3ms key=b, 5ms key=a, 5ms key=c" {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := traffic.ReadTrace(traffic.NewCSV("t.csv", strings.NewReader(text)), 2); err == nil || err.Error() != "the trace has too many rows; expected at most 2" {
		t.Errorf("3 rows where 2 are allowed: %v", err)
	}
	if _, err := traffic.ReadTrace(traffic.NewCSV("t.csv", strings.NewReader("x")), 2); err == nil {
		t.Error("a wrong file is read")
	}
}

// Rows of encoding/csv and encoding/json are what ours read, where ours accept
// the text.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{"at_ms\n0\n", "at_ms,key\r\n1.5,\"a\"\"\nb\"\r\n", "key,cost,at_ms,service_ms\n,,-1,3\n\n", "\ufeffat_ms\n1\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readCSV(text)
		if err != nil {
			checkPlace(t, err)
			return
		}
		r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
		rows, err := r.ReadAll()
		if err != nil {
			t.Fatalf("encoding/csv: %v", err)
		}
		if len(rows) != len(got)+1 {
			t.Fatalf("%d rows, encoding/csv has %d with the first", len(got), len(rows))
		}
		for i, row := range rows[1:] {
			want := lab.Request{Key: "default", Cost: 1}
			for c, name := range rows[0] {
				if row[c] != "" {
					setField(t, &want, name, row[c])
				}
			}
			if got[i] != want {
				t.Fatalf("row %d: got %+v, want %+v", i, got[i], want)
			}
		}
	})
}

func FuzzJSONL(f *testing.F) {
	for _, seed := range []string{`{"at_ms":0}`, `{"at_ms":-1.5,"key":"\u00e9\ud83d\ude00","cost":7,"service_ms":0.000001}` + "\n\n{}", `{"key":null,"at_ms":1}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readJSONL(text)
		if err != nil {
			checkPlace(t, err)
			return
		}
		d := json.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
		d.UseNumber()
		for i := range got {
			var row map[string]any
			if err := d.Decode(&row); err != nil {
				t.Fatalf("row %d: encoding/json: %v", i, err)
			}
			want := lab.Request{Key: "default", Cost: 1}
			for name, v := range row {
				if v != nil && v != "" {
					setField(t, &want, name, fmt.Sprint(v))
				}
			}
			if got[i] != want {
				t.Fatalf("row %d: got %+v, want %+v", i, got[i], want)
			}
		}
		if d.More() {
			t.Fatalf("encoding/json has more than %d rows", len(got))
		}
	})
}

func checkPlace(t *testing.T, err error) {
	t.Helper()
	var trace *lab.FileError
	if !errors.As(err, &trace) || trace.Line < 1 || trace.Column < 1 || trace.Message == "" {
		t.Fatalf("no place: %v", err)
	}
}

// setField reads a field the plain way.
func setField(t *testing.T, r *lab.Request, name, text string) {
	t.Helper()
	var d time.Duration
	var err error
	switch name {
	case "at_ms":
		d, err = lab.ParseMillis(text)
		r.At = lab.Time(d)
	case "key":
		r.Key = text
	case "cost":
		r.Cost, err = strconv.ParseInt(text, 10, 64)
	case "service_ms":
		r.Service, err = lab.ParseMillis(text)
	default:
		t.Fatalf("field %q was accepted", name)
	}
	if err != nil {
		t.Fatalf("%s %q was accepted: %v", name, text, err)
	}
}

func BenchmarkReaders(b *testing.B) {
	var asCSV, asJSONL, quoted strings.Builder
	asCSV.WriteString("at_ms,key,cost,service_ms\n")
	quoted.WriteString("at_ms,key,cost,service_ms\n")
	const rows = 100_000
	for i := range rows {
		at, key := lab.Time(1_796_077_000_000_000_000+int64(i)*1_234_567).Millis(), fmt.Sprintf("user-%d", i*7919%997)
		fmt.Fprintf(&asCSV, "%s,%s,%d,%d\n", at, key, 1+i%3, i%200)
		fmt.Fprintf(&quoted, "%s,\"%s\",%d,%d\n", at, key, 1+i%3, i%200)
		fmt.Fprintf(&asJSONL, "{\"at_ms\":%s,\"key\":%q,\"cost\":%d,\"service_ms\":%d}\n", at, key, 1+i%3, i%200)
	}
	for _, bench := range []struct {
		name string
		text string
		open func(string, io.Reader) traffic.TraceReader
	}{
		{"csv", asCSV.String(), func(n string, r io.Reader) traffic.TraceReader { return traffic.NewCSV(n, r) }},
		{"csv-quoted", quoted.String(), func(n string, r io.Reader) traffic.TraceReader { return traffic.NewCSV(n, r) }},
		{"jsonl", asJSONL.String(), func(n string, r io.Reader) traffic.TraceReader { return traffic.NewJSONL(n, r) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			var r traffic.TraceReader
			for i := range b.N {
				if i%rows == 0 {
					r = bench.open("t", strings.NewReader(bench.text))
				}
				if _, err := r.Read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
