package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"braid/u256"
)

func batchOf(orders ...string) string {
	return "/api/v1/quotes?q=" + strings.Join(orders, "&q=")
}

func order(in, out, amount string) string { return in + ":" + out + ":" + amount }

// batchAnswer is the body of /quotes with its results as JSON.
type batchAnswer struct {
	Results []json.RawMessage
	Block   blockBody
}

// TestBatch: every order of a batch is answered as /quote answers it on its own, and
// a wrong one fails alone.
func TestBatch(t *testing.T) {
	s := serve(t)
	orders := [][3]string{
		{wmon.Hex(), usdc.Hex(), "1000000000000000000"},
		{usdc.Hex(), weth.Hex(), "5000000000"},
		{"0x0000000000000000000000000000000000000000", usdc.Hex(), "0050000000000000000000000"},
		{addr(0xbad).Hex(), usdc.Hex(), "1000000"},
		{wmon.Hex(), wmon.Hex(), "1000000"},
		{wmon.Hex(), usdc.Hex(), "1.5"},
		{wmon.Hex(), usdc.Hex(), ""},
		{wmon.Hex(), usdc.Hex(), "1"},
	}
	var entries []string
	for _, o := range orders {
		entries = append(entries, order(o[0], o[1], o[2]))
	}
	entries = append(entries, "nonsense")
	var with, without batchAnswer
	s.get(batchOf(entries...)+"&include=routes").into(t, &with)
	s.get(batchOf(entries...)).into(t, &without)
	if len(with.Results) != len(entries) || len(without.Results) != len(entries) || with.Block.Number != 19_000_123 {
		t.Fatalf("%+v", with)
	}
	for i, o := range orders {
		alone := s.get("/api/v1/quote" + params("tokenIn", o[0], "tokenOut", o[1], "amount", o[2]))
		if d := cmp.Diff(fields(t, alone.raw, ""), fields(t, with.Results[i], "")); d != "" {
			t.Errorf("%v: %s", o, d)
		}
		if d := cmp.Diff(fields(t, alone.raw, "routes"), fields(t, without.Results[i], "")); d != "" {
			t.Errorf("%v without routes: %s", o, d)
		}
	}
	var p problemBody
	if err := json.Unmarshal(with.Results[len(orders)], &p); err != nil || p.Code != invalidParameter || p.Status != 400 || !strings.Contains(p.Detail, "tokenIn:tokenOut:amount") {
		t.Errorf("%v %s", err, with.Results[len(orders)])
	}
}

// fields is a JSON object without one field, and without the request's id.
func fields(t *testing.T, raw []byte, without string) (object map[string]any) {
	t.Helper()
	if err := json.Unmarshal(raw, &object); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	delete(object, without)
	delete(object, "requestId")
	return object
}

// TestBatchSharesExclusions: excludeSources holds for every order.
func TestBatchSharesExclusions(t *testing.T) {
	s := serve(t)
	var got batchAnswer
	s.get(batchOf(order(wmon.Hex(), usdc.Hex(), "1000000000000000000"), order(rare.Hex(), wmon.Hex(), "1000000000000000000"))+"&include=routes&excludeSources=LFJ,PancakeSwapV2").into(t, &got)
	if raw := string(got.Results[0]); strings.Contains(raw, "Pancake") || !strings.Contains(raw, "UniswapV2") {
		t.Errorf("%s", raw)
	}
	var p problemBody
	if err := json.Unmarshal(got.Results[1], &p); err != nil || p.Code != noRoute || len(p.Hints.ExcludedSources) != 2 {
		t.Errorf("%v %s", err, got.Results[1])
	}
}

// TestBatchRunsOutOfTime: orders for which no time is left fail, each by itself, and
// the others are answered.
func TestBatchRunsOutOfTime(t *testing.T) {
	s := serve(t, func(c *Config) { c.Timeout = time.Minute })
	h := s.Config.Handler.(*server)
	c, err := h.head()
	if err != nil {
		t.Fatal(err)
	}
	first := order(wmon.Hex(), usdc.Hex(), "1000000000000000000")
	r, _ := http.NewRequest("GET", batchOf(first), nil)
	w := &response{r: r, started: time.Now()}
	ctx, end := h.budget(w)
	defer end()
	if _, err := h.quoteEntry(ctx, c, request{}, first, false); err != nil {
		t.Fatal(err)
	}
	w.started = time.Now().Add(-time.Hour)
	late, end := h.budget(w)
	defer end()
	_, err = h.quoteEntry(late, c, request{}, order(wmon.Hex(), usdc.Hex(), "2000000000000000000"), false)
	if p := asProblem(err); p.code != timeout {
		t.Errorf("%+v", p)
	}
}

// TestBatchAdmission: every order of a batch waits for its turn by itself, so that
// another client's request does not wait for all of them.
func TestBatchAdmission(t *testing.T) {
	s := serve(t)
	entries := make([]string, 10)
	for i := range entries {
		entries[i] = order(wmon.Hex(), usdc.Hex(), units(1, 18).Add(u256.From(uint64(i))).String())
	}
	s.get(batchOf(entries...))
	w := httptest.NewRecorder()
	s.Config.Handler.(*server).metrics.handler.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	_, count, _ := strings.Cut(w.Body.String(), "\nbraid_search_seconds_count ")
	count, _, _ = strings.Cut(count, "\n")
	if n, err := strconv.Atoi(count); err != nil || n < len(entries) {
		t.Errorf("ten orders took %q turns", count)
	}
}

// TestBatchCost: the limiter counts every order.
func TestBatchCost(t *testing.T) {
	s := serve(t, func(c *Config) { c.RatePerSecond = 10 })
	entries := make([]string, 10)
	for i := range entries {
		entries[i] = order(wmon.Hex(), usdc.Hex(), units(1, 18).Add(u256.From(uint64(i))).String())
	}
	if a := s.get(batchOf(entries...)); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.raw)
	}
	if a := s.get("/api/v1/tokens"); a.status != 429 {
		t.Errorf("%d after ten quotes of ten", a.status)
	}
}
