package univ2_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"

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
