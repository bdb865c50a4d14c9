package univ3_test

import (
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"braid/ticks"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ3"
	"braid/venuetest"
)

// TestStage opens a market on a local chain, with a plain source, one with a
// callback of its own and Pancake, and holds what the logs say to what the
// pools answer.
func TestStage(t *testing.T) {
	rows := []venue.Source{
		{ID: "Plain", Factory: common.HexToAddress("0x204FAca1764B154221e35c0d20aBb3c525710498")},
		{ID: "Renamed", Factory: common.HexToAddress("0x6B5F564339DbAD6b780249827f2198a841FEB7F3"), Params: univ3.Callback("capricornCLSwapCallback")},
		{ID: "Pancake", Factory: common.HexToAddress("0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865"), Params: univ3.Deployer(common.HexToAddress("0x41ff9AA7e16B8B1a8a8dc4f0eFacd93D02d071c9"))},
	}
	for i := range rows {
		rows[i].Type, rows[i].Family = venue.V3, univ3.Name
	}
	client, pools := venuetest.Staged(t, univ3.New(rows), rows)
	of := map[string]int{}
	slot0 := venue.Calldata("slot0()")
	for id, p := range pools {
		of[p.Info().Source.ID]++
		at := common.HexToAddress(string(id))
		answer, err := client.CallContract(t.Context(), ethereum.CallMsg{To: &at, Data: slot0}, nil)
		if err != nil {
			t.Fatal(err)
		}
		has := ticks.Point{Price: u256.FromBytes(answer[:32]), Tick: int32(uint32(u256.FromBytes(answer[32:64]).Uint64()))}
		if heard := p.(*univ3.Pool).At(); heard != has {
			t.Errorf("pool %s: heard %v, is at %v", id, heard, has)
		}
	}
	for _, row := range rows {
		if of[row.ID] < 10 {
			t.Errorf("%s has %d pools", row.ID, of[row.ID])
		}
	}
}
