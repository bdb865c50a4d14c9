package e2e_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"braid/monad"
	"braid/venue"
	"braid/venuetest"
)

// charged is an order with a fee, for an amount in or for an amount out.
type charged struct {
	order
	bps      int
	side     string
	to       common.Address // of the fee
	exactOut bool
}

// TestFeesAndOutputs sends orders with fees, every other one for an amount out, on
// each source alone and on all, from and to native currency: the fee arrives to the
// wei, the recipient gets the quoted amount, and at least what was asked for, the
// sender pays amountIn but for the dust of order books, and our contracts keep
// nothing. ORDERS sets how many; make fees sends 300.
func TestFeesAndOutputs(t *testing.T) {
	held := env.holdings(t)
	r := rand.New(rand.NewPCG(venuetest.Setting(t, "SEED", 1), 20))
	sources, tokens := monad.Sources(), env.tokens(t)
	hubs := []common.Address{monad.WrappedNative, monad.USDC, monad.AUSD, monad.USDT0}
	count := map[string]int{}
	orders := int(venuetest.Setting(t, "ORDERS", 28))
	for tries, next := 0, 0; count["sent"] < orders; tries++ {
		if tries > 400 { // few pairs have a pool of the source
			tries, next = 0, next+1
		}
		o := charged{bps: 1 + r.IntN(300), side: []string{"in", "out"}[r.IntN(2)], to: newAddress(r), exactOut: r.IntN(2) == 0}
		o.in, o.out, o.recipient = tokens[r.IntN(len(tokens))], hubs[r.IntN(len(hubs))], newAddress(r)
		if r.IntN(2) == 0 {
			o.in, o.out = o.out, o.in
		}
		if i := next % (len(sources) + 4); i < len(sources) {
			o.only = sources[i].ID
		}
		if o.in == o.out || !env.connected(t, o.order) {
			continue
		}
		if o.amount = env.amountFor(t, o.order, []int{20, 100, 1000}[r.IntN(3)]); o.amount == nil {
			continue
		}
		o.native = o.in == monad.WrappedNative && r.IntN(2) == 0
		if o.out == monad.WrappedNative && r.IntN(2) == 0 {
			o.out = common.Address{}
		}
		if env.sendCharged(t, o) {
			tries, next = 0, next+1
			count["sent"]++
			count["fee "+o.side]++
			count[fmt.Sprint("amount out: ", o.exactOut)]++
			count["source "+o.only]++
		}
	}
	t.Logf("%v", count)
	fmt.Printf("orders=%d fee_in=%d fee_out=%d amount_out=%d\n", orders, count["fee in"], count["fee out"], count["amount out: true"])
	env.sameHoldings(t, held)
}

// sendCharged sends an order; false if the market refuses it.
func (w *environment) sendCharged(t *testing.T, o charged) bool {
	t.Helper()
	query := o.query()
	query.Set("feeBps", fmt.Sprint(o.bps))
	query.Set("feeRecipient", o.to.Hex())
	query.Set("feeSide", o.side)
	quote, resp := w.get(t, "/quote", query)
	if resp.StatusCode != 200 {
		return false
	}
	asked := new(big.Int)
	if o.exactOut {
		asked = quote.out()
		query.Del("amount")
		query.Set("amountOut", asked.String())
	}
	body, resp := w.get(t, "/swap", query)
	if resp.StatusCode != 200 {
		if o.exactOut && (body.Code == "INSUFFICIENT_LIQUIDITY" || body.Code == "NO_ROUTE") {
			return false
		}
		t.Fatalf("%s: %s %s", query.Encode(), body.Code, body.Detail)
	}
	paid, _ := new(big.Int).SetString(body.AmountIn, 10)
	if !o.native && w.balance(t, o.in, w.from).Cmp(paid) < 0 {
		return false
	}
	feeToken, fee := common.HexToAddress(body.Fees.Integrator.Token), new(big.Int)
	fee.SetString(body.Fees.Integrator.Amount, 10)
	w.settles(t, o, query, body, paid, asked, feeToken, fee)
	return true
}

// settles sends the transaction and compares all balances with the answer.
func (w *environment) settles(t *testing.T, o charged, query url.Values, body *answer, paid, asked *big.Int, feeToken common.Address, fee *big.Int) {
	t.Helper()
	to := common.HexToAddress(body.Tx.To)
	value := new(big.Int)
	if o.native {
		value = paid
	} else {
		w.approve(t, o.in, to, paid)
	}
	gas, _ := new(big.Int).SetString(body.Tx.EstimatedGas, 10)
	had, hadIn := w.balance(t, o.out, o.recipient), w.balance(t, o.in, w.from)
	receipt := w.send(t, to, hexutil.MustDecode(body.Tx.Data), value, gas.Uint64())
	if receipt.Status != 1 {
		t.Fatalf("%s reverts, %d of %v gas used", query.Encode(), receipt.GasUsed, gas)
	}
	if got := sub(w.balance(t, o.out, o.recipient), had); got.Cmp(body.out()) != 0 || got.Cmp(asked) < 0 {
		t.Errorf("%s: asked for %v, quoted %s, received %v", query.Encode(), asked, body.AmountOut, got)
	}
	if got := w.balance(t, feeToken, o.to); got.Cmp(fee) != 0 {
		t.Errorf("%s: a fee of %v, not %v", query.Encode(), got, fee)
	}
	if !o.native {
		left := sub(paid, sub(hadIn, w.balance(t, o.in, w.from)))
		if left.Sign() < 0 || left.Sign() > 0 && !throughBook(body) {
			t.Errorf("%s: %v of amountIn was not spent", query.Encode(), left)
		}
	}
}

// throughBook says whether a route has an order book, which leaves dust.
func throughBook(a *answer) bool {
	for _, step := range a.Routes {
		if strings.EqualFold(step.PoolType, string(venue.CLOB)) {
			return true
		}
	}
	return false
}
