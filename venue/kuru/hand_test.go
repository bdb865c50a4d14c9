package kuru

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/contracts"
	"braid/u256"
)

// TestHand makes swaps through our own contracts: the recipient gets what was
// quoted to the wei, what is less than a lot stays with the sender, and nothing
// is left on the way.
func TestHand(t *testing.T) {
	x, err := newExchange()
	if err != nil {
		t.Fatal(err)
	}
	weth, err := contracts.Read("../../build/artifacts/WETH9.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.machine.Etch(maker, wrapped, weth.Code); err != nil {
		t.Fatal(err)
	}
	if _, err := x.machine.Call(taker, wrapped, u256.One.Lsh(190), nil); err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]common.Address{{x.tokens[18], x.tokens[6]}, {{}, x.tokens[6]}, {x.tokens[8], {}}} {
		m, err := x.open(conditions{
			Base: pair[0], Quote: pair[1], SizePrecision: big.NewInt(1e6), PricePrecision: 1e7, TickSize: 10,
			MinSize: big.NewInt(1), MaxSize: big.NewInt(1e18), TakerFeeBps: big.NewInt(7), MakerFeeBps: big.NewInt(3), Spread: big.NewInt(50),
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint32(5) {
			size := big.NewInt(123_456_789)
			if err := m.do(u256.Zero, m.at, x.clob, "addSellOrder", 20_010_000+7_770*i, size, true); err != nil {
				t.Fatal(err)
			}
			if err := m.do(u256.Zero, m.at, x.clob, "addBuyOrder", 19_990_000-7_770*i, size, true); err != nil {
				t.Fatal(err)
			}
		}
		for in := range 2 {
			m.swap(t, in)
		}
	}
}

// swap takes three and a half orders and some dust.
func (m *market) swap(t *testing.T, in int) {
	t.Helper()
	units := u256.From([]uint64{base: 432_098_761, quote: 8_641_975_230}[in])
	lot := m.pool.lot[in]
	dust := u256.Zero
	if lot.exponent > 1 {
		dust = lot.ten.Sub(u256.From(7))
	}
	spent := lot.amount(units)
	q, err := m.pool.Quote(in, 1-in, spent.Add(dust))
	if err != nil {
		t.Fatal(err)
	}
	router, executor := m.aggregator(t)
	tokenIn, tokenOut := m.pool.info.Tokens[in], m.pool.info.Tokens[1-in]
	route := append([]byte{0, Kind, 0, 1, 0, 0, 0, 0}, m.pool.Call(in, 1-in).Body...)
	if _, err := m.call(taker, tokenIn, contracts.Token, "approve", router, u256.Max.Big()); err != nil {
		t.Fatal(err)
	}
	had, got := m.holds(tokenIn, taker), m.holds(tokenOut, maker)
	r, err := m.call(taker, router, contracts.Router, "swap", tokenIn, spent.Add(dust).Big(), tokenOut, q.Out.Big(),
		maker, big.NewInt(1<<40), executor, route)
	if err != nil {
		t.Fatalf("native %v, in %d: %v", m.pool.native, in, err)
	}
	if paid := m.holds(tokenOut, maker).Sub(got); paid != q.Out {
		t.Errorf("native %v, in %d: paid %v, quoted %v", m.pool.native, in, paid, q.Out)
	}
	if used := had.Sub(m.holds(tokenIn, taker)); used != spent {
		t.Errorf("native %v, in %d: used %v, not %v", m.pool.native, in, used, spent)
	}
	for _, who := range []common.Address{router, executor} {
		for _, token := range []common.Address{tokenIn, tokenOut} {
			if left := m.holds(token, who); !left.IsZero() || !m.machine.Balance(who).IsZero() {
				t.Errorf("native %v, in %d: %v of %s left behind", m.pool.native, in, left, token)
			}
		}
	}
	if !m.pool.native[in] {
		r, err := m.call(taker, tokenIn, contracts.Token, "allowance", executor, m.at)
		if left := u256.FromBytes(r.Return); err != nil || !left.IsZero() {
			t.Errorf("in %d: an allowance of %v is left (%v)", in, left, err)
		}
	}
	if err := m.hear(r.Logs); err != nil {
		t.Fatal(err)
	}
	if err := m.verify(); err != nil {
		t.Error(err)
	}
}

// aggregator deploys our contracts.
func (m *market) aggregator(t *testing.T) (router, executor common.Address) {
	t.Helper()
	router, err := m.machine.Create(maker, contracts.RouterInit(wrapped))
	if err != nil {
		t.Fatal(err)
	}
	if executor, err = m.machine.Create(maker, contracts.ExecutorInit(router, wrapped)); err != nil {
		t.Fatal(err)
	}
	return router, executor
}

func (m *market) holds(token, who common.Address) u256.Int {
	r, err := m.call(taker, token, contracts.Token, "balanceOf", who)
	if err != nil {
		panic(err)
	}
	return u256.FromBytes(r.Return)
}
