package indexer_test

import (
	"math/big"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

// BenchmarkBlock measures the time from a mined block that changes 200 of 10,000 pools
// to its snapshot, over JSON-RPC, and the processor time that node and indexer
// spend on it. They work one after the other, so that the processor time is what
// an idle machine takes.
func BenchmarkBlock(b *testing.B) {
	const others, changed = 9_800, 200
	w := newFixtureFrom(b, 0, staticSnapshot(b, others), univ2.New(monad.Sources()))
	for len(w.awaitHead().Pools()) < others+changed {
		factory, x, y := w.unpaired()
		w.mine(w.tx(factory, pack("createPair(address,address)", x[:], y[:])))
		w.mine(w.fillPair(w.pairOf(factory, x, y), x, y, 1e9)...)
	}
	pools := w.awaitHead().Pools()[others:][:changed]
	each := func(tx func(p venue.Pool, pair common.Address) *types.Transaction) {
		var txs []*types.Transaction
		for _, p := range pools {
			txs = append(txs, tx(p, common.HexToAddress(string(p.Info().ID))))
		}
		w.mine(txs...)
	}
	var took, worked []time.Duration
	for b.Loop() {
		b.StopTimer()
		each(func(p venue.Pool, pair common.Address) *types.Transaction {
			return w.tx(p.Info().Tokens[0], pack("transfer(address,uint256)", pair[:], word(u256.From(1000))))
		})
		w.awaitHead()
		each(func(_ venue.Pool, pair common.Address) *types.Transaction { return w.tx(pair, pack("sync()")) })
		began, idle := time.Now(), processor()
		b.StartTimer()
		w.awaitHead()
		took, worked = append(took, time.Since(began)), append(worked, processor()-idle)
	}
	slices.Sort(took)
	slices.Sort(worked)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(worked[len(worked)/2].Microseconds())/1000, "median-cpu-ms")
}

// staticSnapshot is a snapshot of pools that are not on the chain.
func staticSnapshot(b *testing.B, pools int) *market.Snapshot {
	tokens, source := monad.Tokens(), &venue.Source{ID: "still", Params: univ2.Fee(30)}
	var list []venue.Pool
	for i := range pools {
		pair := [2]common.Address{tokens[i%50].Address, tokens[50+i%49].Address}
		at := common.BigToAddress(big.NewInt(int64(i + 1)))
		list = append(list, univ2.NewPool(source, at, pair, u256.From(uint64(1e15+i)), u256.From(1e15)))
	}
	s, err := market.New(monad.Chain()).Next(market.Block{}, list, tokens)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// processor is the processor time of this process, over all cores.
func processor() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
