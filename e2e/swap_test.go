package e2e_test

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

// order is a swap to be made.
type order struct {
	in, out   common.Address // out is zero for native
	amount    *big.Int
	native    bool // paid with the value of the transaction
	recipient common.Address
	only      string // ID of the only source to use; empty for all
}

func (o order) query() url.Values {
	return url.Values{
		"tokenIn": {o.in.Hex()}, "tokenOut": {o.out.Hex()}, "amount": {o.amount.String()}, "recipient": {o.recipient.Hex()},
		"maxPriceImpactBps": {"10000"}, "excludeSources": {others(o.only)},
	}
}

// others are the IDs of all sources but one; none if only is empty.
func others(only string) string {
	var ids []string
	for _, s := range monad.Sources() {
		if only != "" && s.ID != only {
			ids = append(ids, s.ID)
		}
	}
	return strings.Join(ids, ",")
}

// swap quotes, approves and sends an order, and compares what the recipient
// receives with the quoted amount. It returns the answer of /swap.
func (w *environment) swap(t *testing.T, o order) *answer {
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

// TestSwaps sends swaps between many pairs, from a few raw units to a price impact
// of 20 %, to recipients that never held the token.
func TestSwaps(t *testing.T) {
	held := env.holdings(t)
	r := rand.New(rand.NewPCG(7, 7))
	tokens := monad.Tokens()
	shapes := map[string]int{}
	for i := range 2 * len(tokens) {
		in := tokens[i%len(tokens)]
		out := tokens[(i+1+r.IntN(len(tokens)-1))%len(tokens)]
		o := order{in: in.Address, out: out.Address, recipient: newAddress(r)}
		if !env.connected(t, o) {
			shapes["not connected"]++
			continue
		}
		if o.amount = env.amountFor(t, o, []int{0, 0, 30, 500, 2000}[i%5]); o.amount == nil {
			t.Fatalf("no amount of %s buys %s", o.in, o.out)
		}
		shapes[shape(env.swap(t, o))]++
	}
	// The deepest pair, where splits pay.
	for _, whole := range []int64{1, 1_000, 100_000, 3_000_000} {
		amount := new(big.Int).Mul(big.NewInt(whole), big.NewInt(1e18))
		shapes[shape(env.swap(t, order{in: monad.WrappedNative, out: monad.USDC, amount: amount, recipient: newAddress(r)}))]++
	}
	t.Logf("routes sent: %v", shapes)
	for _, s := range []string{"direct", "multi-hop", "split"} {
		if shapes[s] == 0 {
			t.Errorf("no %s route was sent", s)
		}
	}
	if far := shapes["not connected"]; far > 20 {
		t.Errorf("%d of %d pairs have no route", far, 2*len(tokens))
	}
	env.sameHoldings(t, held)
}

// TestEverySource swaps on each source alone, in both directions and at several
// sizes.
func TestEverySource(t *testing.T) {
	held := env.holdings(t)
	r := rand.New(rand.NewPCG(6, 6))
	tokens := env.tokens(t)
	for _, source := range monad.Sources() {
		t.Run(source.ID, func(t *testing.T) {
			sent := 0
			for _, i := range r.Perm(len(tokens)) {
				for _, hub := range []common.Address{monad.WrappedNative, monad.USDC, monad.AUSD, monad.USDT0} {
					o := order{in: tokens[i], out: hub, only: source.ID}
					if o.in == hub || !env.connected(t, o) || sent == 12 {
						continue
					}
					for _, back := range []bool{false, true} {
						if back {
							o.in, o.out = o.out, o.in
						}
						o.recipient = newAddress(r)
						if o.amount = env.amountFor(t, o, []int{0, 100, 2000}[sent%3]); o.amount == nil {
							if source.Type != venue.CLOB { // whose books may be all but empty on one side
								t.Fatalf("no amount of %s buys %s", o.in, o.out)
							}
							continue
						}
						o.native = o.in == monad.WrappedNative && sent%4 == 3
						env.swap(t, o)
						sent++
					}
				}
			}
			if sent < 2 {
				t.Error("nothing could be swapped")
			}
		})
	}
	env.sameHoldings(t, held)
}

// TestNative pays with value what /swap wrote for wrapped native, and names native
// currency by both addresses that the API knows.
func TestNative(t *testing.T) {
	held := env.holdings(t)
	r := rand.New(rand.NewPCG(8, 8))
	amount := big.NewInt(5e18)
	env.swap(t, order{in: monad.WrappedNative, out: monad.USDC, amount: amount, native: true, recipient: newAddress(r)})
	env.swap(t, order{in: monad.WrappedNative, out: monad.USDC, amount: amount, recipient: newAddress(r)})
	env.swap(t, order{in: monad.USDC, amount: big.NewInt(7e6), recipient: newAddress(r)})

	o := order{in: common.HexToAddress("0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"), out: monad.USDC, amount: amount, recipient: newAddress(r), native: true}
	if swap := env.swap(t, o); swap.Tx.Value != amount.String() || !strings.EqualFold(swap.TokenIn, monad.WrappedNative.Hex()) {
		t.Errorf("native alias in: value %s, tokenIn %s", swap.Tx.Value, swap.TokenIn)
	}
	env.sameHoldings(t, held)
}

// TestMovedPrice sends a swap after the price has moved beyond its slippage: it
// reverts with the Router's error, and no tokens move.
func TestMovedPrice(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	o := order{in: monad.USDC, out: monad.WrappedNative, amount: big.NewInt(50e6), recipient: newAddress(r), only: "UniswapV2"}
	swap, resp := env.get(t, "/swap", o.query())
	if resp.StatusCode != 200 {
		t.Fatal(swap.Code, swap.Detail)
	}
	// Others buy the same token first, until it is 5 % dearer.
	mover := order{in: monad.USDC, out: monad.WrappedNative, recipient: newAddress(r), only: "UniswapV2"}
	mover.amount = env.amountFor(t, mover, 500)
	for dear := percent(swap.out(), 95); ; mover.amount.Lsh(mover.amount, 1) {
		env.swap(t, mover)
		if now, _ := env.get(t, "/quote", o.query()); now.out().Cmp(dear) < 0 {
			break
		}
	}

	to := common.HexToAddress(swap.Tx.To)
	env.approve(t, o.in, to, o.amount)
	before := env.balance(t, o.in, env.from)
	gas, _ := new(big.Int).SetString(swap.Tx.EstimatedGas, 10)
	receipt := env.send(t, to, hexutil.MustDecode(swap.Tx.Data), nil, gas.Uint64())
	if receipt.Status != 0 {
		t.Fatal("a swap beyond its slippage succeeded")
	}
	if name := env.revertName(t, to, swap.Tx.Data); name != "TooLittleOut" {
		t.Errorf("reverts with %q", name)
	}
	if now := env.balance(t, o.in, env.from); now.Cmp(before) != 0 {
		t.Errorf("the sender's balance moved from %v to %v", before, now)
	}
	if got := env.balance(t, o.out, o.recipient); got.Sign() != 0 {
		t.Errorf("the recipient received %v", got)
	}
}

// percent is a part of n.
func percent(n *big.Int, part int64) *big.Int {
	return new(big.Int).Div(new(big.Int).Mul(n, big.NewInt(part)), big.NewInt(100))
}

// TestViem swaps from JavaScript, with viem.
func TestViem(t *testing.T) {
	cmd := exec.Command("node", "swap.mjs", env.base, env.url)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "3 swaps paid what was quoted") {
		t.Fatalf("%v\n%s", err, out)
	}
}

