package venue

import (
	"math"

	"braid/u256"
)

// Supply is what a pool pays for what comes in, in one direction, as floats:
// good enough to rank and to share, and some hundred times quicker than the
// integers that are promised. It consists of pieces of hyperbolas, which is
// exact for constant products and concentrated liquidity and as near as one
// likes for anything else. It never changes.
type Supply struct {
	Pieces []Piece // of falling price
	Max    float64 // the most that may come in
}

// Piece pays Price*d/(1 + Bend*d) for d beyond In, up to the next piece's In.
// It holds what lets a search for a price do without roots and divisions.
type Piece struct {
	In, Out float64 // of all pieces before
	Root    float64 // of the price of the first unit
	Give    float64 // 1/Bend, never infinite: a flat piece bends too little to be noticed
	Gas     float64 // of a swap that ends here
}

// Price is that of the first unit.
func (p *Piece) Price() float64 { return p.Root * p.Root }

// Bend is by which part the price of all falls with each unit.
func (p *Piece) Bend() float64 { return 1 / p.Give }

// Curved is a pool that knows its supply in closed form. Others are sampled.
type Curved interface {
	// Supply is nil when nothing can be swapped that way.
	Supply(in, out int) *Supply
}

// SupplyOf is the supply of any pool; nil when it takes nothing.
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

// flat is how much the price of a flat piece is bent, up at its beginning and
// down at its end, so that the best shares are unique.
const flat = 1e-6

// Add appends a piece that takes length in. Where the price would rise, it
// begins at the price at which the one before it ends.
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

// Spot is the price of the first unit.
func (s *Supply) Spot() float64 { return s.Pieces[0].Price() }

// Pay is what x brings, the price after it, and the gas. It is negative when
// x is too much.
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

// Until is how much comes in until the price has fallen to the given one, what
// that brings, and by how much x grows when the price falls by a given part.
func (s *Supply) Until(price float64) (x, y, slope, gas float64) {
	root := math.Sqrt(price)
	x, y, slope, gas, _ = s.Near(root, 1/root, 0)
	return x, y, slope, gas
}

// Near is Until for the root of a price and 1 by it. The piece where it ends is
// looked for from a guess.
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

// The points at which a pool without a closed form is asked: from a small part
// of its depth to the most it takes, each by a part further than the one
// before, and by a smaller one where the price falls fast.
const (
	samples    = 160
	sampleFrom = 2e-3
	wide       = 0.2
	narrow     = 0.01
	steep      = 0.97
	brim       = 1e-7 // of what is refused: as near to it as the last point is
)

// answer is what a pool pays for an amount; mean is the price of what it takes
// beyond the answer before.
type answer struct{ x, y, gas, mean float64 }

// sample lays a supply through answers of the pool.
func sample(p Pool, in, out int) *Supply {
	depth, spot := p.Depth(in), p.Spot(in, out)
	if !(depth > 0) || !(spot > 0) {
		return nil
	}
	points := append(make([]answer, 0, 48), answer{mean: spot})
	x, part := max(depth*sampleFrom, 1), wide
	for range samples {
		next := math.Floor(x * (1 + part))
		q, err := p.Quote(in, out, u256.FromFloat(next))
		last := &points[len(points)-1]
		a := answer{x: next, y: q.Out.Float(), gas: float64(q.Gas)}
		fell := err == nil && a.y-last.y < steep*last.mean*(a.x-last.x)
		if part > narrow && (fell || err != nil && len(points) > 1) {
			part /= 2
			continue
		}
		if err != nil && len(points) > 1 {
			points = hull(points, most(p, in, out, *last, next))
			break
		}
		if err == nil {
			points = hull(points, a)
		}
		x, part = next+1, min(wide, part*1.5)
	}
	return lay(points)
}

// most is the last answer of a pool before it refuses, between one that it
// gave and an amount that it refused.
func most(p Pool, in, out int, given answer, refused float64) answer {
	for refused-given.x > brim*refused {
		mid := math.Floor((given.x + refused) / 2)
		if q, err := p.Quote(in, out, u256.FromFloat(mid)); err != nil || mid == given.x {
			refused = mid
		} else {
			given = answer{x: mid, y: q.Out.Float(), gas: float64(q.Gas)}
		}
	}
	return given
}

// hull adds an answer and forgets those before it that rounding has put below
// the line to it: no price rises.
func hull(points []answer, a answer) []answer {
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

// lay leads a supply through the answers. Its price there is that of the
// hyperbola through the answers around: mean prices of a hyperbola are the
// geometric means of those at their ends.
func lay(points []answer) *Supply {
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

// AddSpan appends a piece with the given prices at its ends and in the mean;
// two where no hyperbola has them.
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
