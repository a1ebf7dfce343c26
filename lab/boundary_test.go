package lab_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/burstlab/burstlab/"

// layers says what each folder of the engine may import of the module. A folder
// that is not named may import nothing of it.
var layers = map[string][]string{
	"lab":                     {},
	"lab/limit":               {"lab"},
	"lab/response":            {"lab"},
	"lab/policyfile":          {"lab"},
	"lab/traffic":             {"lab"},
	"lab/traffic/pyrandom":    {},
	"lab/traffic/lessontrace": {"lab", "lab/traffic", "lab/traffic/pyrandom"},
	"lab/bench":               {"lab", "lab/limit"},
	"lab/session":             {"lab", "lab/limit", "lab/traffic", "lab/bench", "lab/policyfile"},
	"lab/link":                {"lab", "lab/session", "lab/policyfile"},
	"lab/labtest":             {"lab", "lab/limit", "lab/bench", "lab/traffic"},
}

// forbidden are packages that bring a clock, a network, files, goroutines, a hidden
// seed or floating-point numbers with them.
var forbidden = []string{
	"net", "net/http", "os", "sync", "sync/atomic", "context", "runtime", "log", "log/slog",
	"math/rand", "math/rand/v2", "crypto/rand", "hash/maphash", "math/cmplx",
}

// exceptions are what a folder may use all the same, and why.
var exceptions = map[string]map[string]string{
	"lab/response": {"net/http": "the names of header fields and statuses"},
	"lab/traffic":  {"math/rand/v2": "generators with a seed; seeded holds that"},
	"lab/limit": {"hash/maphash": "the key table's hash, seeded anew in every process so that nobody can choose keys " +
		"that collide; it only speeds a lookup: keys are numbered as they come and told apart by their bytes"},
	"lab/traffic/pyrandom":    {"float64": "Python's random() is one, exact, and to be repeated to the bit"},
	"lab/traffic/lessontrace": {"0.6": "a lesson's traffic compares Python's random() with it"},
}

// seeded is what may be used of math/rand/v2: nothing that the runtime seeds.
var seeded = []string{"New", "NewPCG", "PCG", "Rand", "Source"}

// clockCalls are the functions of package time that read or wait for a clock.
var clockCalls = []string{"Now", "Since", "Until", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Sleep"}

// floats are the types that hold a floating-point number, and floatCalls what
// returns or reads one: a duration's methods, and all of strconv and math/big.
var (
	floats     = []string{"float32", "float64", "complex64", "complex128"}
	floatCalls = regexp.MustCompile(`^(Seconds|Minutes|Hours)$|Float(32|64)?$`)
)

// whole are the names in package math that are whole numbers.
var whole = regexp.MustCompile(`^(MaxU?|Min)[Ii]nt(8|16|32|64)?$`)

// TestBoundary holds the first promise of the package: the engine knows no clock,
// network, file, goroutine or hidden randomness, no floating-point number takes
// part, and imports point one way.
func TestBoundary(t *testing.T) {
	checked, used := 0, map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Join("lab", filepath.Dir(path)))
		allowed, known := layers[folder]
		if !known {
			t.Errorf("%s: the folder is not in this test's list of layers", path)
		}
		checked++
		for _, spec := range file.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if ours, ok := strings.CutPrefix(name, module); ok && !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s; %s may import %v", path, ours, folder, allowed)
			}
		}
		for _, b := range breaches(file) {
			if _, excused := exceptions[folder][b.what]; excused {
				used[folder+" "+b.what] = true
			} else {
				t.Errorf("%s uses %s", fset.Position(b.at), b.what)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 20 {
		t.Errorf("only %d files were checked", checked)
	}
	for folder, all := range exceptions {
		for what := range all {
			if !used[folder+" "+what] {
				t.Errorf("%s does not use %s any more; it needs no exception", folder, what)
			}
		}
	}
}

// breach is a use of something that the engine may not use.
type breach struct {
	at   token.Pos
	what string
}

func breaches(file *ast.File) (all []breach) {
	found := func(at ast.Node, what string) { all = append(all, breach{at.Pos(), what}) }
	for _, spec := range file.Imports {
		if name, _ := strconv.Unquote(spec.Path.Value); slices.Contains(forbidden, name) {
			found(spec, name)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found(n, "a goroutine")
		case *ast.BasicLit:
			if n.Kind == token.FLOAT || n.Kind == token.IMAG {
				found(n, n.Value)
			}
		case *ast.Ident:
			if slices.Contains(floats, n.Name) {
				found(n, n.Name)
			}
		case *ast.SelectorExpr:
			of, name := "", n.Sel.Name
			if x, ok := n.X.(*ast.Ident); ok {
				of = x.Name
			}
			switch {
			case of == "time" && slices.Contains(clockCalls, name),
				of == "rand" && !slices.Contains(seeded, name),
				of == "math" && !whole.MatchString(name):
				found(n, of+"."+name)
			case floatCalls.MatchString(name):
				found(n, name)
			}
		}
		return true
	})
	return all
}

// TestBreaches: what the boundary forbids is found.
func TestBreaches(t *testing.T) {
	for code, want := range map[string]string{
		`import "os"`:                                "os",
		`import "hash/maphash"`:                      "hash/maphash",
		`func f() { go f() }`:                        "a goroutine",
		`var x = time.Now()`:                         "time.Now",
		`var x = rand.IntN(3)`:                       "rand.IntN",
		`var x = half * 0.5`:                         "0.5",
		`var x = 1e3`:                                "1e3",
		`var x float32`:                              "float32",
		`var x = d.Seconds()`:                        "Seconds",
		`var x = math.Sqrt(y)`:                       "math.Sqrt",
		`var x, _ = strconv.ParseFloat(y, bits)`:     "ParseFloat",
		`var x = new(big.Float)`:                     "Float",
		`var x = math.MaxInt64 - math.MinInt64 + 17`: "",
		`var x = time.Second * 3`:                    "",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+code, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, b := range breaches(file) {
			got += b.what
		}
		if got != want {
			t.Errorf("%s: found %q, want %q", code, got, want)
		}
	}
}
