package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/burstlab/burstlab/scenarios/lesson"
	"github.com/burstlab/burstlab/static"
	"github.com/burstlab/burstlab/views"
)

// lessons: GET /lessons lists them.
func (s *Server) lessons(c echo.Context) error {
	return render(c, http.StatusOK, views.LessonsPage(static.Prefix(), s.config.Lessons))
}

// lesson: GET /lessons/{name} is one of them. With ?a1=… its first prediction has
// that answer, and so on; several values are joined.
func (s *Server) lesson(c echo.Context) error {
	all := s.config.Lessons
	at := slices.IndexFunc(all, func(l *lesson.Lesson) bool { return l.Name == c.Param("name") })
	if at < 0 {
		return echo.ErrNotFound
	}
	page := views.Lesson{Static: static.Prefix(), Lesson: all[at]}
	if at > 0 {
		page.Before = all[at-1]
	}
	if at+1 < len(all) {
		page.After = all[at+1]
	}
	query := c.QueryParams()
	for _, p := range all[at].Predictions {
		var a views.Answer
		if given, ok := query[views.AnswerField(p)]; ok {
			var err error
			if a, err = views.AnswerTo(p, strings.TrimRight(strings.Join(given, ","), ",")); err != nil {
				return err
			}
		}
		page.Answers = append(page.Answers, a)
	}
	return render(c, http.StatusOK, views.LessonPage(page))
}

// scenarioRoom: POST /scenarios/{name}/room makes a room in which the scenario
// plays, and leads to it.
func (s *Server) scenarioRoom(c echo.Context) error {
	_, played := presets()
	commands, ok := played[c.Param("name")]
	if !ok {
		return echo.ErrNotFound
	}
	return s.playApart(c, commands)
}
