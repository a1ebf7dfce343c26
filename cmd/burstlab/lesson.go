package main

import (
	"fmt"
	"os"

	"github.com/burstlab/burstlab/scenarios/lesson"
	"github.com/burstlab/burstlab/views"
)

// lessonCommand is for those who write lessons.
type lessonCommand struct {
	Check checkLessons `cmd:"" help:"Read the lessons of a folder, measure every number that they say, and tell the first mistake with its place."`
}

type checkLessons struct {
	Folder string `arg:"" type:"existingdir" help:"A folder with order.yaml, which lists the lessons, and a Markdown file for each."`
}

// Run is the command. It fails at the first mistake.
func (c *checkLessons) Run(e *environment) error {
	list, err := lesson.Load(os.DirFS(c.Folder))
	if err != nil {
		return inputError{err}
	}
	predictions := 0
	for _, l := range list {
		predictions += len(l.Predictions)
	}
	_, err = fmt.Fprintf(e.stdout, "%s, %s: every number is as measured\n", views.Plural(int64(len(list)), "lesson", "lessons"), views.Plural(int64(predictions), "prediction", "predictions"))
	return err
}

// ownLessons are those of the program and, after them, those of a folder; "" is
// none.
func ownLessons(folder string) ([]*lesson.Lesson, error) {
	all := lesson.All()
	if folder == "" {
		return all, nil
	}
	more, err := lesson.Load(os.DirFS(folder))
	if err != nil {
		return nil, inputError{fmt.Errorf("--lessons: %w", err)}
	}
	for _, l := range more {
		if _, taken := lesson.ByName(l.Name); taken {
			return nil, inputError{fmt.Errorf("--lessons: %s.md: there is a lesson of that name; rename the file", l.Name)}
		}
	}
	return append(all, more...), nil
}
