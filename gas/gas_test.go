package gas_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/gas"
	"braid/u256"
)

var (
	accounts = gas.Accounts{
		Sender: common.Address{1}, Router: common.Address{2}, Executor: common.Address{3},
		Recipient: common.Address{4}, WrappedNative: common.Address{5},
	}
	in, out, pool = common.Address{6}, common.Address{7}, common.Address{8}
)

// swap is the estimate of one step, which do reports.
func swap(s *gas.Schedule, funds gas.Funds, do func(*gas.Estimate)) int64 {
	e := gas.NewEstimate(s, accounts, funds, out, false)
	e.Begin(gas.Step{TokenIn: in, TokenOut: out, Funds: funds, All: true, To: accounts.Recipient})
	do(e)
	return e.Total()
}

func more(s *gas.Schedule, base, further func(*gas.Estimate)) int64 {
	return swap(s, gas.FromSender, func(t *gas.Estimate) { base(t); further(t) }) - swap(s, gas.FromSender, base)
}

// TestEstimate: what comes on top of a swap costs what its touches cost.
func TestEstimate(t *testing.T) {
	paid := func(e *gas.Estimate) { e.Pay(pool); e.Deliver(pool) }
	slot := func(n uint64) u256.Int { return u256.From(n) }
	for _, row := range []struct {
		name            string
		further         func(*gas.Estimate)
		ethereum, monad int64
	}{
		{"a warm account", func(e *gas.Estimate) { e.Call(out) }, 0, 0},
		{"a cold account", func(e *gas.Estimate) { e.Call(pool) }, 2_500, 10_000},
		{"a slot twice", func(e *gas.Estimate) { e.Load(pool, slot(1)); e.Load(pool, slot(1)) }, 2_000, 8_000},
		{"two slots of a page", func(e *gas.Estimate) { e.Load(pool, slot(1)); e.Load(pool, slot(2)) }, 4_000, 8_000},
		{"an empty slot, read before", func(e *gas.Estimate) { e.Load(pool, slot(1)); e.Store(pool, slot(1), true) }, 21_900, 27_800},
		{"a used slot, written twice", func(e *gas.Estimate) { e.Store(pool, slot(1), false); e.Store(pool, slot(1), false) }, 4_900, 10_800},
		{"an empty slot, cleared and filled", func(e *gas.Estimate) {
			e.Store(pool, slot(1), true)
			e.Clear(pool, slot(1), true)
			e.Store(pool, slot(1), true)
		}, 2_100 + 2*19_900, 27_800},
	} {
		if got := more(gas.Ethereum, paid, row.further); got != row.ethereum {
			t.Errorf("ethereum: %s costs %d, want %d", row.name, got, row.ethereum)
		}
		if got := more(gas.Monad, paid, row.further); got != row.monad {
			t.Errorf("monad: %s costs %d, want %d", row.name, got, row.monad)
		}
	}
}

// TestFunds: wrapping what is sent is dearer than pulling it.
func TestFunds(t *testing.T) {
	paid := func(e *gas.Estimate) { e.Pay(pool); e.Deliver(pool) }
	for _, s := range []*gas.Schedule{gas.Ethereum, gas.Monad} {
		if pulled, wrapped := swap(s, gas.FromSender, paid), swap(s, gas.FromRouter, paid); wrapped <= pulled {
			t.Errorf("%s: %d wrapped, %d pulled", s.Name, wrapped, pulled)
		}
	}
}

func TestNamed(t *testing.T) {
	if gas.Named("monad") != gas.Monad || gas.Named("ethereum") != gas.Ethereum || gas.Named("") != nil {
		t.Error("a schedule is not known by its name")
	}
}

// A token that may be a proxy burns two slots, an account and some computing
// more; wrapped native is none.
func TestProxies(t *testing.T) {
	token, wrapped := common.Address{1}, common.Address{2}
	for schedule, more := range map[*gas.Schedule]int64{gas.Ethereum: 2*2_000 + 2_500 + 3_000, gas.Monad: 2*8_000 + 10_000 + 3_000} {
		need := func(proxies bool, tokenOut common.Address) int64 {
			return gas.NewEstimate(schedule, gas.Accounts{WrappedNative: wrapped, Proxies: proxies}, gas.FromSender, tokenOut, false).Total()
		}
		if got := need(true, token) - need(false, token); got != more {
			t.Errorf("%s: a proxy burns %d more, want %d", schedule.Name, got, more)
		}
		if need(true, wrapped) != need(false, wrapped) {
			t.Errorf("%s: wrapped native is priced as a proxy", schedule.Name)
		}
	}
}
