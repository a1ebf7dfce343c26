// Package book serves the stories: an index, and each story at an address of its
// own, alone in its page, so that it can also stand in a frame.
package book

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"github.com/burstlab/burstlab/static"
	"github.com/burstlab/burstlab/views"
	"github.com/burstlab/burstlab/views/story"
)

// Themes are those that a story's address can ask for: ?theme=dark.
var Themes = []string{"light", "dark", "projector"}

// policy is the content policy of the product, but that pages of the storybook
// may stand in frames of its own.
const policy = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'self'"

// opening is how every document begins, up to where a story's marks go.
const opening = `<html lang="en"`

// shown is a rendered story.
type shown struct {
	Name, About string
	html        []byte
}

// group is a heading of the index and what stands under it.
type group struct {
	Title   string
	Stories []shown
}

var index = template.Must(template.New("index").Parse(`<main class="stories">
<h1>Storybook</h1>
<p class="muted">Every state of the pages, with made-up data and no lab behind it.</p>
{{range .Groups}}<section aria-label="{{.Title}}"><h2>{{.Title}}</h2><ul>
{{range .Stories}}{{$name := .Name}}<li><a href="/story/{{.Name}}">{{.Name}}</a>
<span>{{range $.Themes}}<a href="/story/{{$name}}?theme={{.}}" aria-label="{{$name}}, {{.}}">{{.}}</a>{{end}}</span>
<small>{{.About}}</small></li>
{{end}}</ul></section>{{end}}
</main>`))

// New renders all stories and returns their site. It fails when a story cannot
// be rendered.
func New() (http.Handler, error) {
	pages := map[string]shown{}
	groups := []group{{Title: "The lab"}, {Title: "The lab, with something wrong"}, {Title: "Parts of pages"}, {Title: "Other pages"}}
	for _, s := range story.All() {
		page, in, err := render(s)
		if err != nil {
			return nil, fmt.Errorf("story %s: %w", s.Name, err)
		}
		one := shown{s.Name, s.About, page}
		pages[s.Name] = one
		groups[in].Stories = append(groups[in].Stories, one)
	}
	var list bytes.Buffer
	front := views.BarePage("Storybook", story.Static, templ.FromGoHTML(index, map[string]any{"Groups": groups, "Themes": Themes}))
	if err := front.Render(context.Background(), &list); err != nil {
		return nil, err
	}

	mux := http.NewServeMux()
	mux.Handle("GET "+story.Static+"/", http.StripPrefix(story.Static, http.FileServerFS(static.Files)))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { send(w, list.Bytes()) })
	mux.HandleFunc("GET /story/{name}", func(w http.ResponseWriter, r *http.Request) {
		one, ok := pages[r.PathValue("name")]
		if !ok {
			http.Error(w, "There is no such story.", http.StatusNotFound)
			return
		}
		mark := " data-story"
		switch theme := r.URL.Query().Get("theme"); theme {
		case "":
		case "light", "dark", "projector":
			mark += ` data-theme="` + theme + `"`
		default:
			http.Error(w, "theme is "+template.HTMLEscapeString(theme)+"; expected light, dark or projector", http.StatusBadRequest)
			return
		}
		send(w, bytes.Replace(one.html, []byte(opening), []byte(opening+mark), 1))
	})
	// Forms and links of the stories lead nowhere; they say so.
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintln(w, `{"status":404,"title":"A story","detail":"This is a story of the page. There is no lab behind it."}`)
	})
	return mux, nil
}

// render renders a story as a whole document and says which of the index's
// groups it belongs to. What is only a part of a page gets a page around it.
func render(s story.Story) (page []byte, in int, err error) {
	var b bytes.Buffer
	if err := s.Component.Render(context.Background(), &b); err != nil {
		return nil, 0, err
	}
	whole := strings.HasPrefix(strings.ToLower(b.String()), "<!doctype")
	switch {
	case !whole:
		in = 2
		part := b.String()
		b.Reset()
		around := templ.Raw(`<main class="part"><h1 class="unseen">` + template.HTMLEscapeString(s.About) + `</h1><h2 class="unseen">Chosen request</h2>` + part + `</main>`)
		if err := views.BarePage(s.About, story.Static, around).Render(context.Background(), &b); err != nil {
			return nil, 0, err
		}
	case !bytes.Contains(b.Bytes(), []byte("data-lab")):
		in = 3
	case strings.HasSuffix(s.Name, "-refused"):
		in = 1
	}
	if !bytes.Contains(b.Bytes(), []byte(opening)) {
		return nil, 0, fmt.Errorf("its document does not begin with %s", opening)
	}
	return b.Bytes(), in, nil
}

func send(w http.ResponseWriter, page []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", policy)
	w.Write(page)
}
