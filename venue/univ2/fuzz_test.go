package univ2_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
	"braid/venuetest"
)

// fuzzed is the family with one source, as the fuzz targets and the script set it up.
func fuzzed[T testing.TB](t T) (T, venue.Family, *venue.Source, common.Address) {
	wrappedNative := common.Address{0: 0xee, 19: 0x01}
	rows := []venue.Source{{ID: "Fuzzed", Family: univ2.Name, Factory: common.Address{0: 0xfa, 19: 0x01}, Params: univ2.Fee(30)}}
	return t, univ2.New(rows), &rows[0], wrappedNative
}

func TestScript(t *testing.T) { venuetest.Script(fuzzed(t)) }

func TestPublished(t *testing.T) {
	rows := []venue.Source{
		{ID: "Uniswap", Family: univ2.Name, Factory: common.Address{0: 0xfa, 19: 0x01}, Params: univ2.Fee(30)},
		{ID: "PancakeSwap", Family: univ2.Name, Factory: common.Address{0: 0xfa, 19: 0x02}, Params: univ2.Fee(25)},
	}
	venuetest.Published(t, univ2.Name, univ2.New(rows))
}

func FuzzLogs(f *testing.F)    { venuetest.FuzzLogs(fuzzed(f)) }
func FuzzLoad(f *testing.F)    { venuetest.FuzzLoad(fuzzed(f)) }
func FuzzRestore(f *testing.F) { venuetest.FuzzRestore(fuzzed(f)) }

// FuzzMeasure: whatever two logs say, the fee that Measure finds is one.
func FuzzMeasure(f *testing.F) {
	topics := univ2.Measured()
	word := func(n ...uint64) (data []byte) {
		for _, n := range n {
			data = append(data, venue.Word(u256.From(n))...)
		}
		return data
	}
	f.Add(word(1_001_000, 999_004), word(1_000, 0, 0, 996))
	f.Fuzz(func(t *testing.T, sync, swap []byte) {
		logs := []types.Log{
			{Topics: []common.Hash{topics[0]}, Data: sync},
			{Topics: []common.Hash{topics[1], {}, {}}, Data: swap, Index: 1},
		}
		if fee, swaps, ok := univ2.Measure(logs); ok && (fee < 0 || fee > 10_000 || swaps != 1) {
			t.Errorf("a fee of %d bps by %d swaps", fee, swaps)
		}
	})
}
