package lab_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
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
	"lab/labtest":             {"lab", "lab/limit", "lab/bench", "lab/traffic"},
}

// forbidden are packages that bring a clock, a network, files or goroutines
// with them.
var forbidden = []string{"net", "net/http", "os", "sync", "sync/atomic", "math/rand", "math/rand/v2", "crypto/rand", "context", "runtime", "log", "log/slog"}

// exceptions are forbidden packages that a folder may import all the same.
var exceptions = map[string]string{
	"lab/response": "net/http",     // for the names of header fields and statuses
	"lab/traffic":  "math/rand/v2", // for generators with a seed; seeded holds that
}

// seeded is what may be used of math/rand/v2: nothing that the runtime seeds.
var seeded = []string{"New", "NewPCG", "PCG", "Rand", "Source"}

// clockCalls are the functions of package time that read or wait for a clock.
var clockCalls = []string{"Now", "Since", "Until", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Sleep"}

// TestBoundary holds the first promise of the package: the engine knows no
// clock, network, file, goroutine or hidden randomness, and imports point one
// way.
func TestBoundary(t *testing.T) {
	checked := 0
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
			// The suite for tests may use what it needs.
			if folder != "lab/labtest" && slices.Contains(forbidden, name) && exceptions[folder] != name {
				t.Errorf("%s imports %s", path, name)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s starts a goroutine", fset.Position(n.Pos()))
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(clockCalls, n.Sel.Name) {
					t.Errorf("%s uses time.%s", fset.Position(n.Pos()), n.Sel.Name)
				} else if ok && x.Name == "rand" && !slices.Contains(seeded, n.Sel.Name) {
					t.Errorf("%s uses rand.%s, which has no seed", fset.Position(n.Pos()), n.Sel.Name)
				}
			case *ast.Ident:
				if (n.Name == "float64" || n.Name == "float32") && folder != "lab/traffic/pyrandom" {
					t.Errorf("%s uses %s", fset.Position(n.Pos()), n.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 20 {
		t.Errorf("only %d files were checked", checked)
	}
}
