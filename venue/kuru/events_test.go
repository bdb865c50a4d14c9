package kuru

import (
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
	"braid/venue"
	"braid/venuetest"
)

// said is a log of a market as the published source writes it.
func said(at common.Address, topic common.Hash, numbers ...uint64) *types.Log {
	log := &types.Log{Address: at, Topics: []common.Hash{topic}}
	for _, n := range numbers {
		log.Data = append(log.Data, common.BigToHash(new(big.Int).SetUint64(n)).Bytes()...)
	}
	return log
}

func listen(t *testing.T, p *Pool, logs ...*types.Log) *Pool {
	t.Helper()
	next, err := venuetest.Applied(New(nil, wrapped), p, logs)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// TestPause: a market that is paused, or whose lots are not known yet, is
// there, says why it takes nothing, and takes nothing.
func TestPause(t *testing.T) {
	open := deep(3)
	paused := listen(t, open, said(open.market, topicState, 0, 2))
	fresh := open.next()
	fresh.terms = &terms{}
	for _, p := range []*Pool{paused, fresh} {
		if _, err := p.Quote(base, quote, u256.From(1e18)); !errors.Is(err, venue.ErrEmpty) || p.Spot(base, quote) != 0 || p.Idle() == "" {
			t.Errorf("quote says %v, spot %v, idle %q", err, p.Spot(base, quote), p.Idle())
		}
	}
	if again := listen(t, paused, said(open.market, topicState, 2, 0)); again.Idle() != "" {
		t.Errorf("open again, yet idle: %s", again.Idle())
	}
}

// TestCancel: a cancellation may be told order by order, by a list with holes,
// or twice; a flip order goes with its partner.
func TestCancel(t *testing.T) {
	p := listen(t, deep(3),
		said(common.Address{}, topicFlipPlaced, 7, 8, 0, 100, 29_000_000, 31_000_000, 1),
		said(common.Address{}, topicFlipPlaced, 8, 7, 0, 100, 31_000_000, 29_000_000, 0))
	if p.book[bids].Len() != 4 || p.book[asks].Len() != 4 {
		t.Fatalf("%d bids, %d asks", p.book[bids].Len(), p.book[asks].Len())
	}
	for _, logs := range [][]*types.Log{
		{said(p.market, topicFlipsCanceled, 64, 0, 1, 7)},
		{said(p.market, topicCanceled, 8, 0, 0, 0, 0), said(p.market, topicCanceled, 7, 0, 0, 0, 0), said(p.market, topicFlipsCanceled, 64, 0, 1, 7)},
		{said(p.market, topicCanceledMany, 64, 0, 4, 0, 7, 8, 99)},
	} {
		next := listen(t, p, logs...)
		_, bid := next.find(bids, 7)
		_, ask := next.find(asks, 8)
		if next.book[bids].Len() != 3 || next.book[asks].Len() != 3 || bid || ask {
			t.Errorf("book after: %v, %v", next.book[bids].Slice(), next.book[asks].Slice())
		}
	}
	if p.book[bids].Len() != 4 || p.book[asks].Len() != 4 {
		t.Error("the market before was changed")
	}
}

// TestStrangers: what others log is nothing, and what a market cannot have
// logged is an error.
func TestStrangers(t *testing.T) {
	f := New([]venue.Source{{ID: "Kuru", Family: Name, Factory: router}}, wrapped)
	for _, log := range []*types.Log{
		{Address: taker},
		said(taker, topicTraded, 1, 2, 3),
		said(taker, topicRegistered, 1, 2, 3),
	} {
		if e, err := f.Decode(log); e != nil || err != nil {
			t.Errorf("decoded %v, %v", e, err)
		}
	}
	if _, err := f.Decode(said(router, topicRegistered, 1, 2, 3)); err == nil {
		t.Error("a registration of three words was read")
	}
	trade := said(taker, topicTraded, 99, 0, 1, 0, 5, 0, 0, 1)
	e, err := f.Decode(trade)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Apply(nil, e); !errors.Is(err, venue.ErrUnknownPool) {
		t.Errorf("a trade of nobody: %v", err)
	}
	if _, err := f.Apply(deep(3), e); err == nil || errors.Is(err, venue.ErrUnknownPool) {
		t.Errorf("a trade of no order: %v", err)
	}
}

// TestUnsure: a step of the vault that was begun earlier and is filled up may
// or may not leave its filled part behind, by the market's version. The vault
// is read then, and nothing is quoted before.
func TestUnsure(t *testing.T) {
	f, p := New(nil, wrapped), deep(3)
	p.vault = vault{price: [2]u256.Int{wad, wad.Add(wad)}, size: [2]u256.Int{u256.From(100), u256.From(100)}}
	trade := func(left, part uint64) *types.Log {
		return said(common.Address{}, topicTraded, 0, 0, 0, 0, left, 0, 0, part)
	}
	whole := listen(t, p, trade(0, 100))
	if whole.Idle() != "" || len(f.Wants(whole)) != 0 {
		t.Errorf("a step filled in one go: idle %q, wants %d", whole.Idle(), len(f.Wants(whole)))
	}
	unsure := listen(t, p, trade(98, 2), trade(0, 98))
	if unsure.Idle() == "" || len(f.Wants(unsure)) != 1 {
		t.Fatalf("a step filled in two: idle %q, wants %d", unsure.Idle(), len(f.Wants(unsure)))
	}
	next, err := f.Load(unsure, [][]byte{said(common.Address{}, topicVault, 0, 11, 12, 13, 14, 15, 16, 30).Data})
	if err != nil {
		t.Fatal(err)
	}
	want := vault{price: [2]u256.Int{u256.From(11), u256.From(13)}, filled: [2]u256.Int{u256.From(12), u256.From(14)}, size: [2]u256.Int{u256.From(15), u256.From(16)}}
	if q := next.(*Pool); q.vault != want || q.Idle() != "" || len(f.Wants(q)) != 0 {
		t.Errorf("read %v, idle %q", q.vault, q.Idle())
	}
}
