package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRefusals: what cannot be done is reported in one line that says what to do.
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
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var ask struct {
			ID     json.RawMessage
			Method string
		}
		json.NewDecoder(r.Body).Decode(&ask)
		answers := map[string]string{"eth_chainId": `"0x8f"`, "web3_clientVersion": `"Monad/1"`, "eth_getCode": `"0x"`}
		w.Header().Set("Content-Type", "application/json")
		if answer, ok := answers[ask.Method]; ok {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, ask.ID, answer)
		} else {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, ask.ID)
		}
	}))
	defer bare.Close()
	closed := httptest.NewServer(nil)
	closed.Close()

	file := func(text string) string {
		f, err := os.CreateTemp(t.TempDir(), "settings")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		f.WriteString(text)
		return f.Name()
	}
	for _, row := range []struct {
		name  string
		args  []string
		words []string
	}{
		{"unknown command", []string{"fly"}, []string{"unknown command", "braid help"}},
		{"argument", []string{"dev", "now"}, []string{"takes flags only", "-h"}},
		{"replica of nothing", []string{"replica"}, []string{"--feed", "BRAID_FEED"}},
		{"replica without a key", []string{"replica", "--feed", "nats://127.0.0.1:1"}, []string{"--feed-key", "keygen"}},
		{"half a key", []string{"replica", "--feed", "nats://127.0.0.1:1", "--feed-key", "a=00"}, []string{"64 hexadecimal digits", "keygen"}},
		{"key without a name", []string{"replica", "--feed", "nats://127.0.0.1:1", "--feed-key", "A.b=00"}, []string{"name of an indexer"}},
		{"broker of another kind", []string{"replica", "--feed", "http://127.0.0.1:1", "--feed-key", "a=" + strings.Repeat("00", 32)}, []string{"--feed", "nats://"}},
		{"key nowhere", []string{"keygen"}, []string{"--out"}},
		{"no node", []string{"serve"}, []string{"--rpc", "BRAID_RPC"}},
		{"no impact allowed", []string{"dev", "--max-impact", "0"}, []string{"--max-impact", "1 and 10000"}},
		{"always old", []string{"dev", "--stale-after", "0s"}, []string{"--stale-after"}},
		{"stuck before it began", []string{"serve", "--rpc", "http://127.0.0.1:1", "--stuck-after", "-1s"}, []string{"--stuck-after"}},
		{"negative rate", []string{"dev", "--rate", "-1"}, []string{"--rate"}},
		{"rate of nothing", []string{"dev", "--rate", "NaN"}, []string{"--rate"}},
		{"no steps", []string{"dev", "--max-steps", "0"}, []string{"--max-steps", "1 and 100"}},
		{"hops nowhere", []string{"dev", "--hops", "none"}, []string{"--hops", "verified", "all"}},
		{"no streams", []string{"dev", "--max-streams", "-1"}, []string{"--max-streams"}},
		{"contact nowhere", []string{"dev", "--contact", "root@localhost"}, []string{"--contact", "mailto:"}},
		{"contact of two lines", []string{"dev", "--contact", "mailto:a@b.c\nExpires: never"}, []string{"--contact", "mailto:"}},
		{"public URL without a scheme", []string{"dev", "--public-url", "swap.example.org"}, []string{"--public-url", "https://"}},
		{"public URL of another kind", []string{"dev", "--public-url", "ftp://swap.example.org"}, []string{"--public-url", "http"}},
		{"public URL without a host", []string{"dev", "--public-url", "https:///braid"}, []string{"--public-url"}},
		{"public URL with a query", []string{"dev", "--public-url", "https://swap.example.org/?a=b"}, []string{"--public-url", "query"}},
		{"public URL with a fragment", []string{"dev", "--public-url", "https://swap.example.org/#top"}, []string{"--public-url", "fragment"}},
		{"public URL with a password", []string{"dev", "--public-url", "https://a:b@swap.example.org"}, []string{"--public-url"}},
		{"used port", []string{"dev", "--addr", used}, []string{used, "in use", "BRAID_ADDR"}},
		{"used chain port", []string{"dev", "--addr", "127.0.0.1:0", "--rpc-addr", used, "--artifacts", "../../build/artifacts"}, []string{used, "in use", "BRAID_RPC_ADDR"}},
		{"bad address", []string{"serve", "--rpc", "http://127.0.0.1:1", "--addr", "nowhere"}, []string{"cannot listen", "--addr"}},
		{"wrong artifacts", []string{"dev", "--addr", "127.0.0.1:0", "--rpc-addr", "127.0.0.1:0", "--artifacts", t.TempDir()}, []string{"make artifacts"}},
		{"no node there", []string{"serve", "--addr", "127.0.0.1:0", "--rpc", closed.URL + "/secret-key"}, []string{strings.TrimPrefix(closed.URL, "http://")}},
		{"unknown chain", []string{"serve", "--rpc", "http://127.0.0.1:1", "--chain", "ether"}, []string{"--chain", "monad"}},
		{"no settings", []string{"serve", "--config", "nowhere.json"}, []string{"nowhere.json", "no such file"}},
		{"unknown setting", []string{"serve", "--config", file(`{"speed": 1}`)}, []string{"speed", "not a setting"}},
		{"bad setting", []string{"serve", "--config", file(`{"rate": "fast"}`)}, []string{"rate", "parse"}},
		{"settings and more", []string{"serve", "--config", file(`{"rate": 1} {"rate": 2}`)}, []string{"one JSON object"}},
		{"no object", []string{"serve", "--config", file(`null`)}, []string{"one JSON object"}},
		{"deploy nowhere", []string{"deploy", "--rpc", closed.URL + "/secret-key"}, []string{"node: ", "refused"}},
		{"nested setting", []string{"serve", "--config", file(`{"rpc": {"url": "x"}}`)}, []string{"rpc", "want a string"}},
		{"bare chain", []string{"serve", "--addr", "127.0.0.1:0", "--rpc", bare.URL}, []string{"no contract", "--off"}},
		{"no such source", []string{"serve", "--addr", "127.0.0.1:0", "--rpc", bare.URL, "--off", "Nobody"}, []string{"--off", "Nobody"}},
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

// TestHelp: every command explains itself with an example, on the standard
// output, and that is no failure.
func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"help"}, {"-h"}, {"version"}, {"--version"}, {"help", "quote"}} {
		if out, err := braid(args...); err != nil || out == "" {
			t.Errorf("%v: %v, %q", args, err, out)
		}
	}
	for _, c := range commands {
		var out, log bytes.Buffer
		err := run(context.Background(), []string{c.name, "-h"}, func(string) string { return "" }, &out, &log)
		text := out.String()
		if err != nil || log.Len() > 0 || !strings.Contains(text, "For example: braid "+c.name) || !strings.Contains(text, "\n  --") || !strings.Contains(text, "Exit codes") {
			t.Errorf("%s: %v, %q, %q", c.name, err, text, log.String())
		}
	}
}

