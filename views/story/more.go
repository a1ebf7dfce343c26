package story

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/a-h/templ"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/views"
)

// Static is where the stories expect scripts and styles.
const Static = "/static/story"

// more are states at the edges of what a page can show.
func more() []Story {
	var sixteen []lab.Policy
	for i := range 16 {
		p := seven[i%len(seven)]
		p.Name = fmt.Sprintf("%s-%d-of-a-partner", p.Name, i+1)
		sixteen = append(sixteen, p)
	}
	lone := room
	lone.Viewers = 0
	quiet := play(seven, 3*time.Second, given{0, "send 2/s 0s..3s service=200ms"})
	return []Story{
		{"sixteen", "As many policies as a room holds, with long names, and a dense stream", page(play(sixteen, 3*time.Second, given{0, "stream 900/s"}), nil)},
		{"first", "What a newcomer sees: quiet traffic on which all policies agree, and what to do next", page(quiet, nil)},
		{"without-script", "Nobody connected and no scenarios, as a program might fetch it", views.LabPage(views.Page{Room: lone, Whole: views.WholeOf(quiet)})},
		{"far", "A day later: large numbers of time and of requests", page(play(seven[:3], 27*time.Hour+123*time.Millisecond,
			given{0, "send 2000@0s every 10ms"}, given{27 * time.Hour, "send 30@0s cost=3"}), nil)},
		{"failure-long", "A failure with long words in it", failure(http.StatusBadRequest, errors.New("policy \"a-name-without-any-space-that-goes-on-and-on-and-on-and-on-and-on-until-it-is-cut\": limit 0 is out of range; expected 1 or more"))},
	}
}

func failure(status int, err error) templ.Component {
	return views.FailurePage(views.Failure{Static: static, Status: status, Title: "The policies cannot be used", Detail: err.Error()})
}
