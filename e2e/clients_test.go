package e2e_test

import (
	"encoding/json"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// TestGeneratedGo: the client that oapi-codegen generates from /openapi.json
// compiles, quotes and swaps, in a module of its own.
func TestGeneratedGo(t *testing.T) {
	dir := copyFolder(t, "testdata/go")
	document(t, filepath.Join(dir, "openapi.json"))
	runIn(t, dir, "go", "tool", "oapi-codegen", "-generate", "client,models", "-package", "braid", "-o", "braid/braid.go", "openapi.json")
	env.sendSwaps(t, runIn(t, dir, "go", "run", ".", root()), 1)
}

// TestGeneratedTypeScript does the same with the types of openapi-typescript
// and with the client of hey-api, under a strict compiler.
func TestGeneratedTypeScript(t *testing.T) {
	dir := copyFolder(t, "testdata/ts")
	if err := os.Symlink(bin(t, ".."), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	url := root() + "/openapi.json"
	runIn(t, dir, bin(t, "openapi-typescript"), url, "-o", "schema.d.ts")
	runIn(t, dir, bin(t, "openapi-ts"), "-i", url, "-o", "hey", "-c", "@hey-api/client-fetch")
	runIn(t, dir, bin(t, "tsc"), "-p", ".")
	env.sendSwaps(t, runIn(t, dir, bin(t, "tsx"), "swap.ts", root()), 2)
}

// TestDocumentLint: two linters accept the OpenAPI document without a warning, with
// a public URL in it and without. Warnings fail too: redocly by its strict rules,
// spectral by its option.
func TestDocumentLint(t *testing.T) {
	dir := t.TempDir()
	document(t, filepath.Join(dir, "openapi.json"))
	plain, err := os.ReadFile(filepath.Join(dir, "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	const here, public = `"url": "/"`, `"url": "https://swap.example.org/braid"`
	at := strings.Replace(string(plain), here, public, 1)
	if !strings.Contains(at, public) {
		t.Fatal("the document names another server")
	}
	if err := os.WriteFile(filepath.Join(dir, "public.json"), []byte(at), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := filepath.Abs("../api")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true")
	runIn(t, dir, bin(t, "redocly"), "lint", "--config", filepath.Join(config, "redocly.yaml"), "openapi.json", "public.json")
	runIn(t, dir, bin(t, "spectral"), "lint", "--ruleset", filepath.Join(config, "spectral.yaml"), "--fail-severity", "hint", "openapi.json", "public.json")
}

// root is the URL of the service without the path of the API.
func root() string { return strings.TrimSuffix(env.base, "/api/v1") }

// document writes the OpenAPI document of the service to a file.
func document(t *testing.T, file string) {
	t.Helper()
	body, _ := fetch(t, root()+"/openapi.json")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
}

// copyFolder copies a folder out of the repository, so that only its own go.mod or
// package.json applies.
func copyFolder(t *testing.T, from string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// bin is the path of a program of node_modules.
func bin(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../node_modules/.bin", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// runIn runs a command and returns what it prints.
func runIn(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	var log strings.Builder
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, &log
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s%s", filepath.Base(name), args, err, out, log.String())
	}
	return string(out)
}

// sendSwaps approves and sends the swaps that a client printed, one on each line,
// and compares what is received with the quotes. Only the first is exact: the
// others were quoted before it was sent, so only their minimum is checked.
func (w *environment) sendSwaps(t *testing.T, lines string, want int) {
	t.Helper()
	swaps := strings.Split(strings.TrimSpace(lines), "\n")
	if len(swaps) != want {
		t.Fatalf("%d swaps, want %d: %s", len(swaps), want, lines)
	}
	for i, line := range swaps {
		var s struct {
			answer
			Meta struct{ MinAmountOut string }
			Call struct{ Calls []any } `json:"calls"`
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		amount, _ := new(big.Int).SetString(s.AmountIn, 10)
		floor, _ := new(big.Int).SetString(s.Meta.MinAmountOut, 10)
		gas, _ := new(big.Int).SetString(s.Tx.EstimatedGas, 10)
		data := hexutil.MustDecode(s.Tx.Data)
		to, out := common.HexToAddress(s.Tx.To), common.HexToAddress(s.TokenOut)
		recipient := common.BytesToAddress(data[4+4*32 : 4+5*32]) // of swap(tokenIn, amountIn, tokenOut, minOut, recipient, …)
		w.approve(t, common.HexToAddress(s.TokenIn), to, amount)
		before := w.balance(t, out, recipient)
		if r := w.send(t, to, data, nil, gas.Uint64()); r.Status != 1 {
			t.Fatalf("swap %d reverts", i)
		}
		got := sub(w.balance(t, out, recipient), before)
		if i == 0 && got.Cmp(s.out()) != 0 || got.Cmp(floor) < 0 || len(s.Call.Calls) != 2 {
			t.Errorf("swap %d: quoted %s, floor %s, received %v, %d calls", i, s.AmountOut, floor, got, len(s.Call.Calls))
		}
	}
}
