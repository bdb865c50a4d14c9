package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"braid/devchain"
	"braid/monad"
)

// TestStream: after a trade /stream sends the answer that /quote then gives.
func TestStream(t *testing.T) {
	w := env
	o := order{in: monad.WrappedNative, out: monad.USDC, amount: new(big.Int).Mul(big.NewInt(1000), big.NewInt(1e18)), recipient: devchain.DevAccount, only: "UniswapV2"}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", w.base+"/stream?"+o.query().Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	next := func() (a answer) {
		t.Helper()
		kind := ""
		for lines.Scan() {
			if event, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				kind = event
			}
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && kind == "quote" {
				if err := json.Unmarshal([]byte(data), &a); err != nil {
					t.Fatal(err)
				}
				return a
			}
		}
		t.Fatal(lines.Err())
		return a
	}
	first := next()
	if first.out().Cmp(w.swap(t, o).out()) != 0 {
		t.Errorf("the stream begins with %s", first.AmountOut)
	}
	second := next()
	if quote, _ := w.get(t, "/quote", o.query()); second.AmountOut != quote.AmountOut || second.out().Cmp(first.out()) >= 0 {
		t.Errorf("%s before a trade, %s after it, and /quote says %s", first.AmountOut, second.AmountOut, quote.AmountOut)
	}
}
