package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"braid/venue"
)

// watchPauseFile reads a file once a second until ctx ends, and calls pause with
// the sources that it names, by ID with the reason, whenever it has changed. A
// file that does not exist names none; one that cannot be read changes nothing.
func watchPauseFile(ctx context.Context, path string, sources []venue.Source, pause func(map[string]string), log *slog.Logger) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var last []byte
	for failed := false; ; {
		text, err := os.ReadFile(path)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			if !failed {
				log.Warn("pause file cannot be read: its last content stays in force", "err", err)
			}
		case !bytes.Equal(text, last):
			last = text
			pause(parsePauseFile(string(text), sources, log))
		}
		failed = err != nil
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// parsePauseFile gives reasons by source ID. A line is an ID and a reason, such as
// "Kuru its vault is being moved"; what follows # is a comment.
func parsePauseFile(text string, sources []venue.Source, log *slog.Logger) map[string]string {
	list := map[string]string{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		id, why, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(line, "\t", " ")), " ")
		switch {
		case id == "":
		case !slices.ContainsFunc(sources, func(s venue.Source) bool { return s.ID == id }):
			log.Warn("pause file names a source that is not followed", "source", id)
		default:
			if why = strings.TrimSpace(why); why == "" {
				why = "by the operator"
			}
			list[id] = why
		}
	}
	return list
}