// connected says whether there is a route from one token to the other: a few small
// tokens are more hops apart than a route may have.
func (w *environment) connected(t *testing.T, o order) bool {
	t.Helper()
	o.amount = big.NewInt(1)
	a, _ := w.get(t, "/quote", o.query())
	return a.Code != "NO_ROUTE"
}

// amountFor is an amount with a price impact of about bps; for 0, the least power of
// four that buys something; nil if none does.
func (w *environment) amountFor(t *testing.T, o order, bps int) *big.Int {
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

// shape is direct (one step), multi-hop (no split) or split.
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

// holdings are the balances of Router and Executor, of every token and native.
func (w *environment) holdings(t *testing.T) map[string]*big.Int {
	t.Helper()
	router, executor := contracts.Addresses(monad.WrappedNative)
	held := map[string]*big.Int{}
	for _, token := range append(monad.Tokens(), market.Token{Symbol: "native"}) {
		held["router "+token.Address.Hex()] = w.balance(t, token.Address, router)
		held["executor "+token.Address.Hex()] = w.balance(t, token.Address, executor)
	}
	return held
}

// sameHoldings checks that Router and Executor have kept nothing.
func (w *environment) sameHoldings(t *testing.T, before map[string]*big.Int) {
	t.Helper()
	for what, now := range w.holdings(t) {
		if now.Cmp(before[what]) != 0 {
			t.Errorf("%s: held %v before, %v now", what, before[what], now)
		}
	}
}

// newAddress is an address that never held anything.
func newAddress(r *rand.Rand) (a common.Address) {
	for i := range a {
		a[i] = byte(r.Uint32())
	}
	return a
}
