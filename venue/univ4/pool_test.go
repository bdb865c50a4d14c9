package univ4_test

import (
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
	"braid/venue"
	"braid/venue/univ4"
	"braid/venuetest"
)

func TestLaws(t *testing.T) { venuetest.RangedLaws(t, newContract(t)) }

// TestMostTicks follows a pool to whose ticks one position is added each.
func TestMostTicks(t *testing.T) {
	manager := common.HexToAddress("0x0a")
	f := univ4.New([]venue.Source{{Family: univ4.Name, Factory: manager}}, wrappedNative)
	log := func(topic int, topics []common.Hash, words ...u256.Int) *types.Log {
		l := &types.Log{Address: manager, Topics: append([]common.Hash{f.Topics()[topic], {1}}, topics...)}
		for _, w := range words {
			b := w.Bytes()
			l.Data = append(l.Data, b[:]...)
		}
		return l
	}
	logs := []*types.Log{log(0, []common.Hash{{31: 2}, {31: 3}}, u256.From(500), u256.One, u256.Zero, u256.One.Lsh(96), u256.Zero)}
	for i := uint64(0); i < 6000; i += 2 {
		lower := u256.From(i).Sub(u256.From(3000))
		logs = append(logs, log(1, []common.Hash{{}}, lower, lower.Add(u256.One), u256.From(1e15), u256.Zero))
	}
	p, err := venuetest.Applied(f, venue.Pool(nil), logs)
	if err != nil {
		t.Fatal(err)
	}
	venuetest.MostTicks(t, p)
}

func TestSwap(t *testing.T) { venuetest.RangedSwaps(t, newContract(t)) }

// TestIdle: pools that are not routed are there, and say why.
func TestIdle(t *testing.T) {
	manager := common.HexToAddress("0x0a")
	f := univ4.New([]venue.Source{{Family: univ4.Name, Factory: manager}}, wrappedNative)
	initialize := func(currency0, hooks common.Address, fee uint64) venue.Pool {
		var data []byte
		for _, w := range []u256.Int{u256.From(fee), u256.From(60), u256.FromBytes(hooks[:]), u256.One.Lsh(96), u256.Zero} {
			b := w.Bytes()
			data = append(data, b[:]...)
		}
		e, err := f.Decode(&types.Log{Address: manager, Data: data, Topics: []common.Hash{
			f.Topics()[0], {1}, common.BytesToHash(currency0[:]), common.BytesToHash(wrappedNative[:]),
		}})
		if err != nil {
			t.Fatal(err)
		}
		if e == nil {
			return nil
		}
		p, err := f.Apply(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	token, hook := common.HexToAddress("0x0b"), common.HexToAddress("0x80")
	for want, p := range map[string]venue.Pool{
		"it has a hook":      initialize(token, hook, 3000),
		"its fee is dynamic": initialize(token, common.Address{}, 0x800000),
		"":                   initialize(token, common.Address{}, 3000),
	} {
		if got := p.(*univ4.Pool).Idle(); got != want {
			t.Errorf("idle for %q, not %q", got, want)
		}
		if _, err := p.Quote(0, 1, u256.One); !errors.Is(err, venue.ErrEmpty) {
			t.Errorf("an idle or empty pool quotes: %v", err)
		}
	}
	if p := initialize(common.Address{}, common.Address{}, 3000); p != nil {
		t.Error("native against wrapped native became a pool")
	}
}

// TestSpacing: a log that says a tick spacing of zero or less makes no pool.
func TestSpacing(t *testing.T) {
	manager := common.HexToAddress("0x0a")
	f := univ4.New([]venue.Source{{Family: univ4.Name, Factory: manager}}, wrappedNative)
	for spacing, sound := range map[int32]bool{1: true, 0: false, -60: false} {
		data := make([]byte, 5*32)
		word := u256.From(uint64(max(spacing, 0)))
		if spacing < 0 {
			word = u256.Zero.Sub(u256.From(uint64(-spacing)))
		}
		b := word.Bytes()
		copy(data[32:], b[:])
		_, err := f.Decode(&types.Log{Address: manager, Data: data, Topics: []common.Hash{f.Topics()[0], {1}, {31: 2}, {31: 3}}})
		if (err == nil) != sound {
			t.Errorf("a spacing of %d: %v", spacing, err)
		}
	}
}
