package venue

import (
	"math"
	"sort"

	"braid/u256"
)

// Supply is the output of a pool as a function of the input, in one direction,
// in floats and raw units. It serves to rank pools and to optimise splits, some
// hundred times faster than Quote, and never becomes an amount. It is a chain of
// hyperbolas, which is exact for constant products and concentrated liquidity
// and an approximation of anything else. It never changes.
type Supply struct {
	Pieces []Piece // by falling marginal price; continuous
	Max    float64 // the largest input
}

// Piece is one hyperbola: for an input of In+d it pays Out + Price*d/(1 + Bend*d),
// up to the In of the next piece. The marginal price there is
// Price/(1 + Bend*d)^2.
type Piece struct {
	In, Out float64 // sums over all pieces before
	Root    float64 // square root of Price
	Give    float64 // 1/Bend; finite, as a flat piece is given a very small Bend
	Gas     float64 // of a swap that ends in this piece
}

// Price is the marginal price at the start of the piece, in raw units of the
// output per raw unit of the input.
func (p *Piece) Price() float64 { return p.Root * p.Root }

// Bend is the parameter of the hyperbola, per raw unit of the input.
func (p *Piece) Bend() float64 { return 1 / p.Give }

// Curved is a pool that has its supply in closed form. Others are sampled.
type Curved interface {
	// Supply is nil when nothing can be swapped that way.
	Supply(in, out int) *Supply
}

// SupplyOf is the supply of any pool; nil when it takes no swaps that way.
func SupplyOf(p Pool, in, out int) *Supply {
	var s *Supply
	if c, ok := p.(Curved); ok {
		s = c.Supply(in, out)
	} else {
		s = sample(p, in, out)
	}
	if s == nil || len(s.Pieces) == 0 || !(s.Max > 0) {
		return nil
	}
	return s
}

// flat is the part by which the price of a piece falls at least from its start
// to its end. A piece of constant price is bent by it, so that the optimal split
// between pools is unique.
const flat = 1e-6

// Add appends a piece that takes an input of length. Prices never rise: one above
// the price at which the last piece ends is lowered to that.
func (s *Supply) Add(price, bend, length, gas float64) {
	if !(length > 0) || !(price > 0) {
		return
	}
	give := 1 / bend
	if !(bend*length >= flat) {
		price *= 1 + flat
		give = min(length/flat, math.MaxFloat64)
	}
	p := Piece{In: s.Max, Root: math.Sqrt(price), Give: give, Gas: gas}
	if n := len(s.Pieces); n > 0 {
		last := &s.Pieces[n-1]
		d := p.In - last.In
		left := last.Give / (last.Give + d)
		p.Out = last.Out + last.Root*last.Root*left*d
		p.Root = min(p.Root, last.Root*left)
	}
	s.Pieces = append(s.Pieces, p)
	s.Max += length
}

// Spot is the marginal price before any input.
func (s *Supply) Spot() float64 { return s.Pieces[0].Price() }

// Pay is the output for an input of x, the marginal price after it, and the gas.
// The output is negative when x is above Max.
func (s *Supply) Pay(x float64) (y, price, gas float64) {
	if x > s.Max {
		return -1, 0, 0
	}
	p := &s.Pieces[0]
	if n := len(s.Pieces); n > 1 && s.Pieces[1].In < x {
		lo, hi := 1, 2
		for hi < n && s.Pieces[hi].In < x {
			lo, hi = hi, 2*hi
		}
		hi = min(hi, n)
		for lo+1 < hi {
			if mid := (lo + hi) >> 1; s.Pieces[mid].In < x {
				lo = mid
			} else {
				hi = mid
			}
		}
		p = &s.Pieces[lo]
	}
	d := x - p.In
	end := p.Root * (p.Give / (p.Give + d))
	return p.Out + p.Root*end*d, end * end, p.Gas
}

// Need is the input for which the output is y; infinite when no input pays so much.
func (s *Supply) Need(y float64) float64 {
	i := sort.Search(len(s.Pieces)-1, func(i int) bool { return s.Pieces[i+1].Out >= y })
	p := &s.Pieces[i]
	rest := y - p.Out
	d := rest / (p.Root*p.Root - rest/p.Give)
	if !(d >= 0 && p.In+d <= s.Max) {
		return math.Inf(1)
	}
	return p.In + d
}

// Until is the input x at which the marginal price has fallen to the given one,
// the output y for it, the slope -dx/d(log price) there (0 where x is limited by
// Max), and the gas.
func (s *Supply) Until(price float64) (x, y, slope, gas float64) {
	root := math.Sqrt(price)
	x, y, slope, gas, _ = s.Near(root, 1/root, 0)
	return x, y, slope, gas
}

