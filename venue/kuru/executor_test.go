package kuru

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venuetest"
)

// TestExecutor makes swaps through our own contracts: the recipient gets what was
// quoted to the wei, what is less than a lot stays with the sender, and nothing
// is left on the way.
func TestExecutor(t *testing.T) {
	x := newExchange(t)
	x.Put(wrapped, "WETH9")
	x.Must(taker, wrapped, u256.One.Lsh(190), "WETH9", "deposit")
	executor := x.NewExecutor(wrapped)
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
			if err := m.do(m.at, "KuruOrderBook", "addSellOrder", 20_010_000+7_770*i, size, true); err != nil {
				t.Fatal(err)
			}
			if err := m.do(m.at, "KuruOrderBook", "addBuyOrder", 19_990_000-7_770*i, size, true); err != nil {
				t.Fatal(err)
			}
		}
		for in := range 2 {
			m.swap(executor, in)
		}
	}
}

// swap takes three and a half orders and some dust.
func (m *market) swap(executor venuetest.Executor, in int) {
	m.Helper()
	units := u256.From([]uint64{base: 432_098_761, quote: 8_641_975_230}[in])
	lot := m.pool.lot[in]
	dust := u256.Zero
	if lot.exponent > 1 {
		dust = lot.ten.Sub(u256.From(7))
	}
	token, spent := m.pool.info.Tokens[in], lot.amount(units)
	had := m.Holds(token, taker)
	r, err := executor.Swap(m.pool, in, 1-in, spent.Add(dust))
	if err != nil {
		m.Fatalf("native %v, in %d: %v", m.pool.native, in, err)
	}
	if used := had.Sub(m.Holds(token, taker)); used != spent {
		m.Errorf("native %v, in %d: used %v, not %v", m.pool.native, in, used, spent)
	}
	if !m.pool.native[in] {
		left := u256.FromBytes(m.Must(taker, token, u256.Zero, "Token", "allowance", executor.Executor, m.at).Return)
		if !left.IsZero() {
			m.Errorf("in %d: an allowance of %v is left", in, left)
		}
	}
	if err := m.apply(r.Logs); err != nil {
		m.Fatal(err)
	}
	if err := m.verify(); err != nil {
		m.Error(err)
	}
}
