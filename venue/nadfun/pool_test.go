package nadfun

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
	"braid/venue"
	"braid/venuetest"
)

var coin = common.HexToAddress("0x00000000000000000000000000000000000000c0")

// launched is a curve before any trade.
func launched(fee uint64, mons, tokens, forSale string) *Pool {
	source := &venue.Source{ID: "NadFun", Type: venue.BondingCurve, Family: Name, Factory: curveAt, Params: Router(routerAt)}
	p := &Pool{
		info:    &venue.Info{ID: venue.AddressID(coin), Source: source, Tokens: []common.Address{wrapped, coin}},
		address: coin,
		virtual: [2]u256.Int{u256.MustDecimal(mons), u256.MustDecimal(tokens)},
		real:    supply,
	}
	p.terms = terms{
		k: p.virtual[mon].Mul(p.virtual[token]), target: supply.Sub(u256.MustDecimal(forSale)),
		first: p.virtual[token], fee: u256.From(fee),
	}
	return p
}

// after is the pool after a buy that it must take.
func after(t *testing.T, p *Pool, amount string) *Pool {
	t.Helper()
	next, err := p.Swap(mon, token, u256.MustDecimal(amount))
	if err != nil {
		t.Fatal(err)
	}
	return next.(*Pool)
}

func TestLaws(t *testing.T) {
	const mons, tokens, forSale = "90000000000000000000000", "1120000000000000000000000000", "800000000000000000000000000"
	fresh := launched(10_000, mons, tokens, forSale)
	free := launched(0, mons, tokens, forSale)
	full := after(t, free, "225000000000000000000000")
	if full.Idle() != locked {
		t.Errorf("sold out, but idle for %q", full.Idle())
	}
	unknown := *fresh
	unknown.idle = unread
	venuetest.Laws(t, []venue.Pool{
		fresh, free, full, &unknown,
		after(t, fresh, "50000000000000000000000"),
		after(t, fresh, "227272727272727272727272"),
		launched(100_000, "1", tokens, forSale),
		launched(1, "7", "11", "10"),
	})
}

// TestStrangers: others may use the same words, and are not heard.
func TestStrangers(t *testing.T) {
	f := New([]venue.Source{{Family: Name, Factory: curveAt}}, wrapped)
	data, who := make([]byte, 128), common.BytesToHash(coin[:])
	if e, err := f.Decode(&types.Log{Address: coin, Topics: []common.Hash{topicSynced, who}, Data: data}); e != nil || err != nil {
		t.Errorf("a stranger's CurveSync: %v, %v", e, err)
	}
	if _, err := f.Decode(&types.Log{Address: curveAt, Topics: []common.Hash{topicSynced, who}, Data: data[1:]}); err == nil {
		t.Error("a CurveSync of 127 bytes can be read")
	}
	e, err := f.Decode(&types.Log{Address: curveAt, Topics: []common.Hash{topicSynced, who}, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Apply(nil, e); err != venue.ErrUnknownPool {
		t.Errorf("CurveSync of a curve never created: %v", err)
	}
}

func BenchmarkQuote(b *testing.B) {
	p := launched(10_000, "90000000000000000000000", "1120000000000000000000000000", "800000000000000000000000000")
	amount := u256.MustDecimal("1000000000000000000")
	for b.Loop() {
		p.Quote(mon, token, amount)
	}
}