// Near is Until for the square root of a price and its inverse. It looks for the
// piece where x ends at the guessed one first, and returns it.
func (s *Supply) Near(root, inverse float64, guess int) (x, y, slope, gas float64, piece int) {
	if next := guess + 1; guess > 0 && !(s.Pieces[guess].Root > root) || next < len(s.Pieces) && s.Pieces[next].Root > root {
		guess = s.seek(root)
	}
	p, end := &s.Pieces[guess], s.Max
	if !(p.Root > root) {
		return 0, 0, 0, p.Gas, guess
	}
	if next := guess + 1; next < len(s.Pieces) {
		end = s.Pieces[next].In
	}
	ratio := p.Root * inverse
	d := (ratio - 1) * p.Give
	if length := end - p.In; d > length {
		return end, p.Out + p.Root*p.Root*length*(p.Give/(p.Give+length)), 0, p.Gas, guess
	}
	return p.In + d, p.Out + p.Root*root*d, ratio * p.Give / 2, p.Gas, guess
}

// seek is the last piece whose price is more than the given one, or the first.
func (s *Supply) seek(root float64) int {
	lo, hi := 0, len(s.Pieces)
	for lo+1 < hi {
		if mid := (lo + hi) >> 1; s.Pieces[mid].Root > root {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// The inputs at which a pool without a closed form is sampled: from a small part
// of its depth to the most it takes, each by a factor 1+step above the last. The
// step is halved where the mean price falls below dropped times the last one.
const (
	maxSamples = 160
	firstPart  = 2e-3 // of Depth
	maxStep    = 0.2
	minStep    = 0.01
	dropped    = 0.97
	tolerance  = 1e-7 // of the largest input, as a part of it
)

// point is a sample: the input, the output, the gas, and the mean price between
// this sample and the one before.
type point struct{ x, y, gas, mean float64 }

// sample fits a supply to quotes of the pool.
func sample(p Pool, in, out int) *Supply {
	depth, spot := p.Depth(in), p.Spot(in, out)
	if !(depth > 0) || !(spot > 0) {
		return nil
	}
	points := append(make([]point, 0, 48), point{mean: spot})
	x, step := max(depth*firstPart, 1), maxStep
	for range maxSamples {
		next := math.Floor(x * (1 + step))
		q, err := p.Quote(in, out, u256.FromFloat(next))
		last := &points[len(points)-1]
		a := point{x: next, y: q.Out.Float(), gas: float64(q.Gas)}
		fell := err == nil && a.y-last.y < dropped*last.mean*(a.x-last.x)
		if step > minStep && (fell || err != nil && len(points) > 1) {
			step /= 2
			continue
		}
		if err != nil && len(points) > 1 {
			points = hull(points, largest(p, in, out, *last, next))
			break
		}
		if err == nil {
			points = hull(points, a)
		}
		x, step = next+1, min(maxStep, step*1.5)
	}
	return fit(points)
}

// largest is the sample of the largest input that a pool takes, between one that
// it takes and an input that it refuses, by bisection.
func largest(p Pool, in, out int, given point, refused float64) point {
	for refused-given.x > tolerance*refused {
		mid := math.Floor((given.x + refused) / 2)
		if q, err := p.Quote(in, out, u256.FromFloat(mid)); err != nil || mid == given.x {
			refused = mid
		} else {
			given = point{x: mid, y: q.Out.Float(), gas: float64(q.Gas)}
		}
	}
	return given
}

// hull adds a sample and drops those before it that rounding has put below the
// line to it, so that mean prices fall from sample to sample.
func hull(points []point, a point) []point {
	for {
		last := &points[len(points)-1]
		if !(a.x > last.x) || !(a.y > last.y) {
			return points
		}
		a.mean = (a.y - last.y) / (a.x - last.x)
		if len(points) == 1 || a.mean < last.mean {
			return append(points, a)
		}
		points = points[:len(points)-1]
	}
}

// fit is the supply through the samples. The marginal price at a sample is that
// of the hyperbola through it and its neighbours: the mean price of a hyperbola
// is the geometric mean of its marginal prices at both ends.
func fit(points []point) *Supply {
	s := &Supply{Pieces: make([]Piece, 0, 2*len(points))}
	begin := points[0].mean
	for i := 1; i < len(points); i++ {
		a, before := &points[i], &points[i-1]
		end := a.mean * a.mean / begin
		if i+1 < len(points) {
			next := &points[i+1]
			end = a.mean * next.mean * (next.x - before.x) / (next.y - before.y)
		}
		s.AddSpan(begin, a.mean, min(end, a.mean), a.x-before.x, a.gas)
		begin = min(end, a.mean)
	}
	return s
}

// AddSpan appends a piece with the given marginal prices at its ends and the
// given mean price; two pieces where no single hyperbola has them.
func (s *Supply) AddSpan(begin, mean, end, length, gas float64) {
	if math.Abs(begin*end/(mean*mean)-1) < flat {
		s.Add(begin, (begin/mean-1)/length, length, gas)
		return
	}
	b, e := math.Sqrt(begin), math.Sqrt(end)
	m := min(b, max(e, 2*mean/(b+e)))
	first := (mean/m - e) / (b - e) * length
	s.Add(begin, (b/m-1)/first, first, gas)
	s.Add(m*m, (m/e-1)/(length-first), length-first, gas)
}
