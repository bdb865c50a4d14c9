package univ4_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/venue"
	"braid/venue/univ4"
	"braid/venuetest"
)

// fuzzed is the family with one source, as the fuzz targets and the script set it up.
func fuzzed[T testing.TB](t T) (T, venue.Family, *venue.Source, common.Address) {
	wrappedNative := common.Address{0: 0xee, 19: 0x01}
	rows := []venue.Source{{ID: "Fuzzed", Family: univ4.Name, Factory: common.HexToAddress("0x188d586Ddcf52439676Ca21A244753fA19F9Ea8e")}}
	return t, univ4.New(rows, wrappedNative), &rows[0], wrappedNative
}

func TestScript(t *testing.T) { venuetest.Script(fuzzed(t)) }

func TestPublished(t *testing.T) {
	_, family, _, _ := fuzzed(t)
	venuetest.Published(t, univ4.Name, family)
}

func FuzzLogs(f *testing.F)    { venuetest.FuzzLogs(fuzzed(f)) }
func FuzzLoad(f *testing.F)    { venuetest.FuzzLoad(fuzzed(f)) }
func FuzzRestore(f *testing.F) { venuetest.FuzzRestore(fuzzed(f)) }
