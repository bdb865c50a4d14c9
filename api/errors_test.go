package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"braid/u256"
	"braid/venue"
)

// TestErrors sends the requests of testdata/errors.txt, which has at least one
// for every code of the table.
func TestErrors(t *testing.T) {
	services := scriptServices(t)
	seen := map[code]bool{methodNotAllowed: true} // see TestMethods
	for _, c := range readErrorCases(t) {
		t.Run(c.service+" "+c.target[:min(len(c.target), 200)], func(t *testing.T) {
			s, known := services[c.service]
			if !known {
				t.Fatalf("no service is called %q", c.service)
			}
			s.t = t
			a := s.get(c.target)
			var p problemBody
			a.into(t, &p)
			seen[p.Code] = true
			checkProblem(t, a, p)
			hints, err := json.Marshal(p.Hints)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range []struct{ name, got, want string }{
				{"answer", fmt.Sprint(a.status, " ", p.Code), c.answer}, {"detail", p.Detail, c.detail}, {"hints", string(hints), c.hints},
			} {
				if !matches(row.want, row.got) {
					t.Errorf("%s: got %q, want %q", row.name, row.got, row.want)
				}
			}
		})
	}
	for _, row := range errorTable {
		if !seen[row.Code] {
			t.Errorf("%s has no request", row.Code)
		}
	}
}

// checkProblem checks what is the same for all problems.
func checkProblem(t *testing.T, a answer, p problemBody) {
	t.Helper()
	want := classOf(p.Code)
	if a.status != want.Status || p.Status != want.Status || p.Title != want.Title || p.Retryable != want.Retryable {
		t.Errorf("not as the table says of %s: %s", p.Code, a.raw)
	}
	if p.Error != p.Detail || p.Detail == "" || p.RequestID != a.header.Get("X-Request-Id") || p.Type != "/errors.json#"+string(p.Code) {
		t.Errorf("members disagree: %s", a.raw)
	}
	if a.header.Get("Content-Type") != "application/problem+json" || a.header.Get("Cache-Control") != "no-store" || a.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("headers: %v", a.header)
	}
	if retry := a.header.Get("Retry-After"); (retry != "") != p.Retryable {
		t.Errorf("Retry-After %q", retry)
	}
	var lines []string
	for _, f := range p.Errors {
		lines = append(lines, f.Parameter+" "+f.Message)
	}
	if joined := strings.Join(lines, "; "); (a.status == 400 || joined != "") && joined != p.Detail {
		t.Errorf("errors %q, detail %q", joined, p.Detail)
	}
}

// TestAllErrorsAtOnce: one answer names everything that is wrong with a request.
func TestAllErrorsAtOnce(t *testing.T) {
	s := serve(t)
	a := s.get("/api/v1/swap?tokenIn=0x1&amount=-1&amount=2&slippageBps=x&excludeSources=Lfj,Tayo&recipient=bob&minAmountOut=x&deadlineSeconds=1&maxPriceImpactBps=x&include=y")
	var p problemBody
	a.into(t, &p)
	var got []string
	for _, f := range p.Errors {
		got = append(got, f.Parameter+" "+string(f.Code))
	}
	slices.Sort(got)
	want := []string{
		"amount DUPLICATE_PARAMETER", "deadlineSeconds INVALID_PARAMETER", "excludeSources UNKNOWN_SOURCE", "include INVALID_PARAMETER",
		"maxPriceImpactBps INVALID_PARAMETER", "minAmountOut INVALID_PARAMETER", "recipient INVALID_ADDRESS", "slippageBps INVALID_SLIPPAGE",
		"tokenIn INVALID_ADDRESS", "tokenOut MISSING_PARAMETER",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"LFJ", "Taya"}, p.Hints.DidYouMean); d != "" {
		t.Error(d)
	}
}

// TestHintsWork: with the value of a hint, the request succeeds.
func TestHintsWork(t *testing.T) {
	s := serve(t)
	ask := func(in, out, amount any) (answer, problemBody) {
		a := s.get("/api/v1/quote" + params("tokenIn", in, "tokenOut", out, "amount", amount))
		var p problemBody
		if a.status != http.StatusOK {
			a.into(t, &p)
		}
		return a, p
	}
	_, p := ask(rare, wmon, u256.Max)
	if a, _ := ask(rare, wmon, p.Hints.MaxAmountIn); a.status != http.StatusOK {
		t.Errorf("maxAmountIn %s: %s", p.Hints.MaxAmountIn, a.raw)
	}
	_, p = ask(wmon, usdc, "1")
	if a, _ := ask(wmon, usdc, p.Hints.MinAmountIn); a.status != http.StatusOK {
		t.Errorf("minAmountIn %s: %s", p.Hints.MinAmountIn, a.raw)
	}
	less := u256.MustDecimal(p.Hints.MinAmountIn).Sub(u256.One)
	if _, p := ask(wmon, usdc, less); p.Code != amountTooSmall {
		t.Errorf("below minAmountIn: %s", p.Code)
	}
}

func TestRetiredSourceMayBeExcluded(t *testing.T) {
	s := serve(t, func(c *Config) { c.Retired = []venue.Source{{ID: "Gone"}} })
	if a := s.get("/api/v1/quote" + params("tokenIn", wmon, "tokenOut", usdc, "amount", "1000000000000000000", "excludeSources", "Gone")); a.status != 200 {
		t.Errorf("%s", a.raw)
	}
}

// TestProblemsAreShared: a cached problem is given to several requests, so that
// rendering must not change it.
func TestProblemsAreShared(t *testing.T) {
	h := New(testConfig(t)).(*server)
	p := &problem{code: noRoute}
	h.renderProblem(&response{}, p)
	if p.detail != "" || p.paramErrors != nil {
		t.Errorf("rendering made it %+v", p)
	}
}

// TestNothingIsEchoed: what a client sends is in the answer escaped, short, or not
// at all.
func TestNothingIsEchoed(t *testing.T) {
	s := serve(t)
	long := strings.Repeat("A", 500)
	for _, name := range swapParameters {
		for _, value := range []string{long, "<img src=x>", "0x" + long, "a\r\nb", "\u202egnirts"} {
			raw := string(s.get("/api/v1/swap?" + url.Values{name: {value}}.Encode()).raw)
			if strings.Contains(raw, strings.Repeat("A", 40)) || strings.Contains(raw, "<img") || strings.Contains(raw, "\u202e") {
				t.Errorf("%s=%.20q: %.400s", name, value, raw)
			}
		}
	}
}
