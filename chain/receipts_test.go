package chain

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"
)

// randomReceipts are of all transaction types, failed and not, with 0 to 4 logs.
func randomReceipts(random *rand.Rand, n int) (list types.Receipts) {
	fill := func(b []byte) []byte {
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return b
	}
	for i := range n {
		r := &types.Receipt{Type: uint8(i % 5), Status: random.Uint64N(2), CumulativeGasUsed: random.Uint64() >> random.IntN(64), Logs: []*types.Log{}}
		if i%17 == 3 {
			r.Type, r.PostState = 0, fill(make([]byte, 32))
		}
		for range random.IntN(5) {
			log := &types.Log{Address: common.BytesToAddress(fill(make([]byte, 20))), Topics: []common.Hash{}, Data: fill(make([]byte, random.IntN(300)))}
			for range random.IntN(5) {
				log.Topics = append(log.Topics, common.BytesToHash(fill(make([]byte, 32))))
			}
			r.Logs = append(r.Logs, log)
		}
		r.Bloom = types.CreateBloom(r)
		list = append(list, r)
	}
	return list
}

// Scanned receipts hash to the root that go-ethereum computes, whatever the white
// space between them.
func TestReceiptsMakeTheRoot(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for n := range 40 {
		list := randomReceipts(random, n)
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		var airy bytes.Buffer
		json.Indent(&airy, text, "\t", "\r\n ")
		for _, text := range [][]byte{text, airy.Bytes()} {
			s := &jsonScanner{text: text}
			got := s.receipts()
			if s.err != nil || types.DeriveSha(got, trie.NewStackTrie(nil)) != types.DeriveSha(list, trie.NewStackTrie(nil)) {
				t.Fatalf("%d receipts: %v", n, s.err)
			}
		}
		for range 20 { // cut short, it is an error
			s := &jsonScanner{text: text[:random.IntN(len(text))]}
			if s.receipts(); s.err == nil {
				t.Fatalf("%s is taken for receipts", s.text)
			}
		}
	}
	for _, text := range []string{strings.Repeat("[", 1<<20), `[{"logs":` + strings.Repeat(`[{"x":`, 1<<16), `[{"status":"0x"}]`, `[{"logsBloom":"0x00"}]`, `[{"root":"0xf"}]`, `[,]`, `[{"type":"0x1" "status":"0x1"}]`} {
		s := &jsonScanner{text: []byte(text)}
		if s.receipts(); s.err == nil {
			t.Errorf("%.40s is taken for receipts", text)
		}
	}
}

// FuzzScan: what encoding/json accepts can be skipped.
func FuzzScan(f *testing.F) {
	for _, text := range []string{`{"a":[1,-2.5e+3,true,false,null,"\"\\"],"b":{}}`, `[]`, ` "x" `, `nul`, `[[`, `{"a"}`, "\"\\"} {
		f.Add([]byte(text))
	}
	real, _ := answer(f, "receipts.json")
	f.Add(real)
	f.Fuzz(func(t *testing.T, text []byte) {
		s := &jsonScanner{text: text}
		s.skip()
		s.peek()
		if whole := s.err == nil && s.pos == len(text); json.Valid(text) && !whole && !bytes.Contains(text, []byte(`\`)) && bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) <= maxDepth {
			t.Fatalf("%q: %v at %d", text, s.err, s.pos)
		}
	})
}

func BenchmarkReceipts(b *testing.B) {
	text, _ := json.Marshal(randomReceipts(rand.New(rand.NewPCG(1, 1)), 200))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s := &jsonScanner{text: text}
		if s.receipts(); s.err != nil {
			b.Fatal(s.err)
		}
	}
}
