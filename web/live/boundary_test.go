package live_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A room knows neither HTTP nor pages: of this module, only the engine.
func TestARoomKnowsNeitherHTTPNorPages(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			engine := strings.HasPrefix(path, "github.com/burstlab/burstlab/lab")
			if strings.Contains(path, ".") && !engine || strings.HasPrefix(path, "net/") {
				t.Errorf("%s imports %s", file, path)
			}
		}
	}
}
