package venuetest

import (
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/ethclient"

	"braid/devchain"
	"braid/u256"
	"braid/venue"
)

// Staged sets up one family on a local chain and returns its pools as the logs
// give them. Each must take swaps in both directions.
func Staged(t *testing.T, family venue.Family, sources []venue.Source) (*ethclient.Client, map[venue.ID]venue.Pool) {
	t.Helper()
	chain, err := devchain.Start(t.Context(), devchain.Config{
		RPCAddr: "127.0.0.1:0", Artifacts: "../../build/artifacts", Seed: 1, Sources: sources, Families: []venue.Family{family},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { chain.Close() })
	client, err := ethclient.Dial(chain.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
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
	for id, p := range pools {
		for in := range 2 {
			if _, err := p.Quote(in, 1-in, u256.FromFloat(p.Depth(in)/100)); err != nil {
				t.Errorf("pool %s, token %d: a hundredth of its depth: %v", id, in, err)
			}
		}
	}
	return client, pools
}
