package univ2_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
	"braid/venuetest"
)

var (
	token0 = common.HexToAddress("0x00000000000000000000000000000000000000a0")
	token1 = common.HexToAddress("0x00000000000000000000000000000000000000a1")
	pair   = common.HexToAddress("0x00000000000000000000000000000000000000aa")
)

func pool(feeBps uint64, r0, r1 string) *univ2.Pool {
	source := &venue.Source{ID: "Fork", Type: venue.V2, Family: univ2.Name, Params: univ2.Fee(feeBps)}
	return univ2.NewPool(source, pair, [2]common.Address{token0, token1}, u256.MustDecimal(r0), u256.MustDecimal(r1))
}

func TestLaws(t *testing.T) {
	const most = "5192296858534827628530496329220095" // 2^112-1
	venuetest.Laws(t, []venue.Pool{
		pool(30, "1000000000000000000000000", "25000000000"),
		pool(25, "7", "3"),
		pool(1, "1", most),
		pool(100, most, most),
		pool(30, "0", "0"),
		pool(0, "123456789", "987654321"),
	})
}

func BenchmarkQuote(b *testing.B) {
	p := pool(30, "1000000000000000000000000", "25000000000")
	amount := u256.MustDecimal("1000000000000000000")
	b.ReportAllocs()
	for b.Loop() {
		p.Quote(0, 1, amount)
	}
}
