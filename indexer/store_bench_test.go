package indexer

import (
	"encoding/binary"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/monad"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
	"braid/venue/univ3"
)

// BenchmarkWarmStart measures, for 10,000 pools, half of them with 60 ticks: save,
// the time to write a snapshot in which 200 pools have changed; and start, the
// time from opening the store to the snapshot it holds.
func BenchmarkWarmStart(b *testing.B) {
	const pools = 10_000
	sources := monad.Sources()
	families := []venue.Family{univ2.New(sources), univ3.New(sources)}
	path := filepath.Join(b.TempDir(), "market")
	open := func() *Store {
		s, err := OpenStore(path, monad.ChainID, sources, families, nil)
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	index := func(s *Store) *Indexer {
		return New(Config{Families: families, Sources: sources, Start: market.New(monad.Chain()), Listed: monad.Tokens(), Store: s, Log: slog.New(slog.DiscardHandler)})
	}
	store := open()
	empty, err := index(store).empty.Next(market.Block{}, nil, monad.Tokens())
	if err != nil {
		b.Fatal(err)
	}
	m, err := empty.Next(market.Block{Number: 1, Hash: common.Hash{1}}, population(b, sources, pools), nil)
	if err != nil {
		b.Fatal(err)
	}
	if err := store.saveSnapshot(&state{Snapshot: m}); err != nil {
		b.Fatal(err)
	}
	b.Run("save", func(b *testing.B) {
		for range b.N {
			m, err = m.Next(m.Block(), population(b, sources, 200), nil)
			if err == nil {
				err = store.saveSnapshot(&state{Snapshot: m})
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	store.Close()
	b.Run("start", func(b *testing.B) {
		for range b.N {
			s := open()
			x := index(s)
			if err := x.resume(); err != nil || len(x.saved.Pools()) != pools {
				b.Fatal(err)
			}
			s.Close()
		}
	})
}

func population(b *testing.B, sources []venue.Source, n int) (list []venue.Pool) {
	tokens := monad.Tokens()
	for i := range n {
		var at common.Address
		binary.BigEndian.PutUint64(at[:], uint64(i+1))
		pair := [2]common.Address{tokens[i%50].Address, tokens[50+i%49].Address}
		if i%2 == 0 {
			list = append(list, univ2.NewPool(&sources[0], at, pair, u256.From(uint64(1e18)), u256.From(uint64(1e15))))
			continue
		}
		book := ticks.NewBook(60)
		for k := range int32(30) {
			var err error
			if book, err = book.With(-60*(k+1), 60*(k+1), u256.From(1e15)); err != nil {
				b.Fatal(err)
			}
		}
		list = append(list, univ3.NewPool(&sources[1], at, pair, 3000, ticks.Point{Price: u256.One.Lsh(96)}, book))
	}
	return list
}
