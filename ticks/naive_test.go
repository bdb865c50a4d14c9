package ticks

import (
	"maps"
	"slices"

	"braid/u256"
)

// naive is a book as the contracts keep it, a map of ticks, with the fees that
// were earned outside of each: all of it is looked at by every change.
type naive struct {
	ticks  map[int32]Tick
	earned map[int32][2]outside
}

func (n *naive) active(tick int32) (sum u256.Int) {
	for _, t := range n.ticks {
		if t.Index <= tick {
			sum = sum.Add(t.Net)
		}
	}
	return sum
}

// with adds liquidity to a range; false leaves the book as it was.
func (n *naive) with(lower, upper int32, delta u256.Int, nonZero [2]bool) bool {
	was := maps.Clone(n.ticks)
	for tick, net := range map[int32]u256.Int{lower: delta, upper: u256.Zero.Sub(delta)} {
		t := n.ticks[tick]
		t = Tick{tick, t.Gross.Add(delta), t.Net.Add(net)}
		n.ticks[tick] = t
		if t.Gross.IsZero() {
			delete(n.ticks, tick)
		}
		if t.Gross.BitLen() > 128 {
			n.ticks = was
			return false
		}
	}
	if !n.sound() {
		n.ticks = was
		return false
	}
	for tick := range n.earned {
		if _, there := n.ticks[tick]; !there {
			delete(n.earned, tick)
		}
	}
	for tick := range n.ticks {
		if _, known := n.earned[tick]; !known {
			var fresh [2]outside
			for token, some := range nonZero {
				if some {
					fresh[token] = earnedBelow
				}
			}
			n.earned[tick] = fresh
		}
	}
	return true
}

func (n *naive) list() []Tick {
	return slices.SortedFunc(maps.Values(n.ticks), func(a, b Tick) int { return int(a.Index - b.Index) })
}

// sound tells that no liquidity is below 0 or above 2^128.
func (n *naive) sound() bool {
	var active u256.Int
	for _, t := range n.list() {
		if active = active.Add(t.Net); active.BitLen() > 128 {
			return false
		}
	}
	return active.IsZero()
}

// after notes the fees of a swap between two prices that are no ticks'.
func (n *naive) after(token int, ticks ...int32) {
	for _, tick := range ticks {
		if n.active(tick).IsZero() {
			continue
		}
		for k, o := range n.earned {
			if tick < k {
				o[token] |= earnedBelow
			} else {
				o[token] |= earnedAbove
			}
			n.earned[k] = o
		}
	}
}
