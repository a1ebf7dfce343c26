package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/burstlab/burstlab/web"
)

func TestASpanIsCounted(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.afterTwoBursts()
		part := s.get(room+"/span?from=500000&to=2000000", "Accept", "text/html-fragment")
		part.want(t, http.StatusOK, "text/html")
		for _, want := range []string{"00:00.500 to 00:02.000, 14\u00a0requests sent", `value="500ms"`, `value="2s"`} {
			part.contains(t, want)
		}
		if strings.Contains(part.body, "<html") {
			t.Error("the part is a whole page")
		}
		// The page, with times as a person writes them; its end does not belong to it.
		page := s.get(room+"/span?from=1s&to=3s", "Accept", "text/html")
		page.want(t, http.StatusOK, "text/html")
		page.contains(t, "14\u00a0requests sent")
		s.get(room+"/span?from=1s&to=3001ms").contains(t, "28\u00a0requests sent")
		for query, want := range map[string]string{
			"":                              "from: expected a lab time such as 1.2s",
			"from=0":                        "to: expected a lab time such as 1.2s",
			"from=5&to=5":                   "to: expected a lab time after from",
			"from=-1&to=5":                  "from: expected",
			"from=0&to=soon":                "to: expected",
			"from=0&to=9999999999999999999": "to: expected",
		} {
			a := s.get(room + "/span?" + query)
			a.want(t, http.StatusBadRequest, "application/problem+json")
			a.contains(t, want)
		}
	})
}
