package indexer_test

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/monad"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

// BenchmarkBlock is the time from a sealed block that changes 200 pools to its
// market, over JSON-RPC, and the processor time that node and indexer spend on
// it: one after the other, so that it is the time an idle machine takes.
func BenchmarkBlock(b *testing.B) {
	const changed = 200
	w := newWorldOf(b, 0, univ2.New(monad.Sources()))
	for len(w.settle().Pools()) < changed {
		factory, x, y := w.unpaired()
		w.mine(w.tx(factory, pack("createPair(address,address)", x[:], y[:])))
	}
	pools := w.settle().Pools()[:changed]
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
		w.settle()
		each(func(_ venue.Pool, pair common.Address) *types.Transaction { return w.tx(pair, pack("sync()")) })
		began, idle := time.Now(), processor()
		b.StartTimer()
		w.settle()
		took, worked = append(took, time.Since(began)), append(worked, processor()-idle)
	}
	slices.Sort(took)
	slices.Sort(worked)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(worked[len(worked)/2].Microseconds())/1000, "median-cpu-ms")
}

// processor is the time that all cores have worked for this process.
func processor() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
