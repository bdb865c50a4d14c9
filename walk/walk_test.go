package walk_test

import (
	"math/big"
	"math/rand/v2"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"braid/contracts"
	"braid/devchain"
	"braid/market"
	"braid/monad"
	"braid/venue"
)

// order is a swap somebody wants.
type order struct {
	in, out   common.Address // out is zero for native
	amount    *big.Int
	native    bool // fund with value
	recipient common.Address
	only      string // a source; empty for all
}

func (o order) query() url.Values {
	return url.Values{
		"tokenIn": {o.in.Hex()}, "tokenOut": {o.out.Hex()}, "amount": {o.amount.String()}, "recipient": {o.recipient.Hex()},
		"maxPriceImpactBps": {"10000"}, "excludeSources": {others(o.only)},
	}
}

// others are all sources but one; none for no source.
func others(only string) string {
	var ids []string
	for _, s := range monad.Sources() {
		if only != "" && s.ID != only {
			ids = append(ids, s.ID)
		}
	}
	return strings.Join(ids, ",")
}

// walk quotes, swaps, approves, sends, and holds the recipient's gain to the
// quoted amount. It returns the answer of /swap.
func (w *world) walk(t *testing.T, o order) *answer {
	t.Helper()
	quote, _ := w.get(t, "/quote", o.query())
	swap, resp := w.get(t, "/swap", o.query())
	if resp.StatusCode != 200 {
		t.Fatalf("%v of %s to %s: %d %s: %s", o.amount, o.in, o.out, resp.StatusCode, swap.Code, swap.Detail)
	}
	if quote.AmountOut != swap.AmountOut {
		t.Fatalf("/quote says %s, /swap %s on the same block", quote.AmountOut, swap.AmountOut)
	}
	to := common.HexToAddress(swap.Tx.To)
	value := new(big.Int)
	if o.native {
		value = o.amount
	} else {
		w.approve(t, o.in, to, o.amount)
	}
	gas, ok := new(big.Int).SetString(swap.Tx.EstimatedGas, 10)
	if !ok {
		t.Fatalf("estimatedGas %q", swap.Tx.EstimatedGas)
	}
	before := w.balance(t, o.out, o.recipient)
	r := w.send(t, to, hexutil.MustDecode(swap.Tx.Data), value, gas.Uint64())
	if r.Status != 1 {
		t.Fatalf("%v of %s to %s over %d steps reverts, %d of %v gas used", o.amount, o.in, o.out, len(swap.Routes), r.GasUsed, gas)
	}
	if got := sub(w.balance(t, o.out, o.recipient), before); got.Cmp(swap.out()) != 0 {
		t.Errorf("%v of %s to %s: quoted %v, received %v", o.amount, o.in, o.out, swap.AmountOut, got)
	}
	return swap
}

// TestWalk sends swaps between many pairs, from dust to a fifth of the price,
// to recipients that never held the token.
func TestWalk(t *testing.T) {
	held := earth.holdings(t)
	r := rand.New(rand.NewPCG(7, 7))
	tokens := monad.Tokens()
	shapes := map[string]int{}
	for i := range 2 * len(tokens) {
		in := tokens[i%len(tokens)]
		out := tokens[(i+1+r.IntN(len(tokens)-1))%len(tokens)]
		o := order{in: in.Address, out: out.Address, recipient: stranger(r)}
		if !earth.joined(t, o) {
			shapes["too far apart"]++
			continue
		}
		if o.amount = earth.size(t, o, []int{0, 0, 30, 500, 2000}[i%5]); o.amount == nil {
			t.Fatalf("no amount of %s buys %s", o.in, o.out)
		}
		shapes[shape(earth.walk(t, o))]++
	}
	// The deepest pair, where splits pay.
	for _, whole := range []int64{1, 1_000, 100_000, 3_000_000} {
		amount := new(big.Int).Mul(big.NewInt(whole), big.NewInt(1e18))
		shapes[shape(earth.walk(t, order{in: monad.WrappedNative, out: monad.USDC, amount: amount, recipient: stranger(r)}))]++
	}
	t.Logf("routes walked: %v", shapes)
	for _, s := range []string{"direct", "multi-hop", "split"} {
		if shapes[s] == 0 {
			t.Errorf("no %s route was walked", s)
		}
	}
	if far := shapes["too far apart"]; far > 20 {
		t.Errorf("%d of %d pairs have no route", far, 2*len(tokens))
	}
	earth.sameHoldings(t, held)
}

// TestEverySource walks each source alone, over whatever it trades, both ways
// and at several sizes.
func TestEverySource(t *testing.T) {
	held := earth.holdings(t)
	r := rand.New(rand.NewPCG(6, 6))
	tokens := earth.tokens(t)
	for _, source := range monad.Sources() {
		t.Run(source.ID, func(t *testing.T) {
			walked := 0
			for _, i := range r.Perm(len(tokens)) {
				for _, hub := range []common.Address{monad.WrappedNative, monad.USDC, monad.AUSD, monad.USDT0} {
					o := order{in: tokens[i], out: hub, only: source.ID}
					if o.in == hub || !earth.joined(t, o) || walked == 12 {
						continue
					}
					for _, back := range []bool{false, true} {
						if back {
							o.in, o.out = o.out, o.in
						}
						o.recipient = stranger(r)
						if o.amount = earth.size(t, o, []int{0, 100, 2000}[walked%3]); o.amount == nil {
							if source.Type != venue.CLOB { // whose books may be all but empty on one side
								t.Fatalf("no amount of %s buys %s", o.in, o.out)
							}
							continue
						}
						o.native = o.in == monad.WrappedNative && walked%4 == 3
						earth.walk(t, o)
						walked++
					}
				}
			}
			if walked < 2 {
				t.Error("nothing to walk")
			}
		})
	}
	earth.sameHoldings(t, held)
}