// TestExitCodes: 0 is done, 1 failed, 2 a wrong command line or setting.
func TestExitCodes(t *testing.T) {
	for code, lines := range map[int][]string{
		0: {"help", "dev -h", "bench -help"},
		1: {"verify nowhere.json", "bench --market nowhere.json --trades x --out y"},
		2: {"fly", "qoute", "dev now", "serve", "dev --fly", "dev --rate fast", "dev --max-steps 0", "quote MON", "bench", "deploy", "verify a b", "verify --request http://x/quote?a=b", "dev --addr https://x:1"},
	} {
		for _, line := range lines {
			if out, err := braid(strings.Fields(line)...); exitCode(err) != code {
				t.Errorf("%s: code %d, not %d: %v: %s", line, exitCode(err), code, err, out)
			}
		}
	}
}

// TestSettings: flags take precedence over the environment, and that over the
// file; the log holds no API key.
func TestSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "braid.json")
	text := `{"addr": "file:1", "rate": 7, "max-impact": 100, "rpc": ["https://a.example/v2/KEY", "wss://b.example?k=KEY"], "off": ["Hanji"]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"BRAID_ADDR": "env:1", "BRAID_RATE": "8", "BRAID_CONFIG": path}
	var s service
	f := flags("serve", io.Discard)
	s.flags(f)
	f.Var(&s.rpc, "rpc", "")
	f.Var(&s.off, "off", "")
	if err := parseSettings(f, []string{"--rate", "9"}, func(name string) string { return env[name] }); err != nil {
		t.Fatal(err)
	}
	if s.rate != 9 || s.addr != "env:1" || s.maxImpactBps != 100 || len(s.rpc.list) != 2 || len(s.off) != 1 {
		t.Errorf("%+v", s)
	}
	var log bytes.Buffer
	logSettings(f, slog.New(slog.NewTextHandler(&log, nil)))
	if line := log.String(); strings.Contains(line, "KEY") || !strings.Contains(line, "https://a.example,wss://b.example") {
		t.Error(line)
	}
}

// TestVerifyNames: an answer with a name twice, which a wallet may read otherwise
// than braid does, is refused.
func TestVerifyNames(t *testing.T) {
	for _, text := range []string{
		`{"tx":{"to":"0x01"},"Tx":{}}`, `{"tx":{},"tx":{}}`, `{"tx":{"data":"0x","DATA":"0x"}}`, `{"routes":[{"pool":"","route\u017f":1}],"ROUTE\u017f":[]}`, `{"to\u212aenIn":"","tokenIn":""}`,
	} {
		err := verify(t.Context(), nil, strings.NewReader(text), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "twice") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{``, `{"tx":{}`, `{"tx":{}}{}`, `{"tx"}`, `{1:2}`, `]`} {
		if err := verify(t.Context(), nil, strings.NewReader(text), io.Discard, io.Discard); err == nil || !strings.HasPrefix(err.Error(), "the answer: ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
