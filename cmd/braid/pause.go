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

// pauses holds the sources that a file names, one a line with the reason after
// it, until it names them no more. It is looked at once a second. A file that
// is not there names none; one that cannot be read changes nothing.
func pauses(ctx context.Context, path string, sources []venue.Source, hold func(map[string]string), log *slog.Logger) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var last []byte
	for failed := false; ; {
		text, err := os.ReadFile(path)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			if !failed {
				log.Warn("the pause file cannot be read: what it said last holds", "err", err)
			}
		case !bytes.Equal(text, last):
			last = text
			hold(paused(string(text), sources, log))
		}
		failed = err != nil
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// paused reads lines such as "Kuru its vault is being moved". What follows #
// is passed over.
func paused(text string, sources []venue.Source, log *slog.Logger) map[string]string {
	list := map[string]string{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		id, why, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(line, "\t", " ")), " ")
		switch {
		case id == "":
		case !slices.ContainsFunc(sources, func(s venue.Source) bool { return s.ID == id }):
			log.Warn("the pause file names a source that is not routed", "source", id)
		default:
			if why = strings.TrimSpace(why); why == "" {
				why = "by the operator"
			}
			list[id] = why
		}
	}
	return list
}
