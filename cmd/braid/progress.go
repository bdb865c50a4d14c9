package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"braid/indexer"
)

// progressBar shows the progress of a join in one line that is overwritten, if w
// is a terminal. Otherwise it is nil: the log has the progress too.
func progressBar(w io.Writer) func(indexer.Progress) {
	file, ok := w.(*os.File)
	if !ok {
		return nil
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return func(p indexer.Progress) { drawProgress(w, p) }
}

// drawProgress overwrites the line of the terminal.
func drawProgress(w io.Writer, p indexer.Progress) {
	const width = 30
	full, percent := width, 100.0
	if p.Of > 0 {
		full, percent = int(width*p.Done/p.Of), 100*float64(p.Done)/float64(p.Of)
	}
	left := ""
	if p.Left > 0 {
		left = fmt.Sprintf(", %v left", p.Left.Round(time.Second))
	}
	fmt.Fprintf(w, "\r\x1b[K%-14s [%s%s] %5.1f%% of %d%s", p.Stage, strings.Repeat("=", full), strings.Repeat(" ", width-full), percent, p.Of, left)
	if p.Done >= p.Of {
		fmt.Fprintln(w)
	}
}
