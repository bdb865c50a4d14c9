package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"braid/monad"
)

// TestSourcesFile: a file adds a source or replaces one; what is wrong with it is said
// in one line, as a mistake of the command line.
func TestSourcesFile(t *testing.T) {
	const fork = `"type": "V2", "family": "univ2", "feeBps": 20, "factory": "0x00000000000000000000000000000000000000f1"`
	built := len(monad.Sources())
	for file, want := range map[string]string{
		`[{"id": "Fork", ` + fork + `}]`:                                                                                           "",
		`[{"id": "Kansei", ` + fork + `}]`:                                                                                         "",
		`[{"id": "Fork", ` + fork + `}, {"id": "Fork", ` + fork + `}]`:                                                             "source Fork is there twice",
		`[{"id": "Fork", "type": "V2", "family": "univ2", "feeBps": 20}]`:                                                          "source Fork has no factory",
		`[{"id": "Fork", ` + strings.Replace(fork, "univ2", "uni", 1) + `}]`:                                                       `there is no family "uni"`,
		`[{"id": "Fork", ` + strings.Replace(fork, "20", "0", 1) + `}]`:                                                            "feeBps",
		`[{"id": "Fork", "type": "V2", "family": "univ2", "feeBps": 20, "factory": "0x182a927119d56008d921126764bf884221b10f59"}]`: "UniswapV2 and Fork have the same factory",
		`[{` + fork + `}]`: "no id",
		`{}`:               "want a JSON list",
	} {
		path := filepath.Join(t.TempDir(), "sources.json")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		rows, err := sourceRows(path)
		if want == "" {
			n := built
			if strings.Contains(file, `"Fork"`) {
				n++
			}
			if err != nil || len(rows) != n {
				t.Errorf("%s: %d rows, want %d: %v", file, len(rows), n, err)
			}
			continue
		}
		if err == nil || exitCode(err) != 2 || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
	}
}
