package main

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestRefusals: what cannot be done is said in one line that tells what to do.
func TestRefusals(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	used := taken.Addr().String()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":"0x1"}`))
	}))
	defer other.Close()
	closed := httptest.NewServer(nil)
	closed.Close()

	for _, row := range []struct {
		name  string
		args  []string
		words []string
	}{
		{"unknown command", []string{"fly"}, []string{"unknown command", "braid help"}},
		{"argument", []string{"dev", "now"}, []string{"takes flags only", "-h"}},
		{"no node", []string{"serve"}, []string{"--rpc", "BRAID_RPC"}},
		{"no impact allowed", []string{"dev", "--max-impact", "0"}, []string{"--max-impact", "1 and 10000"}},
		{"always old", []string{"dev", "--stale-after", "0s"}, []string{"--stale-after"}},
		{"negative rate", []string{"dev", "--rate", "-1"}, []string{"--rate"}},
		{"no steps", []string{"dev", "--max-steps", "0"}, []string{"--max-steps", "1 and 100"}},
		{"hops nowhere", []string{"dev", "--hops", "none"}, []string{"--hops", "verified", "all"}},
		{"no streams", []string{"dev", "--max-streams", "-1"}, []string{"--max-streams"}},
		{"contact nowhere", []string{"dev", "--contact", "root@localhost"}, []string{"--contact", "mailto:"}},
		{"contact of two lines", []string{"dev", "--contact", "mailto:a@b.c\nExpires: never"}, []string{"--contact", "mailto:"}},
		{"used port", []string{"dev", "--addr", used}, []string{used, "in use", "BRAID_ADDR"}},
		{"used chain port", []string{"dev", "--addr", "127.0.0.1:0", "--rpc-addr", used, "--artifacts", "../../build/artifacts"}, []string{used, "in use", "BRAID_RPC_ADDR"}},
		{"bad address", []string{"serve", "--rpc", "http://127.0.0.1:1", "--addr", "nowhere"}, []string{"cannot listen", "--addr"}},
		{"wrong artifacts", []string{"dev", "--addr", "127.0.0.1:0", "--rpc-addr", "127.0.0.1:0", "--artifacts", t.TempDir()}, []string{"make artifacts"}},
		{"no node there", []string{"serve", "--addr", "127.0.0.1:0", "--rpc", closed.URL + "/secret-key"}, []string{strings.TrimPrefix(closed.URL, "http://")}},
		{"another chain", []string{"serve", "--addr", "127.0.0.1:0", "--rpc", other.URL}, []string{"143"}},
	} {
		var out, log bytes.Buffer
		err := run(context.Background(), row.args, func(string) string { return "" }, &out, &log)
		if err == nil {
			t.Errorf("%s: no refusal", row.name)
			continue
		}
		line := err.Error()
		if strings.Contains(line, "\n") || strings.Contains(line+log.String(), "secret-key") {
			t.Errorf("%s: says %q", row.name, line)
		}
		for _, word := range row.words {
			if !strings.Contains(line, word) {
				t.Errorf("%s: %q does not say %q", row.name, line, word)
			}
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"help"}, {"version"}, {"dev", "-h"}, {"serve", "-h"}} {
		var out, log bytes.Buffer
		if err := run(context.Background(), args, func(string) string { return "" }, &out, &log); err != nil || out.Len()+log.Len() == 0 {
			t.Errorf("%v: %v, %q", args, err, out.String())
		}
	}
}
