package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/burstlab/burstlab/web"
)

type shape struct {
	Start, End   int
	Kind         string
	At, To       int64
	Rate, Per, N int64
	Rest         string
}

func (s *site) notation(room, query, text string) (check struct {
	OK     bool
	Count  int64
	Shapes []shape
	Cells  []int64
	More   bool
}) {
	s.t.Helper()
	a := s.ask(http.MethodPost, room+"/notation"+query, text, "Content-Type", "text/plain")
	a.want(s.t, http.StatusOK, "application/json")
	if err := json.Unmarshal([]byte(a.body), &check); err != nil {
		s.t.Fatal(err)
	}
	return check
}

func TestANotationIsToldAsShapes(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		text := "14@1.5s every 2ms key=\"ü 🪣\"; # a note\n 8/s 1s..3s ;2@0s x3 every 1s; random 4/s 4s..6s seed=1; 1@1ns"
		got := s.notation(room, "?span=10000000&cells=10", text)
		units := utf16.Encode([]rune(text))
		var texts []string
		for i, shape := range got.Shapes {
			texts = append(texts, string(utf16.Decode(units[shape.Start:shape.End])))
			got.Shapes[i].Start, got.Shapes[i].End = 0, 0
		}
		if diff := cmp.Diff([]string{`14@1.5s every 2ms key="ü 🪣"`, "8/s 1s..3s", "2@0s x3 every 1s", "random 4/s 4s..6s seed=1", "1@1ns"}, texts); diff != "" {
			t.Errorf("the shapes stand elsewhere:\n%s", diff)
		}
		want := []shape{
			{Kind: "burst", At: 1_500_000, N: 14, Rest: ` every 2ms key="ü 🪣"`},
			{Kind: "steady", At: 1_000_000, To: 3_000_000, Rate: 8, Per: 1e9, N: 16},
			{Kind: "other", N: 6},
			{Kind: "other", At: 4_000_000, N: 8},
			{Kind: "other", N: 1},
		}
		if diff := cmp.Diff(want, got.Shapes); diff != "" || got.Count != 45 {
			t.Errorf("%d requests (-want +got):\n%s", got.Count, diff)
		}
		if fmt.Sprint(got.Cells[:4]) != "[3 2 2 0]" || got.Cells[4]+got.Cells[5] != 8 || got.More {
			t.Errorf("cells %v", got.Cells)
		}
		if many := s.notation(room, "?span=600000000&cells=1", "ramp 1/s..99999/s 0s..100s"); !many.More || many.Cells[0] != 200_000 {
			t.Errorf("cells %v, more %v", many.Cells, many.More)
		}
		if bare := s.notation(room, "", "ramp 1/s..9/s 0s..10s"); bare.Cells != nil || len(bare.Shapes) != 1 {
			t.Errorf("%+v", bare)
		}
		for query, want := range map[string]string{
			"?cells=0": "cells: expected", "?cells=201&span=1": "cells: expected", "?cells=x": "cells: expected",
			"?cells=1": "span: expected", "?cells=1&span=0": "span: expected", "?cells=1&span=600000001": "span: expected",
		} {
			a := s.ask(http.MethodPost, room+"/notation"+query, "14@0s")
			a.want(t, http.StatusBadRequest, "application/problem+json")
			a.contains(t, want)
		}
	})
}

// However many requests a notation has, and whenever they come, no more are
// looked at than a server can spare.
func TestTheCountOfANotationIsBounded(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		for _, text := range []string{"1@-1000s x1000000000000 every 1ns", "1@0s x1000000000000 every 1ns"} {
			if got := s.notation(room, "?span=1000000&cells=1", text); !got.OK || !got.More {
				t.Errorf("%s: %+v", text, got)
			}
		}
	})
}

func TestANotationIsToldInWords(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		for text, want := range map[string]string{
			"1@0s": "1 request at 0 ms", "14@2s": "14 requests at 2 s", "2000/s 0s..6s": "12,000 requests from 0 ms to 6 s",
		} {
			a := s.ask(http.MethodPost, room+"/notation", text)
			if got := strings.ReplaceAll(a.body, "\u00a0", " "); !strings.Contains(got, want) {
				t.Errorf("%s: %s, want %s", text, got, want)
			}
		}
	})
}
