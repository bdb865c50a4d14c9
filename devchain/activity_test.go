package devchain

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"golang.org/x/sync/errgroup"

	"braid/contracts"
	"braid/families"
	"braid/monad"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

// TestTrader: in a hundred rounds the trader trades on every family, and nothing that
// it sends reverts: it knows what pools pay and the gas that takes.
func TestTrader(t *testing.T) {
	sources := monad.Sources()
	families := families.Of(sources, monad.WrappedNative)
	chain, err := Start(t.Context(), Config{
		RPCAddr: "127.0.0.1:0", Artifacts: "../build/artifacts", Seed: 1, Sources: sources, Families: families,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer chain.Close()
	chain.stop()
	chain.done.Wait() // no blocks but those of the test
	trader := newTrader(chain, families, 1)
	defer trader.node.Close()

	seen := map[string]int{}
	swapped := contracts.Router.ABI.Events["Swapped"].ID
	for range 100 {
		for _, r := range traded(t, chain, trader) {
			for _, log := range r.Logs {
				if log.Topics[0] == swapped {
					seen["swaps"]++
				}
				for _, f := range families {
					if e, err := f.Decode(log); err == nil && e != nil && trader.pools[e.Pool()] != nil {
						seen[trader.pools[e.Pool()].pool.Info().Source.Family]++
						break
					}
				}
			}
		}
	}
	t.Log(seen)
	for _, f := range families {
		if name := f.(venue.Descriptor).Name(); seen[name] == 0 {
			t.Errorf("nothing was traded on %s", name)
		}
	}
	if seen["swaps"] < 80 {
		t.Errorf("%d swaps in a hundred tries", seen["swaps"])
	}
}

// traded is the receipts of one round of the trader, none of which may have reverted.
func traded(t *testing.T, chain *Chain, trader *trader) types.Receipts {
	t.Helper()
	if err := trader.trade(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := chain.sealPending(true); err != nil {
		t.Fatal(err)
	}
	receipts := chain.eth.BlockChain().GetReceiptsByHash(chain.Head().Hash())
	for _, r := range receipts {
		if r.Status != types.ReceiptStatusSuccessful {
			t.Errorf("block %d: a transaction reverts after %d gas", r.BlockNumber, r.GasUsed)
		}
	}
	return receipts
}

// TestTraderRunsOut: a token of which the deployer has nothing left is not
// traded, and the others still are.
func TestTraderRunsOut(t *testing.T) {
	sources := monad.Sources()
	families := []venue.Family{univ2.New(sources)}
	chain, err := Start(t.Context(), Config{RPCAddr: "127.0.0.1:0", Artifacts: "../build/artifacts", Seed: 1, Sources: sources, Families: families})
	if err != nil {
		t.Fatal(err)
	}
	defer chain.Close()
	chain.stop()
	chain.done.Wait()
	trader := newTrader(chain, families, 1)
	defer trader.node.Close()
	trader.follow(t.Context())
	trader.held = map[common.Address]u256.Int{}
	nonce, err := trader.node.NonceAt(t.Context(), deployer, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, token := range []common.Address{monad.USDC, monad.WrappedNative} {
		held, err := trader.balance(t.Context(), token)
		if err != nil {
			t.Fatal(err)
		}
		amount := held.Bytes()
		data := venue.Calldata("transfer(address,uint256)", DevAccount[:], amount[:])
		if _, err := chain.Mine(Sign(deployerKey, nonce+uint64(i), venue.Tx{To: token, Data: data, Gas: approveGas})); err != nil {
			t.Fatal(err)
		}
	}
	swaps := 0
	for range 30 {
		swaps += len(traded(t, chain, trader))
	}
	if swaps == 0 {
		t.Error("nothing is traded")
	}
}

// TestSync: all of several concurrent calls of sync return.
func TestSync(t *testing.T) {
	chain, err := Start(t.Context(), Config{RPCAddr: "127.0.0.1:0", Artifacts: "../build/artifacts"})
	if err != nil {
		t.Fatal(err)
	}
	defer chain.Close()
	var all errgroup.Group
	for range 4 {
		all.Go(func() error {
			for range 200 {
				if err := chain.sync(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
}
