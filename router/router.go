// Package router finds the plan that pays most for an order on a snapshot.
//
// Find takes the best single path, lets further paths join it while one pays
// more for a part of the order than the routes at hand, shares the order out
// among all their pools at once, and takes legs away that do not earn their
// gas. Floats rank and share; what is promised is computed in integers by the
// pools themselves, and the single path wins unless the split truly pays more.
// Where a net of shares cannot tell all, plans of paths one after the other are
// tried in integers too.
package router

import (
	"errors"
	"math"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/plan"
	"braid/u256"
)

// Order asks for the most of one token for a given amount of another.
type Order struct {
	TokenIn, TokenOut common.Address
	AmountIn          u256.Int
	Exclude           map[string]bool // source ids whose pools may not be used
	MaxHops           int             // 0: DefaultMaxHops
	MaxSteps          int             // 0: DefaultMaxSteps
	VerifiedHops      bool            // no unverified tokens in mid-route
	Budget            int             // evaluations of curves before the search ends; 0: DefaultBudget
}

const (
	DefaultMaxHops  = 5
	DefaultMaxSteps = 32
	DefaultBudget   = 1200 // for each step that there may be
)

// Why there is no plan. The amount errors are venue.ErrTooSmall and
// venue.ErrTooLarge.
var (
	ErrUnknownToken = errors.New("token is not on the market")
	ErrNoRoute      = errors.New("no path of usable pools joins the tokens")
)

// Find is the plan that pays most, net of gas. It is pure and deterministic,
// and never worse than the best single path of up to DefaultMaxHops hops, but
// for what the gas on the way is worth in one token or another.
func Find(s *market.Snapshot, o Order) (plan.Plan, error) {
	f, err := newFinder(s, o, true)
	if err != nil {
		return plan.Plan{}, err
	}
	defer f.release()
	best, err := f.doubted(&o)
	if err != nil {
		return best, err
	}
	if f.strayed {
		if p, err := findInLine(s, o); err == nil && f.net.beats(p.AmountOut, p.Gas, best.AmountOut, best.Gas) {
			best = p
		}
	}
	return f.check(&o, best), nil
}

// findInLine searches without the pools that contradict the prices of their
// tokens. Their arbitrage leads a search astray: whoever makes such pools could
// make plans worse that have no use for them.
func findInLine(s *market.Snapshot, o Order) (plan.Plan, error) {
	f, err := newFinder(s, o, false)
	if err != nil {
		return plan.Plan{}, err
	}
	defer f.release()
	return f.doubted(&o)
}

// doubted is what find finds, or the best plan of rows where that may pay more.
func (f *finder) doubted(o *Order) (plan.Plan, error) {
	best, err := f.find(o)
	if err != nil || !f.doubts(&best) {
		return best, err
	}
	if p, ok := f.rows(o, &best); ok && f.net.beats(p.AmountOut, p.Gas, best.AmountOut, best.Gas) {
		best = p
	}
	return best, nil
}

// check is the plan, unless the best path or one pool alone pays more net of gas.
// The search should see to that; whatever it was misled by, this holds.
func (f *finder) check(o *Order, best plan.Plan) plan.Plan {
	if p := &f.path; len(p.Steps) > 0 && f.net.beats(p.AmountOut, p.Gas, best.AmountOut, best.Gas) {
		best = *p
	}
	floor := best.AmountOut.Float()*(1-clearly) - f.gasCost*float64(best.Gas)
	f.between(f.in, f.out, func(a *market.Arc) {
		if y, gas := a.Pay(o.AmountIn.Float()); y-f.gasCost*gas < floor {
			return
		}
		p, err := f.carry(o, o.AmountIn, []hop{{Arc: a}})
		if err == nil && f.net.beats(p.AmountOut, p.Gas, best.AmountOut, best.Gas) {
			best = p
		}
	})
	return best
}

