package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/monad"
)

// fakeService answers /tokens with a list of its own and /quote with one step.
// A quote of 7 raw units has a bound, others have the reason for there being none.
func fakeService(t *testing.T) *httptest.Server {
	tokens := []coin{
		{Address: monad.WrappedNative.Hex(), Symbol: "WMON", Decimals: 18, Verified: true},
		{Address: monad.USDC.Hex(), Symbol: "USDC", Decimals: 6, Verified: true},
		{Address: "0x1111111111111111111111111111111111111111", Symbol: "USDC", Name: "no dollar", Decimals: 6},
		{Address: "0x2222222222222222222222222222222222222222", Symbol: "TWIN", Decimals: 18, Verified: true},
		{Address: "0x3333333333333333333333333333333333333333", Symbol: "TWIN", Decimals: 18, Verified: true},
		{Address: "0x4444444444444444444444444444444444444444", Symbol: "MOON", Name: "\x1b[2Jmoon", Decimals: 18},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/v1/tokens", func(w http.ResponseWriter, r *http.Request) {
		found := []coin{}
		for _, c := range tokens {
			if s := strings.ToLower(r.FormValue("search")); strings.Contains(strings.ToLower(c.Symbol), s) || strings.ToLower(c.Address) == s {
				found = append(found, c)
			}
		}
		json.NewEncoder(w).Encode(map[string]any{"tokens": found})
	})
	mux.HandleFunc("/api/v1/quote", func(w http.ResponseWriter, r *http.Request) {
		routed := func(name string) string {
			if a := common.HexToAddress(r.FormValue(name)); !monad.IsNative(a) {
				return strings.ToLower(a.Hex())
			}
			return strings.ToLower(monad.WrappedNative.Hex())
		}
		in, out := routed("tokenIn"), routed("tokenOut")
		meta := `"boundReason":"Two pools disagree, so no bound is given."`
		switch r.FormValue("amount") {
		case "7":
			meta = `"optimalityGapBps":0.25`
		case "9":
			meta = `"boundReason":"market holds arbitrage worth 24990000 bps of this order"`
		}
		if limit := r.FormValue("maxSteps") + r.FormValue("maxHops"); limit != "" {
			meta = `"boundReason":"Limits ` + limit + `."`
		}
		fmt.Fprintf(w, `{"tokenIn":%q,"tokenOut":%q,"amountIn":%q,"amountOut":"5","priceImpactBps":3,
			"routes":[{"tokenIn":%[1]q,"tokenOut":%[2]q,"tokenOutSymbol":"WMON","factory":"Kuru","weight":10000}],
			"meta":{"gasCostWei":"1000000000000000",%[4]s}}`, in, out, r.FormValue("amount"), meta)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// braid runs a command as a user would.
func braid(args ...string) (out string, err error) {
	var stdout, stderr bytes.Buffer
	err = run(context.Background(), args, func(string) string { return "" }, &stdout, &stderr)
	return stdout.String() + stderr.String(), err
}

// TestQuoteOutput: what the command prints for tokens named in all ways.
func TestQuoteOutput(t *testing.T) {
	s := fakeService(t)
	for _, row := range []struct {
		args    []string
		says    []string
		without string
	}{
		{[]string{"MON", "USDC", "10"}, []string{"0.000005 USDC for 10 MON", "gas 0.001 MON", "Two pools disagree"}, "bps below"},
		{[]string{"usdc", "mon", "0.000007"}, []string{"0.000000000000000005 MON for 0.000007 USDC", "100.00%  MON  Kuru", "at most 0.25 bps below the best possible"}, "WMON"},
		{[]string{"--max-steps", "3", "--max-hops", "2", "usdc", "mon", "1"}, []string{"Limits 32."}, "bps below"},
		{[]string{"usdc", "wmon", ".000007"}, []string{"WMON for", "100.00%  WMON  Kuru"}, " MON for"},
		{[]string{"USDC", "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE", "1"}, []string{" MON for 1 USDC"}, "WMON"},
		{[]string{"0x0000000000000000000000000000000000000000", "USDC", "1."}, []string{"USDC for 1 MON"}, "WMON for"},
		{[]string{"USDC", "MON", "0.000009"}, []string{"is not known: the market holds arbitrage worth 24990000 bps of this order, more than one swap can take"}, "bps below"},
		{[]string{"USDC", "0x4444444444444444444444444444444444444444", "1"}, []string{"MOON for 1 USDC"}, "\x1b"},
	} {
		out, err := braid(append([]string{"quote", "--addr", s.URL}, row.args...)...)
		if err != nil {
			t.Errorf("%v: %v", row.args, err)
		}
		for _, word := range row.says {
			if !strings.Contains(out, word) {
				t.Errorf("%v: %q does not say %q", row.args, out, word)
			}
		}
		if strings.Contains(out, row.without) {
			t.Errorf("%v: %q says %q", row.args, out, row.without)
		}
	}
}

// TestQuoteRefusals: arguments that cannot be quoted are refused with what to do,
// before /quote is asked.
func TestQuoteRefusals(t *testing.T) {
	s := fakeService(t)
	for _, row := range []struct {
		args []string
		says []string
	}{
		{[]string{"MON", "USDC", "1,000"}, []string{"1,000", "without separators"}},
		{[]string{"MON", "USDC", "1e3"}, []string{"1e3", "exponent"}},
		{[]string{"MON", "USDC", "$10"}, []string{"$10", "unit"}},
		{[]string{"MON", "USDC", "-5"}, []string{"-5", "sign"}},
		{[]string{"MON", "USDC", "1/3"}, []string{"1/3", "digits"}},
		{[]string{"MON", "USDC", "."}, []string{"number like"}},
		{[]string{"MON", "USDC", "0.0"}, []string{"zero"}},
		{[]string{"MON", "USDC", "1" + strings.Repeat("0", 70)}, []string{"more than any"}},
		{[]string{"USDC", "MON", "1.1234567"}, []string{"USDC has 6", "7 decimals"}},
		{[]string{"MON", "mon", "1"}, []string{"both MON"}},
		{[]string{"WMON", "MON", "1"}, []string{"no route", "deposit()"}},
		{[]string{"TWIN", "MON", "1"}, []string{"2 verified", "0x2222", "0x3333"}},
		{[]string{"moon", "MON", "1"}, []string{"no verified token", "0x4444", "not verified"}},
		{[]string{"USDCC", "MON", "1"}, []string{"USDCC", "did you mean USDC?"}},
		{[]string{"0x12", "MON", "1"}, []string{"0x12", "40 hex digits"}},
		{[]string{"MON", "USDC"}, []string{"braid quote MON USDC 10"}},
		{[]string{"--adr", "x", "MON", "USDC", "1"}, []string{"--adr", "--addr"}},
	} {
		out, err := braid(append([]string{"quote", "--addr", s.URL}, row.args...)...)
		if err == nil || exitCode(err) != 2 {
			t.Errorf("%v: code %d, %v: %s", row.args, exitCode(err), err, out)
			continue
		}
		for _, word := range row.says {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%v: %q does not say %q", row.args, err, word)
			}
		}
		if strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%v: a token's name reaches the terminal: %q", row.args, err)
		}
	}
}

