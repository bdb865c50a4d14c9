package chain

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/market"
)

// A node whose head is below the range leaves out logs silently: the range is an
// error until it has the blocks, whether or not it answers batches.
func TestLogsAboveHead(t *testing.T) {
	for _, noBatch := range []bool{false, true} {
		p := newProvider(t, &provider{maxBlocks: 100, head: 150, noBatch: noBatch})
		c := dialProvider(t, p)
		last := uint64(0)
		err := c.LogsRange(t.Context(), 0, 300, []common.Hash{{1}}, func(logs []types.Log, upTo uint64) error {
			last = upTo
			return nil
		})
		if !errors.Is(err, ErrUnknownBlock) || last > 150 {
			t.Errorf("batches refused: %v: logs up to block %d of 150: %v", noBatch, last, err)
		}
		p.head = 299
		search(t, c, 299)
	}
}

// backends are nodes behind one URL, which answer in turn.
type backends struct {
	nodes []*provider
	next  atomic.Uint64
}

func (b *backends) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.nodes[b.next.Add(1)%uint64(len(b.nodes))].ServeHTTP(w, r)
}

// The backends of a provider may differ in height: no log is lost near the head.
func TestLogsOfLaggingBackend(t *testing.T) {
	for _, phase := range []uint64{0, 1} {
		b := &backends{}
		b.next.Store(phase)
		for _, head := range []uint64{2000, 1900} {
			b.nodes = append(b.nodes, newProvider(t, &provider{maxBlocks: 100, head: head}))
		}
		server := httptest.NewServer(b)
		c, err := Dial(t.Context(), server.URL, 143)
		if err != nil {
			t.Fatal(err)
		}
		for from, tries := uint64(0), 0; from <= 1990; tries++ {
			err := c.LogsOf(t.Context(), nil, from, 1990, []common.Hash{{1}}, func(logs []types.Log, upTo uint64) error {
				if want := upTo/70 - (from+69)/70 + 1; uint64(len(logs)) != want {
					t.Errorf("%d logs in blocks %d to %d, want %d", len(logs), from, upTo, want)
				}
				from = upTo + 1
				return nil
			})
			if err != nil && !errors.Is(err, ErrUnknownBlock) || tries > 100 {
				t.Fatal(err)
			}
		}
		c.Close()
		server.Close()
	}
}

// An empty answer for a block that may have logs counts only if the node has it:
// some answer with an empty list for any hash.
func TestLogsOfUnknownBlock(t *testing.T) {
	p := newProvider(t, &provider{maxBlocks: 1})
	c := dialProvider(t, p)
	h := Header{Block: market.Block{Number: 1, Hash: common.Hash{9}}}
	h.Bloom.Add(common.Hash{1}.Bytes())
	if logs, err := c.Logs(t.Context(), h, []common.Hash{{1}}); !errors.Is(err, ErrUnknownBlock) {
		t.Errorf("%d logs: %v", len(logs), err)
	}
	p.hasBlock = true
	if logs, err := c.Logs(t.Context(), h, []common.Hash{{1}}); err != nil || len(logs) != 0 {
		t.Errorf("%d logs: %v", len(logs), err)
	}
}
