package rival

import (
	"cmp"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/u256"
	"braid/venue"
)

const (
	uniHops    = 3
	uniSplits  = 7  // paths at most
	uniPercent = 10 // of the order: the unit of a split
)

// uniSelection is how many pools are considered, the most valuable ones of each group.
type uniSelection struct {
	base     int // between the token and a base token
	eachBase int // of these with the same base token
	direct   int // between both tokens of the order
	top      int // of all
	inOut    int // with the first token, and with the last
	second   int // with a token that those lead to
}

var (
	uniV2 = uniSelection{base: 6, direct: 1, top: 3, inOut: 5, second: 2}
	uniV3 = uniSelection{base: 3, eachBase: 3, direct: 2, top: 2, inOut: 2, second: 1}
)

// Uniswap routes as Uniswap's smart-order-router does on Monad (@uniswap/smart-order-router
// 4.31.10, AlphaRouter): some twenty pools are selected by value, all paths of up to 3
// hops between them are quoted for every multiple of 10 % of the order, and up to 7
// paths that have no pool in common are combined. Base tokens are wrapped native and
// the first stablecoin. V3 is every kind but V2.
type Uniswap struct {
	s      *market.Snapshot
	v2, v3 []uniPool // by falling value
	base   []int
}

type uniPool struct {
	no    int
	token [2]int
	usd   float64 // value of all that it can pay
	v2    bool
}

func (p *uniPool) has(token int) bool { return p.token[0] == token || p.token[1] == token }

func (p *uniPool) joins(a, b int) bool { return a != b && p.has(a) && p.has(b) }

func (p *uniPool) other(token int) int { return p.token[0] + p.token[1] - token }

// NewUniswap prepares a market for any number of orders.
func NewUniswap(s *market.Snapshot) *Uniswap {
	u := &Uniswap{s: s}
	stables := s.Chain().Stables
	for _, a := range append(slices.Clone(stables[:min(1, len(stables))]), s.Chain().WrappedNative) {
		if n, ok := s.Token(a); ok {
			u.base = append(u.base, n)
		}
	}
	for n, p := range s.Pools() {
		info := p.Info()
		if len(info.Tokens) != 2 {
			continue
		}
		q := uniPool{no: n, v2: info.Source.Type == venue.V2}
		for k, a := range info.Tokens {
			q.token[k], _ = s.Token(a)
			if supply := venue.SupplyOf(p, 1-k, k); supply != nil {
				all, _, _ := supply.Pay(supply.Max)
				q.usd += all * s.Price(q.token[k]).USD
			}
		}
		if q.v2 {
			u.v2 = append(u.v2, q)
		} else {
			u.v3 = append(u.v3, q)
		}
	}
	sortPools(u.v2)
	sortPools(u.v3)
	return u
}

func sortPools(list []uniPool) {
	slices.SortStableFunc(list, func(a, b uniPool) int { return cmp.Compare(b.usd, a.usd) })
}

// Route is the answer of Uniswap's router to an order.
func (u *Uniswap) Route(in, out common.Address, amount u256.Int) (Answer, bool) {
	from, known := u.s.Token(in)
	to, knownToo := u.s.Token(out)
	if !known || !knownToo || from == to {
		return Answer{}, false
	}
	v2, v3 := u.selectV2(from, to), u.selectV3(from, to)
	list := slices.Concat(paths(v3, from, to), paths(v2, from, to))
	for _, path := range paths(slices.Concat(v2, v3), from, to) {
		if path.mixed {
			list = append(list, path)
		}
	}
	return u.split(list, to, amount)
}
