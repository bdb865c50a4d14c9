package kuru

import (
	"fmt"
	"testing"

	"braid/u256"
	"braid/venue"
)

// deep is a market of n orders a side at prices apart, with a vault between.
func deep(n int) *Pool {
	t := &terms{
		lot: [2]lot{newLot(8), newLot(-3)}, sizePrecision: u256.From(1e10), toWad: u256.From(1e9), maxQuote: max96.Div(u256.From(1e10)),
		takerFeeBps: u256.From(4), spread: u256.From(30),
	}
	p := &Pool{terms: t, info: &venue.Info{}}
	for i := range n {
		away := uint32(3+6*i) * 3_000
		p.place(asks, order{id: uint64(2*i + 1), price: 30_000_000 + away, size: u256.From(1e15)})
		p.place(bids, order{id: uint64(2*i + 2), price: 30_000_000 - away, size: u256.From(1e15)})
	}
	p.vault.price = [2]u256.Int{bids: u256.From(29_955_000_000_000_000), asks: u256.From(30_045_000_000_000_000)}
	p.vault.size = [2]u256.Int{bids: u256.From(1e15), asks: u256.From(1e15)}
	return p
}

func BenchmarkQuote(b *testing.B) {
	p := deep(60)
	for in, name := range []string{"sell", "buy"} {
		levels := p.levels(in)
		for _, share := range []float64{0.001, 0.5} {
			amount := u256.FromFloat(float64(levels[len(levels)-1].before.size.Uint64()) * share).Mul(u256.From(1e8))
			if in == quote {
				amount = u256.FromFloat(amount.Float() * p.rate(&levels[0]))
			}
			b.Run(fmt.Sprintf("%s/%v of %d levels", name, share, len(levels)), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					if _, err := p.Quote(in, 1-in, amount); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkApply is one order placed in a book and the book laid out anew.
func BenchmarkApply(b *testing.B) {
	for _, n := range []int{60, 1000} {
		b.Run(fmt.Sprintf("%d orders a side", n), func(b *testing.B) {
			p := deep(n)
			for i := range b.N {
				next := p.next()
				next.place(asks, order{id: uint64(1e6 + i), price: 30_010_000, size: u256.From(1e12)})
				next.levels(asks)
				next.levels(bids)
			}
		})
	}
}
