package chain_test

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/chain"
	"braid/contracts"
	"braid/devchain"
	"braid/monad"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

// Reads are pinned to their block, and one that uses up all gas or reverts does
// not affect the others.
func TestCalls(t *testing.T) {
	local, err := devchain.Start(t.Context(), devchain.Config{
		RPCAddr: "127.0.0.1:0", Artifacts: "../build/artifacts", Sources: monad.Sources(),
		Families: []venue.Family{univ2.New(monad.Sources())},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	c, err := chain.Dial(t.Context(), local.URL(), monad.ChainID)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	balance := slices.Concat(common.FromHex("0x70a08231"), common.LeftPadBytes(devchain.DevAccount[:], 32))
	recipient := common.LeftPadBytes([]byte{0xee}, 32)
	amount := common.LeftPadBytes([]byte{100}, 32)
	before, err := c.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	loop := common.FromHex("600480600b6000396000f3" + "5b600056") // a contract that loops for ever
	_, err = local.Mine(devchain.Sign(devchain.DevKey, 0, venue.Tx{
		To: monad.USDC, Gas: 100_000, Data: slices.Concat(common.FromHex("0xa9059cbb"), recipient, amount),
	}), devchain.Sign(devchain.DevKey, 1, venue.Tx{
		To: contracts.Deployer, Gas: 1_000_000, Data: slices.Concat(make([]byte, 32), loop),
	}))
	if err != nil {
		t.Fatal(err)
	}
	after, err := c.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	var calls []chain.Call
	for range 250 {
		calls = append(calls, chain.Call{To: monad.USDC, Data: balance})
	}
	calls[3] = chain.Call{To: monad.USDC, Data: []byte{1, 2, 3, 4}} // no such function
	calls[7] = chain.Call{To: crypto.CreateAddress2(contracts.Deployer, common.Hash{}, crypto.Keccak256(loop))}
	now := read(t, c, after.Hash, calls)
	then := read(t, c, before.Hash, calls)
	for i := range calls {
		if i == 3 || i == 7 {
			if now[i].OK {
				t.Errorf("call %d is OK", i)
			}
			continue
		}
		spent := u256.FromBytes(then[i].Data).Sub(u256.FromBytes(now[i].Data))
		if !now[i].OK || !then[i].OK || spent != u256.From(100) {
			t.Fatalf("call %d: %v then, %v now", i, then[i], now[i])
		}
	}
	if _, err := c.Calls(t.Context(), common.Hash{1}, calls[:1]); err == nil {
		t.Error("a block that is not there is no error")
	}
}

func read(t *testing.T, c *chain.Client, block common.Hash, calls []chain.Call) []chain.Result {
	t.Helper()
	results, err := c.Calls(t.Context(), block, calls)
	if err != nil {
		t.Fatal(err)
	}
	return results
}
