package indexer

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/families"
	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

// realPools are encoded pools of the local chain, of every family: lines of a
// family's name and hexadecimal bytes.
func realPools(f *testing.F) (list [][]byte) {
	f.Helper()
	text, err := os.ReadFile("testdata/pools.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		_, digits, _ := strings.Cut(line, " ")
		data, err := hex.DecodeString(digits)
		if err != nil {
			f.Fatal(err)
		}
		list = append(list, data)
	}
	return list
}

func everyStorer() (list []venue.Storer) {
	for _, f := range families.Of(monad.Sources(), monad.WrappedNative) {
		list = append(list, f.(venue.Storer))
	}
	return list
}

// FuzzPool: bytes that are decoded as a pool are encoded in a form that is decoded
// as the same pool.
func FuzzPool(f *testing.F) {
	storers := everyStorer()
	for _, data := range realPools(f) {
		p, err := decodePool(storers, data)
		if err != nil || !bytes.Equal(encodePool(storers, p), data) {
			f.Fatalf("%x is not what it decodes to: %v", data, err)
		}
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := decodePool(storers, data)
		if err != nil {
			return
		}
		first := encodePool(storers, p)
		again, err := decodePool(storers, first)
		if err != nil || !bytes.Equal(encodePool(storers, again), first) {
			t.Fatalf("%x is encoded as %x: %v", data, first, err)
		}
	})
}

// FuzzRecord: a record that is accepted is one that appendChecksum makes.
func FuzzRecord(f *testing.F) {
	for i, data := range realPools(f) {
		f.Add(recordKey(i), appendChecksum(recordKey(i), data))
		f.Add(recordKey(i+1), appendChecksum(recordKey(i), data))
	}
	f.Add(keyHead, []byte{})
	f.Fuzz(func(t *testing.T, key, record []byte) {
		value, err := verifyChecksum(key, record)
		if err == nil && !bytes.Equal(appendChecksum(key, value), record) {
			t.Fatalf("%x: %x", key, record)
		}
	})
}

// FuzzStoreFile: bytes written anywhere into the file of a store leave a file that
// is refused, or gives a snapshot that was written.
func FuzzStoreFile(f *testing.F) {
	sources, tokens := monad.Sources(), monad.Tokens()
	path := filepath.Join(f.TempDir(), "market")
	store, err := OpenStore(path, monad.ChainID, sources, []venue.Family{univ2.New(sources)}, nil)
	if err != nil {
		f.Fatal(err)
	}
	m, err := market.New(monad.Chain()).Next(market.Block{}, nil, tokens)
	if err != nil {
		f.Fatal(err)
	}
	written := map[uint64][]byte{} // the pool of each block
	for number := uint64(1); number <= 3; number++ {
		p := univ2.NewPool(&sources[0], common.Address{1}, [2]common.Address{tokens[0].Address, tokens[1].Address}, u256.From(1e9*number), u256.From(2e9))
		if m, err = m.Next(market.Block{Number: number, Hash: common.Hash{byte(number)}}, []venue.Pool{p}, nil); err == nil {
			err = store.saveSnapshot(&state{Snapshot: m})
		}
		if err != nil {
			f.Fatal(err)
		}
		written[number] = encodePool(store.storers, p)
	}
	if err := store.Close(); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(0, []byte{})
	for _, at := range []int{16, 4096, 8192, 8202, 12288, 16400, len(whole) / 2} {
		f.Add(at, []byte{0xff, 1, 2})
		f.Add(at, whole[:64])
	}
	f.Fuzz(func(t *testing.T, at int, change []byte) {
		file := bytes.Clone(whole)
		copy(file[int(uint(at)%uint(len(file))):], change)
		damaged := filepath.Join(t.TempDir(), "market")
		if err := os.WriteFile(damaged, file, 0o600); err != nil {
			t.Fatal(err)
		}
		s := &Store{path: damaged, fingerprint: store.fingerprint, sources: store.sources, storers: store.storers}
		if catchPanics(s.read) != nil || s.loaded == nil {
			return
		}
		want := written[s.loaded.Block.Number]
		if len(s.loaded.pools) != 1 || !bytes.Equal(encodePool(s.storers, s.loaded.pools[0]), want) || len(s.loaded.tokens) != len(tokens) {
			t.Fatalf("%x at %d: %d pools and %d tokens of block %d", change, at, len(s.loaded.pools), len(s.loaded.tokens), s.loaded.Block.Number)
		}
	})
}

// FuzzTokens: whatever the Lens returns, each answer is part of it, and their
// number is bounded by its length.
func FuzzTokens(f *testing.F) {
	text, err := os.ReadFile("testdata/tokens.hex")
	if err != nil {
		f.Fatal(err)
	}
	data := common.FromHex(strings.TrimSpace(string(text)))
	rest := data
	decimals, symbol, name := nextAnswer(&rest), nextAnswer(&rest), nextAnswer(&rest)
	if token, ok := describeToken(monad.USDC, decimals, symbol, name); !ok || token.Symbol != "USDC" || token.Decimals != 6 {
		f.Fatalf("the first token is %+v", token)
	}
	f.Add(data)
	f.Add(data[:len(data)-32])
	f.Add(bytes.Repeat([]byte{0xff}, 96))
	f.Fuzz(func(t *testing.T, data []byte) {
		for rest := data; len(rest) > 0; {
			before := len(rest)
			answers := [3][]byte{nextAnswer(&rest), nextAnswer(&rest), nextAnswer(&rest)}
			for _, a := range answers {
				if !bytes.Contains(data, a) {
					t.Fatalf("%x is not part of the data", a)
				}
			}
			if token, ok := describeToken(common.Address{}, answers[0], answers[1], answers[2]); ok && token.Decimals > maxDecimals {
				t.Fatalf("%d decimals", token.Decimals)
			}
			if len(rest) == before {
				return // less than a length is left
			}
		}
	})
}
