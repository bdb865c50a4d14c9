package codec_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/chain"
	"braid/codec"
	"braid/devchain"
	"braid/families"
	"braid/gas"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
)

// TestHistory: a pool that is encoded with its history and decoded again has the same
// encoding, the same history and the same gas estimates, for all pools of a chain on
// which others trade. Of some pools estimates depend on the history.
func TestHistory(t *testing.T) {
	all := families.Of(monad.Sources(), monad.WrappedNative)
	local, err := devchain.Start(t.Context(), devchain.Config{
		RPCAddr: "127.0.0.1:0", Artifacts: "../build/artifacts", Seed: 1, Sources: monad.Sources(), Families: all, Activity: true, Heartbeat: 100 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	node, err := chain.Dial(t.Context(), local.URL(), monad.ChainID)
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	x := indexer.New(indexer.Config{Node: node, Families: all, Start: market.New(monad.Chain()), Listed: monad.Tokens()})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- x.Run(ctx) }()
	<-x.Ready()
	for first := x.Head().Block().Number; x.Head().Block().Number < first+10; {
		<-x.Changed()
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	storers := codec.Storers(families.Of(monad.Sources(), monad.WrappedNative))
	some, depends := map[string]int{}, map[string]int{} // by family
	for _, p := range x.Head().Pools() {
		data, history := codec.EncodePool(storers, p), codec.EncodeHistory(storers, p)
		if len(history) > 0 {
			some[p.Info().Source.Family]++
		}
		q, err := codec.DecodeWithHistory(storers, data, history)
		if err != nil {
			t.Fatalf("pool %s: %v", p.Info().ID, err)
		}
		if !bytes.Equal(codec.EncodePool(storers, q), data) || !bytes.Equal(codec.EncodeHistory(storers, q), history) {
			t.Fatalf("pool %s of %s is another when decoded", p.Info().ID, p.Info().Source.ID)
		}
		without, err := codec.DecodePool(storers, data)
		if err != nil {
			t.Fatal(err)
		}
		for in := range 2 {
			for _, part := range []float64{1e-6, 1e-3, 0.1} {
				amount := u256.FromFloat(p.Depth(in) * part)
				want := estimate(p, in, amount)
				if got := estimate(q, in, amount); got != want {
					t.Errorf("pool %s of %s: %d gas for %v, want %d", p.Info().ID, p.Info().Source.ID, got, amount, want)
				}
				if estimate(without, in, amount) != want {
					depends[p.Info().Source.Family]++
				}
			}
		}
	}
	for _, family := range []string{"univ2", "univ3", "univ4", "kuru"} {
		if some[family] == 0 || depends[family] == 0 && (family == "univ3" || family == "univ4") {
			t.Errorf("%s: %d histories, on which %d estimates depend: nothing was tested", family, some[family], depends[family])
		}
	}
}

// estimate is the gas of a swap; 0 if the pool refuses it.
func estimate(p venue.Pool, in int, amount u256.Int) int64 {
	r, ok := p.(venue.GasEstimator)
	if _, err := p.Quote(in, 1-in, amount); err != nil || !ok {
		return 0
	}
	tokens := p.Info().Tokens
	e := gas.NewEstimate(gas.Monad, gas.Accounts{Sender: common.Address{1}, Router: common.Address{2}, Executor: common.Address{3}, Recipient: common.Address{4}}, gas.FromExecutor, tokens[1-in], false)
	e.Begin(gas.Step{TokenIn: tokens[in], TokenOut: tokens[1-in], Funds: gas.FromExecutor})
	r.EstimateGas(in, 1-in, amount, e)
	return e.Total()
}

// FuzzHistory: bytes that are taken for the history of a pool are encoded in a form that
// is decoded as the same history.
func FuzzHistory(f *testing.F) {
	storers := codec.Storers(families.Of(monad.Sources(), monad.WrappedNative))
	text, err := os.ReadFile("../indexer/testdata/pools.txt") // lines of a family's name and hexadecimal bytes
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(strings.TrimSpace(string(text))) {
		_, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		data, err := hex.DecodeString(digits)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, []byte{7, 0x3f, 2, 4, 6, 8})
		f.Add(data, []byte{0x3f, 2, 4, 6, 8, 0x99, 0x99, 0x99})
		f.Add(data, []byte{2, 0, 0, 0, 0})
	}
	f.Fuzz(func(t *testing.T, data, history []byte) {
		p, err := codec.DecodeWithHistory(storers, data, history)
		if err != nil {
			return
		}
		state, first := codec.EncodePool(storers, p), codec.EncodeHistory(storers, p)
		again, err := codec.DecodeWithHistory(storers, state, first)
		if err != nil || !bytes.Equal(codec.EncodePool(storers, again), state) || !bytes.Equal(codec.EncodeHistory(storers, again), first) {
			t.Fatalf("%x with %x is encoded as %x with %x: %v", data, history, state, first, err)
		}
	})
}
