//go:build e2e

package e2e

import (
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// saved is the file that an entry of the Download menu gives.
func (p *labPage) saved(entry string) (name string, content []byte) {
	p.t.Helper()
	must(p.t, p.Locator(".download > summary").Click())
	download, err := p.ExpectDownload(func() error {
		return p.GetByRole(*playwright.AriaRoleButton, playwright.PageGetByRoleOptions{Name: entry}).Click()
	})
	must(p.t, err)
	path := got[string](p.t)(download.Path())
	content, err = os.ReadFile(path)
	must(p.t, err)
	return download.SuggestedFilename(), content
}

func TestTheTimeLineIsSavedAsAPicture(t *testing.T) {
	p := twoBursts(t, serve(t))
	p.command("stream 2000/s")
	p.command("step 2s")
	p.reads("fixed", "sent", "4,029")
	name, content := p.saved("Picture as PNG")
	image, err := png.Decode(strings.NewReader(string(content)))
	if err != nil || !strings.HasSuffix(name, ".png") || image.Bounds().Dx() < 1000 || image.Bounds().Dy() < 600 {
		t.Errorf("%s: %v", name, err)
	}
	name, content = p.saved("Picture as SVG")
	if !strings.HasSuffix(name, ".svg") || len(content) > 1<<20 {
		t.Errorf("%s has %d bytes", name, len(content))
	}
	var texts []string
	decoder := xml.NewDecoder(strings.NewReader(string(content)))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		if text, ok := token.(xml.CharData); ok {
			texts = append(texts, string(text))
		}
	}
	all := strings.Join(texts, "\n")
	for _, want := range append(titles, "lab time 00:06.000", "10 at once, then 1 per 100", "refused", "4 s") {
		if !strings.Contains(all, want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
	if strings.Contains(string(content), "NaN") || strings.Contains(string(content), "undefined") {
		t.Error("the picture has numbers that are none")
	}
}
