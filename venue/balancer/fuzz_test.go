package balancer_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/venue"
	"braid/venue/balancer"
	"braid/venuetest"
)

// fuzzed is the family with one source, as the fuzz targets and the script set it up.
func fuzzed[T testing.TB](t T) (T, venue.Family, *venue.Source, common.Address) {
	wrappedNative := common.Address{0: 0xee, 19: 0x01}
	rows := []venue.Source{{ID: "Fuzzed", Family: balancer.Name, Factory: common.HexToAddress("0xbA1333333333a1BA1108E8412f11850A5C319bA9")}}
	return t, balancer.New(rows), &rows[0], wrappedNative
}

func TestScript(t *testing.T) { venuetest.Script(fuzzed(t)) }

func TestPublished(t *testing.T) {
	_, family, _, _ := fuzzed(t)
	venuetest.Published(t, balancer.Name, family)
}

func FuzzLogs(f *testing.F)    { venuetest.FuzzLogs(fuzzed(f)) }
func FuzzLoad(f *testing.F)    { venuetest.FuzzLoad(fuzzed(f)) }
func FuzzRestore(f *testing.F) { venuetest.FuzzRestore(fuzzed(f)) }
