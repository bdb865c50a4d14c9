package indexer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

// TestDamagedStore: whichever byte of the file is changed, the file is found
// damaged or gives a snapshot that was written. A damaged link may lead to a sound
// page of an earlier write, which stays in the file until bbolt reuses it.
func TestDamagedStore(t *testing.T) {
	sources := monad.Sources()
	families := []venue.Family{univ2.New(sources)}
	path := filepath.Join(t.TempDir(), "market")
	open := func() *Store {
		s, err := OpenStore(path, monad.ChainID, sources, families, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	store := open()
	m, err := market.New(monad.Chain()).Next(market.Block{}, nil, monad.Tokens())
	if err != nil {
		t.Fatal(err)
	}
	written := map[uint64][][]byte{} // the pools of each block
	for number := uint64(1); number <= 6; number++ {
		var pools []venue.Pool
		for i := range 200 {
			tokens := monad.Tokens()
			pair := [2]common.Address{tokens[i%20].Address, tokens[20+i%20].Address}
			pools = append(pools, univ2.NewPool(&sources[0], common.Address{1, byte(i)}, pair, u256.From(1e9*number), u256.From(2e9)))
			written[number] = append(written[number], encodePool(store.storers, pools[i]))
		}
		if m, err = m.Next(market.Block{Number: number, Hash: common.Hash{byte(number)}}, pools, nil); err == nil {
			err = store.saveSnapshot(&state{Snapshot: m})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	store.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pages := len(whole) / os.Getpagesize()
	var links []int // positions that may hold the ID of a page
	for at := 0; at < len(whole); at += 4 {
		if n := binary.LittleEndian.Uint64(append(whole[at:at+4:at+4], 0, 0, 0, 0)); n > 1 && n < uint64(pages) && at%os.Getpagesize() != 0 {
			links = append(links, at)
		}
	}

	random := rand.New(rand.NewPCG(7, 7))
	sound := 0
	cycles := 0
	for i := range 1_000 {
		damaged := bytes.Clone(whole)
		at, value := random.IntN(len(damaged)), byte(random.Uint32())
		if i%2 == 0 {
			at, value = links[random.IntN(len(links))], byte(random.IntN(pages))
		}
		if i%100 == 0 { // a link to its own page
			value = byte(at / os.Getpagesize())
		}
		damaged[at] = value
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		s := &Store{path: path, fingerprint: store.fingerprint, sources: store.sources, storers: store.storers}
		if err := catchPanics(s.read); err != nil {
			if errors.Is(err, errCycle) {
				cycles++
			}
			continue
		}
		sound++
		if s.loaded == nil {
			continue // the header has no block
		}
		want := written[s.loaded.Block.Number]
		for j, p := range s.loaded.pools {
			if !bytes.Equal(encodePool(s.storers, p), want[j]) {
				t.Fatalf("byte %d of %d made %d: pool %d is not that of block %d", at, len(damaged), value, j, s.loaded.Block.Number)
			}
		}
	}
	if sound == 0 || sound == 1_000 || cycles == 0 {
		t.Errorf("%d files of 1,000 are accepted, %d have cycles", sound, cycles)
	}
}
