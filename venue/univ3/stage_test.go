package univ3_test

import (
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/ethclient"

	"braid/contracts"
	"braid/devchain"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ3"
)

// TestStage opens a market on a local chain, with a plain source, one with a
// callback of its own and Pancake, and holds what the logs say to what the
// pools answer.
func TestStage(t *testing.T) {
	rows := []venue.Source{
		{ID: "Plain", Factory: common.HexToAddress("0x204FAca1764B154221e35c0d20aBb3c525710498")},
		{ID: "Renamed", Factory: common.HexToAddress("0x6B5F564339DbAD6b780249827f2198a841FEB7F3"), Callback: "capricornCLSwapCallback"},
		{ID: "Pancake", Factory: common.HexToAddress("0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865"), Deployer: common.HexToAddress("0x41ff9AA7e16B8B1a8a8dc4f0eFacd93D02d071c9")},
	}
	for i := range rows {
		rows[i].Type, rows[i].Family = venue.V3, univ3.Name
	}
	family := univ3.New(rows)
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
	of := map[string]int{}
	for i := range logs {
		e, err := family.Decode(&logs[i])
		if err != nil || e == nil {
			t.Fatalf("log %d: %v", i, err)
		}
		if pools[e.Pool()], err = family.Apply(pools[e.Pool()], e); err != nil {
			t.Fatal(err)
		}
	}
	pool, err := contracts.Read("../../build/artifacts/UniswapV3Pool.json")
	if err != nil {
		t.Fatal(err)
	}
	for id, p := range pools {
		of[p.Info().Source.ID]++
		at := common.HexToAddress(string(id))
		answer, err := client.CallContract(t.Context(), ethereum.CallMsg{To: &at, Data: pack(pool, "slot0")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		has := ticks.Point{Price: u256.FromBytes(answer[:32]), Tick: int32(uint32(u256.FromBytes(answer[32:64]).Uint64()))}
		if heard := p.(*univ3.Pool).At(); heard != has {
			t.Errorf("pool %s: heard %v, is at %v", id, heard, has)
		}
		for in := range 2 {
			hundredth := u256.FromFloat(p.Depth(in) / 100)
			if _, err := p.Quote(in, 1-in, hundredth); err != nil {
				t.Errorf("pool %s, token %d: a hundredth of its depth: %v", id, in, err)
			}
		}
	}
	for _, row := range rows {
		if of[row.ID] < 10 {
			t.Errorf("%s has %d pools", row.ID, of[row.ID])
		}
	}
}
