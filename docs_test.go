package braid_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	docLink    = regexp.MustCompile(`\]\(([^):#]+)(?:#([a-z0-9-]+))?\)`)
	makeTarget = regexp.MustCompile(`\bmake ([a-z]+)\b`)
	codeSpan   = regexp.MustCompile("`[^`]+`|(?m:^    .*$)")
)

// TestDocsReferToWhatExists: every file, heading and make target that the docs refer
// to exists.
func TestDocsReferToWhatExists(t *testing.T) {
	makefile := read(t, "Makefile")
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(err, pages)
	}
	for _, page := range append(pages, "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md") {
		text := read(t, page)
		for _, link := range docLink.FindAllStringSubmatch(text, -1) {
			target := filepath.Join(filepath.Dir(page), link[1])
			if link[2] != "" && !strings.Contains(headings(read(t, target)), "#"+link[2]+"\n") {
				t.Errorf("%s: %s has no heading %s", page, target, link[2])
			} else if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
		for _, code := range codeSpan.FindAllString(text, -1) {
			for _, target := range makeTarget.FindAllStringSubmatch(code, -1) {
				if !strings.Contains(makefile, "\n"+target[1]+":") {
					t.Errorf("%s: there is no make %s", page, target[1])
				}
			}
		}
	}
}

// headings are the anchors of a page's headings, one on each line.
func headings(page string) string {
	var b strings.Builder
	for _, line := range strings.Split(page, "\n") {
		if words := strings.TrimLeft(line, "#"); words != line {
			words = strings.ToLower(strings.TrimSpace(words))
			b.WriteString("#" + regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(words, "") + "\n")
		}
	}
	return strings.ReplaceAll(b.String(), " ", "-")
}

// TestVenuesAreListed: the table of docs/venues.md is that of monad/sources.json.
func TestVenuesAreListed(t *testing.T) {
	var rows []struct {
		ID, Type, Unproved string
	}
	if err := json.Unmarshal([]byte(read(t, "monad/sources.json")), &rows); err != nil {
		t.Fatal(err)
	}
	want := "| source | kind | what trials may contradict |\n|---|---|---|\n"
	for _, row := range rows {
		want += "| `" + row.ID + "` | " + row.Type + " | " + row.Unproved + " |\n"
	}
	if !strings.Contains(read(t, "docs/venues.md"), "\n"+want+"\n") {
		t.Errorf("docs/venues.md does not hold this table:\n%s", want)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
