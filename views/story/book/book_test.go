package book

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/burstlab/burstlab/static"
	"github.com/burstlab/burstlab/views/story"
)

func get(h http.Handler, address string) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", address, nil))
	return w.Code, w.Body.String()
}

func TestEveryStoryIsServedInEveryTheme(t *testing.T) {
	h, err := New()
	if err != nil {
		t.Fatal(err)
	}
	_, index := get(h, "/")
	for _, s := range story.All() {
		if !strings.Contains(index, `href="/story/`+s.Name+`"`) {
			t.Errorf("the index has no link to %s", s.Name)
		}
		for _, theme := range append([]string{""}, Themes...) {
			address, want := "/story/"+s.Name, `<html lang="en" data-story>`
			if theme != "" {
				address, want = address+"?theme="+theme, `<html lang="en" data-story data-theme="`+theme+`">`
			}
			status, body := get(h, address)
			if status != http.StatusOK || !strings.Contains(body, want) || strings.Count(body, "<html") != 1 || !strings.Contains(body, `id="mark-allow"`) {
				t.Errorf("%s: %d, %.120s; expected a whole document with %s and the signs", address, status, body, want)
			}
		}
	}
}

func TestWhatIsNotThereSaysSo(t *testing.T) {
	h, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]int{
		"/story/none": http.StatusNotFound, "/story/fresh?theme=pink": http.StatusBadRequest,
		"/r/mango-42": http.StatusNotFound, story.Static + "/js/none.js": http.StatusNotFound,
	} {
		if status, body := get(h, address); status != want || body == "" {
			t.Errorf("%s: %d %q; expected %d and a reason", address, status, body, want)
		}
	}
}

func TestTheRealFilesAreServed(t *testing.T) {
	h, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"css/lab.css", "js/main.js", "js/theme.js"} {
		want, err := static.Files.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		info, err := want.Stat()
		want.Close()
		if err != nil {
			t.Fatal(err)
		}
		if status, body := get(h, story.Static+"/"+name); status != http.StatusOK || int64(len(body)) != info.Size() {
			t.Errorf("%s: %d, %d bytes; expected %d", name, status, len(body), info.Size())
		}
	}
}
