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

// designs turn listings of two tokens each into pools at the same prices.
// Listings of tokens of equal worth become stable pools, the others weighted
// ones of several shapes in turn. Pools of more than two tokens take in
// listings that share a token with them.
func designs(listings []venue.Listing, scale map[common.Address]u256.Int) (list []design) {
	var alike, others []venue.Listing
	for _, l := range listings {
		if worthTheSame(l, scale) {
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
			d.lean()
		case 4:
			d.parts[0].rated = true
		}
		list = append(list, d)
	}
	return list
}

// worthTheSame: whole tokens of both are listed in the same number, to a
// hundredth.
func worthTheSame(l venue.Listing, scale map[common.Address]u256.Int) bool {
	a := l.Amounts[0].Mul(scale[l.Tokens[0]]).Float()
	b := l.Amounts[1].Mul(scale[l.Tokens[1]]).Float()
	return a < 1.01*b && b < 1.01*a
}

// gather takes the first listing, and others that share a token with it until
// it has n tokens, all of equal weight. It returns the listings left.
func gather(listings []venue.Listing, n int) (d design, left []venue.Listing) {
	first := listings[0]
	for i, token := range first.Tokens {
		d.parts = append(d.parts, part{token: token, amount: first.Amounts[i]})
	}
	for _, l := range listings[1:] {
		if len(d.parts) >= n || !d.take(l) {
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

// take adds the token of the listing that is new, at the listing's price in
// the one that is not.
func (d *design) take(l venue.Listing) bool {
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

// lean makes a pool of two equal parts one of 80 and 20.
func (d *design) lean() {
	d.parts[0].weight, d.parts[1].weight = 80e16, 20e16
	d.parts[0].amount = d.parts[0].amount.Mul(u256.From(8)).Div(u256.From(5))
	d.parts[1].amount = d.parts[1].amount.Mul(u256.From(2)).Div(u256.From(5))
}
