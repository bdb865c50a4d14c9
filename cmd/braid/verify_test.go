package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"braid/calldata"
	"braid/contracts"
	"braid/monad"
	"braid/plan"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

var alice = common.HexToAddress("0x00000000000000000000000000000000000a11ce")

// swapAnswer is a correct answer of /swap through one pool, with a deadline in Unix
// seconds.
func swapAnswer(t *testing.T, deadline uint64) []byte {
	t.Helper()
	source := &venue.Source{ID: "v2", Family: univ2.Name, Type: venue.V2, Params: univ2.Fee(30)}
	pool := univ2.NewPool(source, common.HexToAddress("0x99"), [2]common.Address{monad.WrappedNative, monad.USDC}, u256.From(1e15), u256.From(1e15))
	p, err := plan.Run(monad.WrappedNative, monad.USDC, u256.From(1e6), []plan.Step{{Pool: pool, In: 0, Out: 1}})
	if err != nil {
		t.Fatal(err)
	}
	at := calldata.Contracts{WrappedNative: monad.WrappedNative}
	at.Router, at.Executor = contracts.Addresses(monad.WrappedNative)
	tx, err := at.Encode(&p, calldata.Terms{Recipient: alice, MinOut: p.AmountOut, Deadline: deadline, NativeIn: true})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{
		"tokenIn": monad.WrappedNative, "tokenOut": monad.USDC, "amountIn": "1000000", "amountOut": p.AmountOut.String(),
		"routes": []any{map[string]any{"pool": pool.Info().ID, "amountIn": "1000000", "amountOut": p.AmountOut.String()}},
		"tx":     map[string]any{"to": tx.To, "data": hexutil.Encode(tx.Data), "value": tx.Value.String()},
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

var swapQuery = url.Values{
	"tokenIn": {common.Address{}.Hex()}, "tokenOut": {monad.USDC.Hex()}, "amount": {"1000000"}, "recipient": {alice.Hex()},
}.Encode()

// swapService answers /swap with a block time so many seconds from now.
func swapService(t *testing.T, ahead int64) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := time.Now().Unix()
		if r.URL.RawQuery != swapQuery {
			http.Error(w, r.URL.RawQuery, http.StatusBadRequest)
			return
		}
		w.Header().Set("X-Block-Timestamp", fmt.Sprint(now+ahead))
		w.Write(swapAnswer(t, uint64(now+max(ahead, 0))+600))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// verified runs the command with nothing at its standard input.
func verified(t *testing.T, args ...string) (string, error) {
	t.Helper()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	var out bytes.Buffer
	err = verify(t.Context(), args, null, &out, &out)
	return out.String(), err
}

// TestVerifyClock: deadlines are measured by the later clock. A block time far
// ahead of this machine's clock counts only with the flag, so that no answer can
// have a later deadline than was asked for unless the user allows it.
func TestVerifyClock(t *testing.T) {
	soon := fmt.Sprint(time.Now().Unix() + 3600)
	for _, row := range []struct {
		name  string
		ahead int64
		args  []string
		ok    bool
		says  string
	}{
		{"honest", 0, nil, true, "fetched from"},
		{"a little ahead", 30, nil, true, "does what was asked for"},
		{"a little ahead, with the flag", 30, []string{"--chain-clock"}, true, "by the chain's clock"},
		{"ahead", 3600, nil, false, "--chain-clock"},
		{"ahead, with the flag", 3600, []string{"--chain-clock"}, true, "s ahead of this machine's"},
		{"ahead, with its time", 3600, []string{"--chain-clock=" + soon}, true, "s ahead of this machine's"},
		{"ahead of the time that is given", 7200, []string{"--chain-clock=" + soon}, false, "deadline"},
		{"behind", -3600, nil, true, "s behind this machine's clock"},
	} {
		at := swapService(t, row.ahead)
		out, err := verified(t, append([]string{"--request", at + "/api/v1/swap?" + swapQuery}, row.args...)...)
		if (err == nil) != row.ok || !strings.Contains(fmt.Sprint(out, err), row.says) {
			t.Errorf("%s: %v: %s", row.name, err, out)
		}
	}
}

// TestVerifySaved: a saved answer has no block, so that its chain's time is the
// user's to give.
func TestVerifySaved(t *testing.T) {
	now := time.Now().Unix()
	for _, row := range []struct {
		deadline int64
		args     []string
		ok       bool
		says     string
	}{
		{now + 600, nil, true, "1000000 wei of MON"},
		{now + 4200, nil, false, "--chain-clock=SECONDS"},
		{now + 4200, []string{"--chain-clock"}, false, "--chain-clock=SECONDS"},
		{now + 4200, []string{fmt.Sprint("--chain-clock=", now+3600)}, true, "does what was asked for"},
		{now + 600, []string{fmt.Sprint("--chain-clock=", now+3600)}, false, "deadline"},
		{now + 600, []string{"--chain-clock=noon"}, false, "seconds"},
	} {
		file := filepath.Join(t.TempDir(), "answer.json")
		if err := os.WriteFile(file, swapAnswer(t, uint64(row.deadline)), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := verified(t, append([]string{"--request", swapQuery, file}, row.args...)...)
		if (err == nil) != row.ok || !strings.Contains(fmt.Sprint(out, err), row.says) {
			t.Errorf("%+v: %v: %s", row, err, out)
		}
	}
}

// TestVerifySources: an answer comes from a file, from stdin if data is piped
// there or - says so, and else from the URL, however that is written.
func TestVerifySources(t *testing.T) {
	at := swapService(t, 0)
	host := strings.TrimPrefix(at, "http://")
	_, port, _ := strings.Cut(host, ":")
	for _, base := range []string{at, host, ":" + port} {
		if out, err := verified(t, "--request", base+"/api/v1/swap?"+swapQuery); err != nil || !strings.Contains(out, "fetched from "+"http://127.0.0.1:"+port+"/api/v1/swap\n") {
			t.Errorf("%s: %v: %s", base, err, out)
		}
	}
	answer := swapAnswer(t, uint64(time.Now().Unix())+600)
	for _, args := range [][]string{{"--request", "http://127.0.0.1:1/swap?" + swapQuery}, {"--request", swapQuery, "-"}, {"--request", "?" + swapQuery}} {
		var out bytes.Buffer
		if err := verify(t.Context(), args, bytes.NewReader(answer), &out, io.Discard); err != nil || strings.Contains(out.String(), "fetched") {
			t.Errorf("%v: %v: %s", args, err, &out)
		}
	}
	moved := httptest.NewServer(http.RedirectHandler(at+"/api/v1/swap?"+swapQuery, http.StatusFound))
	defer moved.Close()
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			w.Write(bytes.Repeat([]byte(" "), 1<<16))
		}
	}))
	defer endless.Close()
	for request, says := range map[string]string{
		swapQuery:                              "no answer to verify",
		at + "/api/v1/quote?" + swapQuery:      "verify is for answers of /swap",
		"ftp://x/swap?" + swapQuery:            "not an http or https URL",
		"http://127.0.0.1:1/swap?" + swapQuery: "no service answers at http://127.0.0.1:1",
		at + "/swap?x=1":                       "400",
		moved.URL + "/swap?" + swapQuery:       "redirects to",
		endless.URL + "/swap?" + swapQuery:     "longer than",
	} {
		if out, err := verified(t, "--request", request); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v: %s", request, err, out)
		}
	}
}

// TestVerifyInterrupted: a standard input that brings nothing does not keep the
// command from being stopped.
func TestVerifyInterrupted(t *testing.T) {
	silent, writer := io.Pipe()
	defer writer.Close()
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, stop)
	if err := verify(ctx, []string{"--request", swapQuery}, silent, io.Discard, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("verify ends with %v", err)
	}
}
