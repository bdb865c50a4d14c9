package balancer

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

// design is a pool of the local chain.
type design struct {
	name  string
	curve curve
	parts []part
}

type part struct {
	token  common.Address
	amount u256.Int
	weight int64
	rated  bool
}

// designs turns listings of two tokens each into pools at the same prices.
// Listings of tokens of equal price become stable pools, the others weighted
// ones of several kinds in turn. Pools of more than two tokens are made of
// listings that share a token.
func designs(listings []venue.Listing, scale map[common.Address]u256.Int) (list []design) {
	var alike, others []venue.Listing
	for _, l := range listings {
		if samePrice(l, scale) {
			alike = append(alike, l)
		} else {
			others = append(others, l)
		}
	}
	for n := 3; len(alike) > 0; n = 2 {
		var d design
		d, alike = gather(alike, n)
		d.name, d.curve = "Stable", stable
		list = append(list, d)
	}
	for turn := 0; len(others) > 0; turn++ {
		var d design
		d, others = gather(others, []int{2, 4, 2, 3, 2}[turn%5])
		d.name, d.curve = "Weighted", weighted
		switch turn % 5 {
		case 2:
			d.weigh8020()
		case 4:
			d.parts[0].rated = true
		}
		list = append(list, d)
	}
	return list
}

// samePrice tells that both tokens of a listing have the same price, to 1%.
func samePrice(l venue.Listing, scale map[common.Address]u256.Int) bool {
	a := l.Amounts[0].Mul(scale[l.Tokens[0]]).Float()
	b := l.Amounts[1].Mul(scale[l.Tokens[1]]).Float()
	return a < 1.01*b && b < 1.01*a
}

// gather is a pool of the first listing, and of others that share a token with it
// until it has n tokens, all of equal weight. It returns the listings left.
func gather(listings []venue.Listing, n int) (d design, left []venue.Listing) {
	first := listings[0]
	for i, token := range first.Tokens {
		d.parts = append(d.parts, part{token: token, amount: first.Amounts[i]})
	}
	for _, l := range listings[1:] {
		if len(d.parts) >= n || !d.add(l) {
			left = append(left, l)
		}
	}
	share := int64(1e18) / int64(len(d.parts))
	for i := range d.parts {
		d.parts[i].weight = share
	}
	d.parts[0].weight += 1e18 - share*int64(len(d.parts))
	return d, left
}

// add adds the token of a listing that the pool does not have yet, at the
// listing's price in the other one. It is false if there is no such token.
func (d *design) add(l venue.Listing) bool {
	known, fresh := -1, -1
	var held u256.Int
	for i, token := range l.Tokens {
		if amount, ok := d.amount(token); ok {
			known, held = i, amount
		} else {
			fresh = i
		}
	}
	if known < 0 || fresh < 0 {
		return false
	}
	amount, over := l.Amounts[fresh].MulDiv(held, l.Amounts[known])
	if over {
		return false
	}
	d.parts = append(d.parts, part{token: l.Tokens[fresh], amount: amount})
	return true
}

func (d *design) amount(token common.Address) (u256.Int, bool) {
	for _, p := range d.parts {
		if p.token == token {
			return p.amount, true
		}
	}
	return u256.Zero, false
}

// weigh8020 gives a pool of two tokens of equal weight the weights 80% and 20%.
func (d *design) weigh8020() {
	d.parts[0].weight, d.parts[1].weight = 80e16, 20e16
	d.parts[0].amount = d.parts[0].amount.Mul(u256.From(8)).Div(u256.From(5))
	d.parts[1].amount = d.parts[1].amount.Mul(u256.From(2)).Div(u256.From(5))
}