// TestNative funds with value what /swap wrote for wrapped native, and takes
// native out by its aliases.
func TestNative(t *testing.T) {
	held := earth.holdings(t)
	r := rand.New(rand.NewPCG(8, 8))
	amount := big.NewInt(5e18)
	earth.walk(t, order{in: monad.WrappedNative, out: monad.USDC, amount: amount, native: true, recipient: stranger(r)})
	earth.walk(t, order{in: monad.WrappedNative, out: monad.USDC, amount: amount, recipient: stranger(r)})
	earth.walk(t, order{in: monad.USDC, amount: big.NewInt(7e6), recipient: stranger(r)})

	o := order{in: common.HexToAddress("0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"), out: monad.USDC, amount: amount, recipient: stranger(r), native: true}
	if swap := earth.walk(t, o); swap.Tx.Value != amount.String() || !strings.EqualFold(swap.TokenIn, monad.WrappedNative.Hex()) {
		t.Errorf("native alias in: value %s, tokenIn %s", swap.Tx.Value, swap.TokenIn)
	}
	earth.sameHoldings(t, held)
}

// TestMovedPrice sends a swap after the price has left its tolerance: it
// reverts with the Router's own word, and nothing moves.
func TestMovedPrice(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	o := order{in: monad.USDC, out: monad.WrappedNative, amount: big.NewInt(50e6), recipient: stranger(r), only: "UniswapV2"}
	swap, resp := earth.get(t, "/swap", o.query())
	if resp.StatusCode != 200 {
		t.Fatal(swap.Code, swap.Detail)
	}
	// Somebody else buys the same token first, far beyond 50 bps.
	mover := order{in: monad.USDC, out: monad.WrappedNative, recipient: stranger(r), only: "UniswapV2"}
	mover.amount = earth.size(t, mover, 1500)
	earth.walk(t, mover)

	to := common.HexToAddress(swap.Tx.To)
	earth.approve(t, o.in, to, o.amount)
	before := earth.balance(t, o.in, earth.from)
	gas, _ := new(big.Int).SetString(swap.Tx.EstimatedGas, 10)
	receipt := earth.send(t, to, hexutil.MustDecode(swap.Tx.Data), nil, gas.Uint64())
	if receipt.Status != 0 {
		t.Fatal("a swap beyond its tolerance went through")
	}
	if word := earth.revertWord(t, to, swap.Tx.Data); word != "TooLittleOut" {
		t.Errorf("reverts with %q", word)
	}
	if now := earth.balance(t, o.in, earth.from); now.Cmp(before) != 0 {
		t.Errorf("the sender's balance moved from %v to %v", before, now)
	}
	if got := earth.balance(t, o.out, o.recipient); got.Sign() != 0 {
		t.Errorf("the recipient received %v", got)
	}
}

// TestViem is the walk of an integrator with JavaScript.
func TestViem(t *testing.T) {
	cmd := exec.Command("node", "walk.mjs", earth.base, earth.url)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "3 swaps paid what was quoted") {
		t.Fatalf("%v\n%s", err, out)
	}
}

// joined says whether any route leads from one token to the other: a few small
// tokens lie more hops apart than a route may have.
func (w *world) joined(t *testing.T, o order) bool {
	t.Helper()
	o.amount = big.NewInt(1)
	a, _ := w.get(t, "/quote", o.query())
	return a.Code != "NO_ROUTE"
}

// size is an amount that moves the price by about bps; a handful of raw units
// that still buy something for 0; nil if no power of four buys anything.
func (w *world) size(t *testing.T, o order, bps int) *big.Int {
	t.Helper()
	probe := o
	probe.recipient = devchain.DevAccount
	low := big.NewInt(1)
	for {
		probe.amount = low
		if _, resp := w.get(t, "/quote", probe.query()); resp.StatusCode == 200 {
			break
		}
		if low = new(big.Int).Mul(low, big.NewInt(4)); low.BitLen() > 128 {
			return nil
		}
	}
	if bps == 0 {
		return low
	}
	balance := w.balance(t, o.in, w.from)
	for {
		probe.amount = new(big.Int).Mul(low, big.NewInt(3))
		a, resp := w.get(t, "/quote", probe.query())
		if resp.StatusCode != 200 || a.PriceImpactBps > bps || probe.amount.Cmp(balance) > 0 {
			return low
		}
		low = probe.amount
	}
}

func shape(a *answer) string {
	leaving := 0
	for _, s := range a.Routes {
		if s.TokenIn == a.TokenIn {
			leaving++
		}
	}
	switch {
	case len(a.Routes) == 1:
		return "direct"
	case leaving == 1 && a.Routes[len(a.Routes)-1].Weight == 10000:
		return "multi-hop"
	}
	return "split"
}

// holdings are what the two contracts hold of everything.
func (w *world) holdings(t *testing.T) map[string]*big.Int {
	t.Helper()
	router, executor := contracts.Addresses(monad.WrappedNative)
	held := map[string]*big.Int{}
	for _, token := range append(monad.Tokens(), market.Token{Symbol: "native"}) {
		held["router "+token.Address.Hex()] = w.balance(t, token.Address, router)
		held["executor "+token.Address.Hex()] = w.balance(t, token.Address, executor)
	}
	return held
}

func (w *world) sameHoldings(t *testing.T, before map[string]*big.Int) {
	t.Helper()
	for what, now := range w.holdings(t) {
		if now.Cmp(before[what]) != 0 {
			t.Errorf("%s: held %v before, %v now", what, before[what], now)
		}
	}
}

// stranger is an address that never held anything.
func stranger(r *rand.Rand) (a common.Address) {
	for i := range a {
		a[i] = byte(r.Uint32())
	}
	return a
}
