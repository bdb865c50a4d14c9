package path

import (
	"math"

	"braid/router/flow"
	"braid/router/graph"
	"braid/u256"
)

// Best is the best path for an amount from the first token to the last; nil if none
// carries it. It looks for one that pays nearly what the upper bound says, and further and
// further down until there is one; then for any that pays more than that.
func (s *Search) Best(amount float64, avoid Avoid) (path []flow.Hop, signs Signs) {
	first, found := s.afterFirst(amount), math.Inf(-1)
	for _, part := range firstShares {
		if len(s.Graph.All(s.Out)) > graph.MaxBack {
			part = 0
		}
		s.boundToLast(sizeOf(max(part, 0.5)*first), part*first)
		top := s.maxValue(amount)
		for _, less := range descents {
			floor := top * (1 - less)
			if found >= floor {
				floor = found - math.Abs(found)*slack
				s.boundToLast(sizeOf(floor), s.leastBefore(floor))
			} else if part > 0 && floor < part*first*s.bounds.max[min(1, s.MaxHops-1)] {
				break
			}
			c, more, ok := s.single(amount, sweep{need: floor, avoid: avoid})
			if signs = signs.then(more); ok {
				if found = max(found, c.gain*s.Graph.Ref[s.Out]); found >= floor {
					return s.trace(&c), signs
				}
			}
		}
		if part == 0 {
			break
		}
	}
	floor := found - math.Abs(found)*slack
	s.boundToLast(sizeOf(floor), s.leastBefore(floor))
	c, more, ok := s.single(amount, sweep{need: floor, avoid: avoid})
	if signs = signs.then(more); !ok {
		return nil, signs
	}
	return s.trace(&c), signs
}

// BestPart is the best path for as large a part of an amount as some path carries; nil if
// none does.
func (s *Search) BestPart(amount u256.Int) (path []flow.Hop, signs Signs) {
	for bits := uint(2); bits <= 8; bits += 2 {
		path, more := s.Best(amount.Rsh(bits).Float(), Avoid{})
		if signs = signs.Or(more); path != nil {
			return path, signs
		}
	}
	return nil, signs
}

// BestExact is the path that pays most for an amount in the pools' own integers, of those
// that reach a value; nil if none does.
func (s *Search) BestExact(amount u256.Int, floor float64, avoid Avoid) ([]flow.Hop, Signs) {
	s.boundExact(floor)
	c, signs, ok := s.single(amount.Float(), sweep{exact: true, need: floor, avoid: avoid})
	if !ok {
		return nil, signs
	}
	return s.trace(&c), signs
}

// BestDown is the best path that reaches a value, in floats or in the pools' own integers;
// nil if there is none. It looks close to what is possible first, and ends when the budget
// is spent.
func (s *Search) BestDown(amount u256.Int, least float64, avoid Avoid, integers bool) (path []flow.Hop, signs Signs) {
	s.boundExact(least)
	top, found := s.maxValue(amount.Float()), least
	for _, less := range []float64{1e-4, 1e-3, 1e-2, 1e-1, 1} {
		floor := max(top*(1-less), found)
		s.boundExact(floor)
		c, more, ok := s.single(amount.Float(), sweep{exact: integers, need: floor, brief: true, avoid: avoid})
		signs = signs.Or(more)
		if value := c.gain * s.Graph.Ref[s.Out]; ok && (integers || value >= floor) {
			return s.trace(&c), signs
		} else if ok && value > found { // floats give the best of what they came across
			found = value - math.Abs(value)*slack
		}
		if floor == least {
			break
		}
	}
	return nil, signs
}

// boundToLast makes the bounds to the last token.
func (s *Search) boundToLast(size int, least float64) {
	s.toLast.end(s.In, 0)
	s.toLast.end(s.Out, 1)
	s.use(&s.toLast, made{s.MaxHops, size, least})
}

// boundExact is boundToLast where pools may pay a little more than their supplies.
func (s *Search) boundExact(floor float64) {
	s.boundToLast(sizeOf(floor), s.leastBefore((floor-s.Graph.Ref[s.Out])*(1-2*SupplyError)))
}

// single is the best path that a sweep from the first token to the last finds.
func (s *Search) single(amount float64, w sweep) (best Column, signs Signs, ok bool) {
	s.forget()
	s.columns = s.columns[:0]
	*s.layers[0].at(s.In) = labelSet{{amount: amount, from: -1, before: -1}}
	w.Search, w.reach = s, s.MaxHops
	w.run()
	for i := range s.columns {
		if c := &s.columns[i]; !ok || c.out-best.out > (c.gas-best.gas)*s.GasPrice {
			best, ok = *c, true
		}
	}
	if ok && s.outOfLine(best.link) {
		w.signs.OutOfLine = true
	}
	return best, w.signs, ok
}
