package api

import (
	"reflect"
	"slices"
	"testing"

	"braid/router"
	"braid/u256"
)

// factories are the sources of a quote's steps, sorted, each once.
func (s service) factories(query string) (ids []string) {
	s.t.Helper()
	var body quoteBody
	s.get(query).into(s.t, &body)
	for _, step := range body.Routes {
		ids = append(ids, step.Factory)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// TestIncludeSources: no other source is used, and none that is excluded too.
func TestIncludeSources(t *testing.T) {
	s := serve(t)
	large := quoteOf(units(50_000, 18))
	if got := s.factories(large); len(got) < 3 {
		t.Fatalf("the order is not split: %v", got)
	}
	for query, want := range map[string][]string{
		"&includeSources=LFJ":                                     {"LFJ"},
		"&includeSources=LFJ,%20PancakeSwapV2":                    {"LFJ", "PancakeSwapV2"},
		"&includeSources=LFJ,PancakeSwapV2&excludeSources=LFJ":    {"PancakeSwapV2"},
		"&excludeSources=LFJ&includeSources=LFJ,UniswapV2,Kansei": {"UniswapV2"},
	} {
		if got := s.factories(large + query); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	if got := s.factories(large + "&includeSources="); len(got) < 3 {
		t.Errorf("an empty list is not absent: %v", got)
	}
}

// TestOnlyVerified: no unverified token is passed on the way. WETH is not verified in
// the test's market, and the only other token between WMON and USDC is USDT0.
func TestOnlyVerified(t *testing.T) {
	s := serve(t)
	through := func(query string) (middle []string) {
		var body quoteBody
		s.get("/api/v1/quote"+params("tokenIn", wmon, "tokenOut", usdc, "amount", units(1_000_000, 18))+query).into(t, &body)
		for _, step := range body.Routes {
			if step.TokenOutSymbol != "USDC" {
				middle = append(middle, step.TokenOutSymbol)
			}
		}
		return middle
	}
	if got := through(""); !slices.Contains(got, "WETH") {
		t.Fatalf("the order does not pass WETH: %v", got)
	}
	if got := through("&onlyVerified=true"); slices.Contains(got, "WETH") {
		t.Errorf("passes %v", got)
	}
	if got := through("&onlyVerified=false"); !slices.Contains(got, "WETH") {
		t.Errorf("passes %v", got)
	}
}

// TestSearchKey: orders that differ in any field have different keys, so that no
// request is answered from the cache with another's plan.
func TestSearchKey(t *testing.T) {
	var base request
	order := reflect.ValueOf(router.Order{})
	for i := range order.NumField() {
		req := base
		field := reflect.ValueOf(&req.Order).Elem().Field(i)
		switch field.Interface().(type) {
		case int:
			field.SetInt(3)
		case bool:
			field.SetBool(true)
		case u256.Int:
			field.Set(reflect.ValueOf(u256.One))
		case map[string]bool:
			field.Set(reflect.ValueOf(map[string]bool{"LFJ": true}))
		default: // an address
			field.Index(0).SetUint(1)
		}
		if req.searchKey() == base.searchKey() {
			t.Errorf("the key leaves out %s", order.Type().Field(i).Name)
		}
	}
	base.Exclude = map[string]bool{"LFJ": false}
	if base.searchKey() != (&request{}).searchKey() {
		t.Error("a source that is not excluded is part of the key")
	}
}
