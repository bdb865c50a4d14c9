package main

import (
	"bytes"
	"maps"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	commandRow  = regexp.MustCompile("(?m)^\\| `braid ([a-z]+)[^`]*` \\|")
	commandLine = regexp.MustCompile(`(?m)^  braid ([a-z]+) `)
	flagRow     = regexp.MustCompile("(?m)^\\| `--([a-z-]+)` \\| (both|dev|serve) \\| ?([^|]*?) ?\\|")
	flagLine    = regexp.MustCompile(`(?m)^  --?([a-z][a-z-]*)`)
	flagDefault = regexp.MustCompile(`\(default "?([^")]*)"?\)`)
)

// TestCommandsAreDescribed: docs/commands.md lists the commands that there are,
// each of which explains itself.
func TestCommandsAreDescribed(t *testing.T) {
	var listed, known []string
	for _, row := range commandRow.FindAllStringSubmatch(commandsPage(t), -1) {
		listed = append(listed, row[1])
		if said(t, row[1], "-h") == "" {
			t.Errorf("braid %s -h says nothing", row[1])
		}
	}
	for _, line := range commandLine.FindAllStringSubmatch(said(t, "help"), -1) {
		known = append(known, line[1])
	}
	slices.Sort(listed)
	slices.Sort(known)
	if !slices.Equal(listed, known) {
		t.Errorf("docs/commands.md lists %v, braid help %v", listed, known)
	}
}

// TestFlagsAreDescribed: the table of docs/commands.md lists the flags of dev
// and serve, with their defaults.
func TestFlagsAreDescribed(t *testing.T) {
	rows := flagRow.FindAllStringSubmatch(commandsPage(t), -1)
	for _, command := range []string{"dev", "serve"} {
		listed := map[string]string{}
		for _, row := range rows {
			if row[2] == "both" || row[2] == command {
				listed[row[1]] = strings.ReplaceAll(row[3], "`", "")
			}
		}
		known := defaults(said(t, command, "-h"))
		for _, name := range slices.Sorted(maps.Keys(known)) {
			if standard, there := listed[name]; !there {
				t.Errorf("--%s of braid %s is not in docs/commands.md", name, command)
			} else if standard != known[name] && !(known[name] == "" && standard == "0") { // help leaves zeros out
				t.Errorf("--%s of braid %s: docs/commands.md says the default is %q, the help %q", name, command, standard, known[name])
			}
			delete(listed, name)
		}
		for name := range listed {
			t.Errorf("docs/commands.md: braid %s has no --%s", command, name)
		}
	}
}

// defaults reads a command's help: flags and their defaults.
func defaults(help string) map[string]string {
	known := map[string]string{}
	lines := flagLine.FindAllStringSubmatchIndex(help, -1)
	for i, at := range lines {
		end := len(help)
		if i+1 < len(lines) {
			end = lines[i+1][0]
		}
		known[help[at[2]:at[3]]] = ""
		if standard := flagDefault.FindStringSubmatch(help[at[0]:end]); standard != nil {
			known[help[at[2]:at[3]]] = standard[1]
		}
	}
	return known
}

func commandsPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func said(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), args, func(string) string { return "" }, &out, &out); err != nil {
		t.Errorf("braid %s: %v", strings.Join(args, " "), err)
	}
	return out.String()
}

// TestOrigin: what the docs print can be typed into a browser.
func TestOrigin(t *testing.T) {
	for want, addr := range map[string]net.TCPAddr{
		"http://127.0.0.1:8080": {IP: net.IPv4(127, 0, 0, 1), Port: 8080},
		"http://127.0.0.1:80":   {IP: net.IPv4zero, Port: 80},
		"http://127.0.0.1:81":   {IP: net.IPv6unspecified, Port: 81},
		"http://[::1]:82":       {IP: net.IPv6loopback, Port: 82},
	} {
		if got := origin(&addr); got != want {
			t.Errorf("%v: %s", addr, got)
		}
	}
}