// find is the better of the best net and the best path.
func (f *finder) find(o *Order) (plan.Plan, error) {
	best, path, err := f.single(o, o.AmountIn)
	if path != nil && err != nil {
		// Floats let pass what a pool does not.
		best, path, err = f.exactly(o, math.Inf(-1))
	}
	f.full, f.path = f.tooLarge, best
	f.priceGas(&best)
	if err != nil {
		// What is too much for one path may do for several.
		refused := f.refusal(o)
		if path = f.part(o); path == nil {
			return plan.Plan{}, refused
		}
		if best, ok := f.spread(o, path); ok {
			return best, nil
		}
		return plan.Plan{}, refused
	}
	last := &path[len(path)-1]
	hoped, _ := last.Pay(last.amount)
	f.hoped = hoped
	split, ok := f.spread(o, path)
	if other, better := f.again(o, path); better && (!ok || f.net.beats(other.AmountOut, other.Gas, split.AmountOut, split.Gas)) {
		split, ok = other, true
	}
	if ok && split.AmountOut.Float() > (1+clearly)*max(hoped, best.AmountOut.Float())+f.net.gasCost*float64(split.Gas) {
		return split, nil
	}
	best = f.even(f.contest(o, best))
	if ok && f.net.beats(split.AmountOut, split.Gas, best.AmountOut, best.Gas) {
		best = split
	}
	return best, nil
}

// priceGas is for a last token that gas has no price in: it is that in the first one,
// at the rate of the best path.
func (f *finder) priceGas(path *plan.Plan) {
	if in := f.gasIn(f.in); f.gasCost == 0 && in > 0 && len(path.Steps) > 0 {
		f.gasCost = in * path.AmountOut.Float() / path.AmountIn.Float()
		f.net.priceGas(f)
	}
}

// lost is the part that integers may lose for a plan not to be doubted.
const lost = 1e-5

// doubts says whether rows may pay more than a plan: where paths were barred
// or led back, where pools were full or have lots, and where integers pay
// less than floats.
func (f *finder) doubts(p *plan.Plan) bool {
	return f.full || f.tangled || f.lots || f.loss(p) > lost
}

// loss is the part that a plan pays less than floats do.
func (f *finder) loss(p *plan.Plan) float64 { return 1 - p.AmountOut.Float()/f.hoped }

// spread lets others join a path and is the plan they make together.
func (f *finder) spread(o *Order, path []hop) (plan.Plan, bool) {
	f.net.amount = o.AmountIn.Float()
	f.net.add(path, f.pools)
	f.net.order()
	f.net.paid = f.net.solve(rough)
	f.trade()
	f.hoped = max(f.hoped, f.net.nodes[sink].held)
	return f.split(*o)
}

// part is the best path for as large a part of the order as some path carries.
func (f *finder) part(o *Order) []hop {
	for bits := uint(2); bits <= 8; bits += 2 {
		if path, ok := f.alone(o.AmountIn.Rsh(bits).Float()); ok {
			return path
		}
	}
	return nil
}

// split is the net as a plan, when it is more than one path; without the legs
// that pay far less than their floats, where that is better.
func (f *finder) split(o Order) (plan.Plan, bool) {
	best, ok := f.run(o)
	if !ok {
		return best, false
	}
	best = f.even(best)
	if f.dropLossy() {
		if p, ok := f.run(o); ok {
			if p = f.even(p); f.net.beats(p.AmountOut, p.Gas, best.AmountOut, best.Gas) {
				best = p
			}
		}
	}
	return best, true
}

// run carries the net out. Where pools are filled to the brim others take what
// floats have put on top, or, where less than their last lot is nothing, leave
// them a little more; where a part is too small for its pool, that leg leaves
// and the others get more.
func (f *finder) run(o Order) (plan.Plan, bool) {
	for f.net.splits() || f.net.live() > f.hops && f.net.live() <= f.maxSteps {
		for _, room := range []float64{0, hair, brim, -more} {
			if p, err := plan.Run(o.TokenIn, o.TokenOut, o.AmountIn, f.net.steps(room)); err == nil {
				return p, true
			}
		}
		f.dropBad()
	}
	return plan.Plan{}, false
}

// hair and brim are the parts of a full pool that are left free when it
// overflows; more is what it gets on top when it lacks something.
const hair, brim, more = 1e-7, 1e-4, 2e-3