// TestQuoteAddresses: the service is found however its address is written, and
// another program at the address is reported.
func TestQuoteAddresses(t *testing.T) {
	s := fakeService(t)
	host := strings.TrimPrefix(s.URL, "http://")
	_, port, _ := strings.Cut(host, ":")
	for _, addr := range []string{host, ":" + port, s.URL, s.URL + "/", s.URL + "/api/v1", s.URL + "/api/v1/", host + "/api/v1"} {
		if out, err := braid("quote", "MON", "USDC", "10", "--addr", addr); err != nil {
			t.Errorf("%s: %v: %s", addr, err, out)
		}
	}
	away := httptest.NewServer(nil)
	away.Close()
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	elsewhere := httptest.NewServer(http.RedirectHandler(s.URL+"/api/v1/tokens", http.StatusFound))
	defer elsewhere.Close()
	for _, row := range []struct{ addr, says string }{
		{"ftp://x:1", "neither http nor https"}, {"localhost", "has no port"}, {"http://", "has no host"}, {"http://x:1?y", "a query"},
		{away.URL, "no service answers at " + away.URL}, {away.URL, "make run"}, {other.URL, "another program"}, {elsewhere.URL, "redirects to"},
	} {
		if _, err := braid("quote", "--addr", row.addr, "USDC", "MON", "1"); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v does not say %q", row.addr, err, row.says)
		}
	}
}

func TestServiceURL(t *testing.T) {
	for addr, want := range map[string]string{
		"https://braid.example":          "https://braid.example/api/v1",
		"https://braid.example/x/":       "https://braid.example/x/api/v1",
		"https://braid.example/x/api/v1": "https://braid.example/x/api/v1",
		":8080":                          "http://127.0.0.1:8080/api/v1",
		"[::1]:8080":                     "http://[::1]:8080/api/v1",
	} {
		if got, err := serviceURL(addr); got != want || err != nil {
			t.Errorf("%s: %s, %v", addr, got, err)
		}
	}
}

func TestListenAddress(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:8080": "127.0.0.1:8080", ":8080": ":8080", "http://127.0.0.1:8080": "127.0.0.1:8080", "http://localhost:1/": "localhost:1",
	} {
		if got, err := listenAddress(addr); got != want || err != nil {
			t.Errorf("%s: %s, %v", addr, got, err)
		}
	}
	for _, addr := range []string{"https://x:1", "http://x:1/api/v1", "http://x:1?y"} {
		if _, err := listenAddress(addr); err == nil || !strings.Contains(err.Error(), "host:port") {
			t.Errorf("%s: %v", addr, err)
		}
	}
}
