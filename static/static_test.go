package static

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func TestHashFollowsEveryFile(t *testing.T) {
	files := fstest.MapFS{"js/a.js": {Data: []byte("1")}, "css/b.css": {Data: []byte("2")}}
	seen := map[string]bool{hashOf(files): true}
	files["js/a.js"].Data = []byte("2")
	seen[hashOf(files)] = true
	files["js/c.js"] = files["js/a.js"]
	delete(files, "js/a.js")
	seen[hashOf(files)] = true
	if len(seen) != 3 {
		t.Errorf("%d different hashes of three different sets of files", len(seen))
	}
	if Hash != hashOf(Files) || !strings.HasSuffix(Prefix(), "/"+Hash) {
		t.Errorf("Hash is %s and Prefix %s; expected the hash of the embedded files", Hash, Prefix())
	}
}

var imports = regexp.MustCompile(`(?m)(?:^import .* from |await import\()"([^"]+)"`)

// Modules find each other below one address, and nothing is fetched from
// elsewhere.
func TestModulesImportOnlyEachOther(t *testing.T) {
	found := 0
	err := fs.WalkDir(Files, "js", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		code, err := fs.ReadFile(Files, name)
		for _, m := range imports.FindAllStringSubmatch(string(code), -1) {
			found++
			if _, err := fs.Stat(Files, path.Join(path.Dir(name), m[1])); err != nil || !strings.HasPrefix(m[1], "./") {
				t.Errorf("%s imports %q, which is not here", name, m[1])
			}
		}
		return err
	})
	if err != nil || found == 0 {
		t.Errorf("%d imports found, %v", found, err)
	}
}
