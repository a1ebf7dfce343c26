// Package static holds the browser's code and styles, as they are served. Their
// address carries a hash of all of them, so they may be cached for good: when
// one changes, all of them have a new address, and what they import from each
// other moves along.
package static

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
)

//go:embed js/*.js css
var files embed.FS

// Files are the files by their names below the address: "js/main.js",
// "css/lab.css".
var Files fs.FS = files

// Hash names the content of all files together.
var Hash = hashOf(files)

// Prefix is where the files are served, without a slash at the end.
func Prefix() string { return "/static/" + Hash }

// hashOf hashes the names and contents of all files, in the order of the names.
func hashOf(files fs.FS) string {
	h := sha256.New()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		h.Write([]byte(name + "\x00"))
		h.Write(content)
		return err
	})
	if err != nil {
		panic("static: embedded files cannot be read: " + err.Error())
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
