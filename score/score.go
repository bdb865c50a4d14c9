package score

import (
	"fmt"
	"math"
	"slices"
	"syscall"
	"time"

	"braid/market"
	"braid/plan"
	"braid/rival"
	"braid/router"
	"braid/u256"
)

// Answer is a plan for an order by whatever router, as it claims to be.
type Answer struct {
	Steps []plan.Step
	Out   u256.Int
	CPU   time.Duration // that finding it took
	Err   error         // why there is no plan
}

// Find asks this build's router, and measures CPU time. Set GOMAXPROCS to 1: the
// time is that of the whole process.
func Find(s *market.Snapshot, orders []router.Order) []Answer {
	answers := make([]Answer, len(orders))
	for i, o := range orders {
		answers[i] = answer(s, o, router.Find)
	}
	return answers
}

func answer(s *market.Snapshot, o router.Order, find func(*market.Snapshot, router.Order) (plan.Plan, error)) Answer {
	start := cpuTime()
	p, err := find(s, o)
	return Answer{Steps: p.Steps, Out: p.AmountOut, Err: err, CPU: cpuTime() - start}
}

// Net is what the plan of an order pays net of gas, 0 if there is none, and the CPU time
// that finding it takes.
func Net(s *market.Snapshot, o router.Order) (float64, time.Duration, error) {
	a := answer(s, o, router.Find)
	if a.Err != nil {
		return 0, a.CPU, nil
	}
	gas, err := Replay(s, o, a.Steps, a.Out)
	if err != nil {
		return 0, a.CPU, err
	}
	return net(s, &o, a.Out, gas), a.CPU, nil
}

// TimedBounds is BoundsOf and the CPU time that it takes.
func TimedBounds(s *market.Snapshot, orders []router.Order) ([]Bounds, time.Duration) {
	start := cpuTime()
	return BoundsOf(s, orders), cpuTime() - start
}

// cpuTime is what this process has used so far, on all cores.
func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails for no valid argument
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Quantiles of a set of numbers.
type Quantiles struct{ Median, Mean, P99, Worst float64 }

// QuantilesOf sorts the values. The worst is the greatest.
func QuantilesOf(values []float64) Quantiles {
	n := len(values)
	if n == 0 {
		nan := math.NaN()
		return Quantiles{nan, nan, nan, nan}
	}
	slices.Sort(values)
	at := func(p float64) float64 { return values[max(0, int(math.Ceil(p*float64(n)))-1)] }
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return Quantiles{at(0.5), sum / float64(n), at(0.99), at(1)}
}

// Bounds are proved upper bounds of what an order can pay, in raw units: by any plan,
// and by one of its number of steps. Zero is no bound.
type Bounds struct{ Any, Steps u256.Int }

// BoundsOf computes the bounds of orders.
func BoundsOf(s *market.Snapshot, orders []router.Order) []Bounds {
	bounds := make([]Bounds, len(orders))
	for i, o := range orders {
		bounds[i].Any, _ = router.Bound(s, o)
		bounds[i].Steps, _ = router.BoundSteps(s, o)
	}
	return bounds
}

// Score is how good the answers to a set of orders are. Gaps are what they pay less
// than a bound, in basis points of it.
type Score struct {
	Gap     Quantiles // to the bound of any plan
	NetGap  Quantiles // to the same, gas paid
	StepGap Quantiles // to the bound of plans with so many steps
	Ms      Quantiles // CPU time of an order, in milliseconds
	Steps   float64   // mean number of steps
	Refused int       // orders without a plan
	Certain float64   // percent of plans that are answered with their gap: see router.LooseBps
}

// Judge replays all answers and compares them with the bounds. It is an error if an
// answer does not do what it claims, or pays more than was proved to be possible.
func Judge(s *market.Snapshot, orders []router.Order, answers []Answer, bounds []Bounds) (Score, error) {
	var gaps, nets, few, ms []float64
	var total Score
	for i := range answers {
		a := &answers[i]
		if a.Err != nil {
			total.Refused++
			continue
		}
		gas, err := Replay(s, orders[i], a.Steps, a.Out)
		if err != nil {
			return Score{}, fmt.Errorf("order %d: %w", i, err)
		}
		b := &bounds[i]
		if b.Any.Lt(a.Out) || b.Steps.Lt(a.Out) {
			return Score{}, fmt.Errorf("order %d pays %v, but the bounds are %v and %v", i, a.Out, b.Any, b.Steps)
		}
		gaps = append(gaps, 1e4*(1-a.Out.Float()/b.Any.Float()))
		nets = append(nets, 1e4*(1-net(s, &orders[i], a.Out, gas)/b.Any.Float()))
		few = append(few, 1e4*(1-a.Out.Float()/b.Steps.Float()))
		ms = append(ms, 1e3*a.CPU.Seconds())
		total.Steps += float64(len(a.Steps))
	}
	total.Steps /= float64(len(gaps))
	for _, gap := range gaps {
		if gap < router.LooseBps {
			total.Certain += 100 / float64(len(gaps))
		}
	}
	total.Gap, total.NetGap, total.StepGap, total.Ms = QuantilesOf(gaps), QuantilesOf(nets), QuantilesOf(few), QuantilesOf(ms)
	return total, nil
}

// net is an output less the cost of the gas at the market's price, in raw units.
func net(s *market.Snapshot, o *router.Order, out u256.Int, gas uint64) float64 {
	return rival.Answer{Out: out, Gas: gas}.Net(s, o.TokenOut)
}

func (r Score) String() string {
	return fmt.Sprintf("%s %s %s certified=%.1f%% steps=%.1f refused=%d ms_median=%.3f ms_p99=%.3f",
		r.Gap.fields(""), r.NetGap.fields("net_"), r.StepGap.fields("k_"), r.Certain, r.Steps, r.Refused, r.Ms.Median, r.Ms.P99)
}

func (q Quantiles) fields(prefix string) string {
	return fmt.Sprintf("%[1]smedian=%.4[2]f %[1]smean=%.4[3]f %[1]sp99=%.3[4]f %[1]sworst=%.3[5]f", prefix, q.Median, q.Mean, q.P99, q.Worst)
}
