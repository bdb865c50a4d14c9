package kuru

import (
	"fmt"
	"testing"

	"braid/u256"
	"braid/venue"
)

// deep is a market of n orders a side at prices apart, with a vault between. Many
// orders are closer to each other, so that all prices are above zero.
func deep(n int) *Pool {
	t := &terms{
		lot: [2]lot{newLot(8), newLot(-3)}, sizePrecision: u256.From(1e10), toWad: u256.From(1e9), maxQuote: max96.Div(u256.From(1e10)),
		takerFeeBps: u256.From(4), spread: u256.From(30),
	}
	p := &Pool{terms: t, info: &venue.Info{}}
	for i := range n {
		away := uint32(3+6*i) * 3_000
		if n > 1000 {
			away = uint32(3 + 6*i)
		}
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

// BenchmarkApply is an event of a book and, where it says so, the levels of both
// sides after it.
func BenchmarkApply(b *testing.B) {
	f := &Family{}
	for _, n := range []int{20, 60, 300, 1000, 100_000} {
		p := deep(n)
		for name, event := range map[string]func(i int) venue.Event{
			"placed": func(i int) venue.Event {
				return placed{side: asks, order: order{id: uint64(1e6 + i), price: 30_010_000 + uint32(i%n), size: u256.From(1e12)}}
			},
			"resized":  func(i int) venue.Event { return resized{id: uint64(1 + i*7%n*2), size: u256.From(1e12)} },
			"canceled": func(i int) venue.Event { return canceled{ids: []uint64{uint64(1 + i*7%n*2)}} },
		} {
			for _, levels := range []bool{false, true} {
				b.Run(fmt.Sprintf("%d orders a side/%s/levels=%v", n, name, levels), func(b *testing.B) {
					b.ReportAllocs()
					for i := range b.N {
						next, err := f.Apply(p, event(i))
						if err != nil {
							b.Fatal(err)
						}
						if levels {
							next.(*Pool).levels(asks)
							next.(*Pool).levels(bids)
						}
					}
				})
			}
		}
	}
}
