package univ4_test

import (
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/ethclient"

	"braid/devchain"
	"braid/monad"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ4"
)

// TestStage opens a market on a local chain: what the logs say of its pools
// can be traded, and some of them hold native.
func TestStage(t *testing.T) {
	rows := []venue.Source{{ID: "V4", Type: venue.V4, Family: univ4.Name, Factory: common.HexToAddress("0x188d586Ddcf52439676Ca21A244753fA19F9Ea8e")}}
	family := univ4.New(rows, monad.WrappedNative)
	chain, err := devchain.Start(t.Context(), devchain.Config{
		RPCAddr: "127.0.0.1:0", Artifacts: "../../build/artifacts", Seed: 1, Sources: rows, Families: []venue.Family{family},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer chain.Close()
	client, err := ethclient.Dial(chain.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	logs, err := client.FilterLogs(t.Context(), ethereum.FilterQuery{Topics: [][]common.Hash{family.Topics()}})
	if err != nil {
		t.Fatal(err)
	}
	pools := map[venue.ID]venue.Pool{}
	for i := range logs {
		e, err := family.Decode(&logs[i])
		if err != nil || e == nil {
			t.Fatalf("log %d: %v", i, err)
		}
		if pools[e.Pool()], err = family.Apply(pools[e.Pool()], e); err != nil {
			t.Fatal(err)
		}
	}
	native := 0
	for id, p := range pools {
		if len(id) != 66 {
			t.Errorf("a pool is called %s", id)
		}
		for in := range 2 {
			if _, err := p.Quote(in, 1-in, u256.FromFloat(p.Depth(in)/100)); err != nil {
				t.Errorf("pool %s, token %d: a hundredth of its depth: %v", id, in, err)
			}
		}
		if p.Call(0, 1).Body[1] == 1 {
			native++
			if p.Info().Tokens[0] != monad.WrappedNative {
				t.Errorf("pool %s has native, but not first", id)
			}
		}
	}
	if len(pools) < 50 || native == 0 || native == len(pools) {
		t.Errorf("%d pools, %d of them with native", len(pools), native)
	}
}
