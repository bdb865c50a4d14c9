package api

import (
	"net/url"
	"strings"
	"testing"
)

// TestWrongValues: whatever stands in a parameter, the answer says what is wrong
// with it and what would do.
func TestWrongValues(t *testing.T) {
	s := serve(t)
	const zero = "0x0000000000000000000000000000000000000000"
	quoteWith := func(name, value string) string {
		q := url.Values{"tokenIn": {wmon.Hex()}, "tokenOut": {usdc.Hex()}, "amount": {"1000000000000000000"}, "recipient": {alice.Hex()}}
		q.Set(name, value)
		return "/api/v1/swap?" + q.Encode()
	}
	for _, row := range []struct{ name, value, wrong, do string }{
		{"amount", "1.5", "decimal point", "raw units"},
		{"amount", "1.5", "decimal point", "1500000000000000000"},
		{"amount", "1e18", "exponent", "digits alone"},
		{"amount", "1.5E+18", "exponent", "digits alone"},
		{"amount", "0x10", "hexadecimal", "digits alone"},
		{"amount", "1,000", "separators", "digits alone"},
		{"amount", "1_000", "separators", "digits alone"},
		{"amount", "1'000.50", "separators", "digits alone"},
		{"amount", " 100", "space", "digits alone"},
		{"amount", "100 ", "space", "digits alone"},
		{"amount", "1 ether", "not a number", "raw units"},
		{"tokenIn", "undefined", "value that it does not have", "40 hex digits"},
		{"tokenIn", "USDC.e", "symbol", "search=USDC.e"},
		{"amount", "-5", "negative", "from 1"},
		{"amount", "+5", "sign", "digits alone"},
		{"amount", "0", "out of range", "from 1"},
		{"amount", strings.Repeat("9", 78), "out of range", "2^256-1"},
		{"amount", "max", "not a number", "raw units"},
		{"amount", "١٢", "not a number", "raw units"},
		{"amount", "", "required", "raw units"},
		{"slippageBps", "0.5", "decimal point", "50 is 0.5 %"},
		{"slippageBps", "0.5%", "percent sign", "50 is 0.5 %"},
		{"slippageBps", "50%", "percent sign", "50 is 0.5 %"},
		{"slippageBps", "10001", "out of range", "from 0 to 10000"},
		{"slippageBps", "auto", "not a number", "50 is 0.5 %"},
		{"slippageBps", "", "empty", "from 0 to 10000"},
		{"tokenIn", "WMON", "symbol", "/api/v1/tokens?search=WMON"},
		{"tokenOut", "usdc", "symbol", "/api/v1/tokens?search=usdc"},
		{"tokenIn", "MON", "name", zero},
		{"tokenOut", "native", "name", zero},
		{"tokenIn", "<script>", "not an address", "/api/v1/tokens?search="},
		{"tokenIn", "", "required", "/api/v1/tokens"},
		{"tokenIn", strings.TrimPrefix(wmon.Hex(), "0x"), "no 0x", "40 hex digits"},
		{"tokenIn", "0X" + strings.TrimPrefix(wmon.Hex(), "0x"), "begins with 0X", "give 0x"},
		{"tokenIn", "0x1234", "wrong number of hex digits, 4;", "40 hex digits"},
		{"tokenIn", wmon.Hex() + "0", "wrong number of hex digits, 41;", "40 hex digits"},
		{"tokenIn", "0x" + strings.Repeat("a", 64), "32 bytes", "40 hex digits"},
		{"tokenIn", wmon.Hex() + " ", "space", "40 hex digits"},
		{"tokenOut", wmon.Hex(), "token of tokenIn", "give another"},
		{"tokenOut", addr(0xbad).Hex(), "not a token of any pool", "/api/v1/tokens"},
		{"recipient", "alice.eth", "not resolved", "40 hex digits"},
		{"recipient", "alice", "not an address", "40 hex digits"},
		{"recipient", "", "required", "receives the output"},
		{"recipient", "0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "wrong EIP-55 checksum", "lower case"},
		{"recipient", zero, "zero address", "give the address of an account"},
		{"recipient", usdc.Hex(), "token of the swap", "give the address of an account"},
		{"recipient", cakePair.Hex(), "pool of the route", "give the address of an account"},
		{"owner", "bob", "not an address", "40 hex digits"},
		{"owner", "", "required where it is given", "leave it out"},
		{"excludeSources", "uniswapv2", "no source", "/api/v1/liquidity-sources"},
		{"excludeSources", strings.Join(numbered(65), ","), "65 ids", "at most 64"},
		{"include", "gas", `"gas"`, "meta, why, viz, approval, permit, calls"},
		{"include", "meta;why", "none of", "commas"},
		{"minAmountOut", "1.5", "decimal point", "raw units"},
		{"minAmountOut", "1000000000", "below minAmountOut", "lower it"},
		{"deadlineSeconds", "1800000000", "out of range", "30 to 3600 in seconds from now"},
		{"deadlineSeconds", "10m", "not a number", "in seconds"},
		{"maxPriceImpactBps", "1%", "percent sign", "100 is 1 %"},
		{"permit", "0x", "cannot be read", "include=permit"},
		{"permit", "signed", "cannot be read", "include=permit"},
		{"permitNonce", "0x1", "hexadecimal", "nonces(owner)"},
		{"permitVersion", "v1", "not 1 to 16 digits", "such as 1"},
		{"chainId", "1", "not 143", "leave it out"},
	} {
		var p problemBody
		s.get(quoteWith(row.name, row.value)).into(t, &p)
		if !strings.Contains(p.Detail, row.wrong) || !strings.Contains(p.Detail, row.do) {
			t.Errorf("%s=%s: %q does not say %q and %q", row.name, row.value, p.Detail, row.wrong, row.do)
		}
		if p.Status == 400 && (len(p.Errors) != 1 || p.Errors[0].Parameter != row.name) {
			t.Errorf("%s=%s: faults %v", row.name, row.value, p.Errors)
		}
	}
	for path, words := range map[string]string{
		"/api/v1/tokens?limit=0":                           "from 1 on",
		"/api/v1/tokens?limit=all":                         "not a number",
		"/api/v1/tokens?search=" + strings.Repeat("x", 65): "longer than 64",
		goodQuote + "&amount=2":                            "give it once",
		"/api/v1/quote" + params("tokenIn", lone, "tokenOut", usdc, "amount", "1"):                                      "choose other tokens",
		"/api/v1/quote" + params("tokenIn", rare, "tokenOut", usdc, "amount", "1000000", "excludeSources", "LFJ"):       "exclude fewer",
		"/api/v1/quote" + params("tokenIn", wmon, "tokenOut", usdc, "amount", "1"):                                      "is the least",
		"/api/v1/quote" + params("tokenIn", rare, "tokenOut", wmon, "amount", "1"+strings.Repeat("0", 76)):              "is the most",
		"/api/v1/swap" + params("tokenIn", rare, "tokenOut", wmon, "amount", units(10_000_000, 18), "recipient", alice): "swap less",
		"/api/v1/depth" + params("tokenIn", "RARE", "tokenOut", wmon):                                                   "search=RARE",
	} {
		var p problemBody
		s.get(path).into(t, &p)
		if !strings.Contains(p.Detail, words) {
			t.Errorf("%s: %q does not say %q", path, p.Detail, words)
		}
	}
}

// TestNothingIsEchoed: what a caller sends comes back escaped, short, or not at
// all.
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
