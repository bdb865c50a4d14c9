package proof

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/plan"
	"braid/u256"
	"braid/venue"
)

// shares are the sizes of the swaps of a trial: of the input that lowers the pool's
// price to a quarter, or of all it takes if that is less.
var shares = [...]float64{0.0001, 0.01, 0.1}

// feeShare is the one of them at which variants are told apart: large enough that
// rounding does not hide a basis point, small enough for any pool.
const feeShare = 0.01

// leg is one swap of a trip by the Router. It is to pay plan.AmountOut.
type leg struct {
	*plan.Plan
	native bool // paid in native currency
	limit  uint64
}

// trip is swaps that begin in the state of the block: through other pools to buy
// what the pool on trial takes, through the pool, and back.
type trip struct {
	pool    venue.Pool
	legs    []leg
	funding int       // number of legs before those of the pool
	tooMuch bool      // it asks for more than the pool pays, and must fail
	next    *trip     // the last leg alone, if it was refused behind the others
	outcome *outcomes // nil until it was run

	// holds, unless nil, is the storage of the first leg's token in which the trader
	// has what it sells.
	holds func(trader common.Address) map[common.Hash]common.Hash
}

// tripsOf are the trips by which a pool is tried: for each token, to it and back, in
// all sizes; and for a pool with variants one that must fail.
func (t *trial) tripsOf(p venue.Pool) (list []*trip) {
	if venue.Idle(p) != "" {
		return nil
	}
	tokens := p.Info().Tokens
	from := t.firstToken(p)
	if from < 0 {
		return nil
	}
	for to := range tokens {
		in, out := from, to
		if in == out {
			continue
		}
		if !(p.Spot(in, out) > 0) { // one-sided: the other way round, if that can be paid
			in, out = out, in
		}
		for _, share := range shares {
			if r := t.roundTrip(p, in, out, share); r != nil {
				list = append(list, r)
			}
		}
		if below, ok := moreGenerous(p); ok && len(list) > 0 {
			if r := t.oneWay(below, in, out, feeShare); r != nil && r.asksMoreThan(p, in, out) {
				r.tooMuch = true
				list = append(list, r)
			}
		}
	}
	return list
}

// firstToken is the position of the token to begin with: wrapped native, or the one
// that can be bought best; -1 if there is none.
func (t *trial) firstToken(p venue.Pool) int {
	best, width := -1, 0.0
	for i, a := range p.Info().Tokens {
		if r, ok := t.routes[a]; ok && r.width > width && !passes(r.steps, p) {
			best, width = i, r.width
		}
	}
	return best
}

// roundTrip swaps a share of what the pool takes, and what it paid back again. It is
// nil if the pool does not take that.
func (t *trial) roundTrip(p venue.Pool, in, out int, share float64) *trip {
	r := t.oneWay(p, in, out, share)
	if r == nil {
		return nil
	}
	there := r.legs[r.funding]
	after, err := p.Swap(in, out, there.AmountIn)
	if err != nil {
		return nil
	}
	if back := swapLeg(after, out, in, there.AmountOut); back != nil {
		r.legs = append(r.legs, *back)
	}
	return r
}

// oneWay is a trip of one swap in the pool.
func (t *trial) oneWay(p venue.Pool, in, out int, share float64) *trip {
	supply := venue.SupplyOf(p, in, out)
	if supply == nil {
		return nil
	}
	all, _, _, _ := supply.Until(supply.Spot() / 4)
	amount := u256.FromFloat(all * share)
	token := p.Info().Tokens[in]
	r := &trip{pool: p}
	native := token == t.contracts.WrappedNative
	if !native {
		funds, ok := t.buy(token, all*share)
		if !ok {
			return nil
		}
		r.legs, r.funding = append(r.legs, leg{Plan: funds, native: true}), 1
		amount = funds.AmountOut
	}
	there := swapLeg(p, in, out, amount)
	if there == nil {
		return nil
	}
	there.native = native
	r.legs = append(r.legs, *there)
	return r
}

// swapLeg is one swap in a pool; nil if it does not take the amount.
func swapLeg(p venue.Pool, in, out int, amount u256.Int) *leg {
	q, err := p.Quote(in, out, amount)
	if err != nil || amount.IsZero() {
		return nil
	}
	tokens := p.Info().Tokens
	return &leg{Plan: &plan.Plan{
		TokenIn: tokens[in], TokenOut: tokens[out], AmountIn: amount, AmountOut: q.Out,
		Steps: []plan.Step{{Pool: p, In: in, Out: out, AmountIn: amount, AmountOut: q.Out}},
	}}
}

// asksMoreThan tells whether the trip asks for more than the pool quotes: then it
// tells them apart.
func (r *trip) asksMoreThan(p venue.Pool, in, out int) bool {
	l := r.legs[r.funding]
	q, err := p.Quote(in, out, l.AmountIn)
	return err == nil && l.AmountOut.Gt(q.Out)
}

// soldNothing tells whether the last swap, and no other, was refused: what was just
// bought could not be sold.
func (r *trip) soldNothing() bool {
	n := len(r.legs)
	return n == r.funding+2 && r.outcome != nil && !r.tooMuch && r.outcome.exactUpTo(r, n-1) && !r.outcome.list[n-1].ok
}

// judge is how many swaps of the pool were compared, the gas of the dearest, and what
// speaks against the pool.
func (r *trip) judge() (swaps int, dearest uint64, err error) {
	o := r.outcome
	switch {
	case o == nil:
		return 0, 0, errInconclusive
	case o.exhausted:
		return 0, 0, fmt.Errorf("a swap of %s used up all gas", r.legs[r.funding].words())
	case !o.exactUpTo(r, r.funding):
		return 0, 0, errInconclusive
	case r.tooMuch:
		if o.list[r.funding].ok {
			err = fmt.Errorf("it pays more than said: it took a swap of %s", r.legs[r.funding].words())
		}
		return 1, 0, err
	}
	for i := r.funding; i < len(r.legs); i++ {
		l, got := r.legs[i], o.list[i]
		swaps++
		dearest = max(dearest, got.gas)
		if !got.ok && r.next != nil && r.next.outcome != nil {
			_, gas, err := r.next.judge()
			return swaps, max(dearest, gas), err
		}
		if err := l.compare(got); err != nil {
			return swaps, dearest, err
		}
	}
	return swaps, dearest, nil
}

// compare is what speaks against a swap.
func (l *leg) compare(got outcome) error {
	switch {
	case !got.ok:
		return fmt.Errorf("a swap of %s reverts", l.words())
	case got.paid != l.AmountOut:
		return fmt.Errorf("a swap of %s paid %s", l.words(), got.paid)
	case !l.native && got.taken.Gt(l.AmountIn):
		return fmt.Errorf("a swap of %s took %s", l.words(), got.taken)
	case got.gas > l.limit:
		return fmt.Errorf("a swap of %s needs %d gas, said %d", l.words(), got.gas, l.limit)
	}
	return nil
}

// words are what the leg is to do.
func (l *leg) words() string {
	return fmt.Sprintf("%s of %s for %s of %s", l.AmountIn, l.TokenIn, l.AmountOut, l.TokenOut)
}
