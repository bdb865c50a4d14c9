package univ4_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/monad"
	"braid/venue"
	"braid/venue/univ4"
	"braid/venuetest"
)

// TestStage opens a market on a local chain: what the logs say of its pools
// can be traded, and some of them hold native.
func TestStage(t *testing.T) {
	rows := []venue.Source{{ID: "V4", Type: venue.V4, Family: univ4.Name, Factory: common.HexToAddress("0x188d586Ddcf52439676Ca21A244753fA19F9Ea8e")}}
	_, pools := venuetest.Staged(t, univ4.New(rows, monad.WrappedNative), rows)
	native := 0
	for id, p := range pools {
		if len(id) != 66 {
			t.Errorf("a pool is called %s", id)
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
