package router

import (
	"math"

	"braid/market"
)

// beam is how many rays are looked at before it is asked if more can matter.
const beam = 8

// follow lets the outlook reach so far, one arc after the other.
func (f *finder) follow(reach int) {
	o := f.outlook
	for ; o.reach < reach; o.reach++ {
		k, seen := o.reach, len(o.seen)
		if o.lazy(k - 1) {
			f.further(k - 1)
		}
		f.prepare(k)
		copy(o.core[k], o.core[k-1])
		for _, t := range o.seen {
			o.best[t][k] = o.best[t][k-1]
		}
		f.roundabout(k, o.seen[:seen])
	}
	o.most = [maxHops]float64{}
	for k := range o.reach {
		most := highest(o.core[k])
		for _, t := range o.seen {
			most = max(most, o.best[t][k])
		}
		for _, e := range o.ends {
			most = max(most, e.pays)
		}
		o.most[k] = float64(most)
	}
	if k := o.reach - 1; o.lazy(k) {
		o.most[k] = max(o.most[k], float64(o.bound*highest(f.g.Core.Tops[o.size])))
	}
}

// approach offers what is paid at an end to the tokens before it.
func (f *finder) approach(e end) {
	// If it is ill connected no fan may show the arcs that lead there.
	if o := f.outlook; !f.g.Connected(e.token) {
		f.g.Into(e.token, func(from int, a *market.Arc) { o.entries = append(o.entries, entry{from, a}) })
	}
	if e.token == f.out && f.outlook.least > 0 {
		f.enter(e)
		return
	}
	ways, _, _ := f.g.Ways(e.token, market.Wide)
	f.spreadBack(ways, 1, e.pays)
}

// prepare notes what lies behind the arcs of tokens that have k to go.
func (f *finder) prepare(k int) {
	o := f.outlook
	o.before, o.last = append(o.before[:0], o.core[k-2]...), append(o.last[:0], o.core[k-1]...)
	if rank := f.g.Core.Rank[f.out]; rank >= 0 && o.least > 0 {
		o.before[rank], o.last[rank] = 0, 0
	}
	o.bound = highest(o.last)
}

// further gives well connected tokens one arc more to go, to such tokens, or
// two by way of another.
func (f *finder) further(k int) {
	o, core := f.outlook, f.g.Core
	for rank, pays := range o.core[k] {
		o.core[k][rank] = f.beyond(rank, pays)
	}
	f.net.effort += (core.Arcs.Len() + core.Detours.Len()) / looks
}

// beyond is what a well connected token can become with one arc more to go, or
// pays if that is more.
func (f *finder) beyond(rank int, pays float32) float32 {
	o, core := f.outlook, f.g.Core
	if o.still[rank] || core.Tops[o.size][rank]*o.bound <= pays {
		return pays
	}
	pays = brightest(pays, core.Arcs.From(rank, o.size), o.last, o.bound)
	return brightest(pays, core.Detours.From(rank, o.size), o.before, o.bound)
}

// brightest is the best that rays lead to, or best if that is more. No ray
// leads to more than most. Bits of floats that are not negative are in their
// order, and the greater is chosen without a branch.
func brightest(best float32, rays []market.Ray, pays []float32, most float32) float32 {
	for len(rays) > 0 && rays[0].Lift*most > best {
		n := min(len(rays), beam)
		high := math.Float32bits(best)
		for _, r := range rays[:n] {
			if b := math.Float32bits(r.Lift * pays[r.To]); b > high {
				high = b
			}
		}
		best, rays = math.Float32frombits(high), rays[n:]
	}
	return best
}

// highest is the greatest of floats that are not negative: their bits are in
// their order.
func highest(all []float32) float32 {
	high := uint32(0)
	for _, p := range all {
		if b := math.Float32bits(p); b > high {
			high = b
		}
	}
	return math.Float32frombits(high)
}

// roundabout does so where either token is ill connected; some were seen.
func (f *finder) roundabout(k int, seen []int32) {
	o := f.outlook
	for _, t := range seen {
		if row := &o.best[t]; row[k-1] > row[k-2] {
			ways, _, _ := f.g.Ways(int(t), market.Wide)
			f.spreadBack(ways, k, row[k-1])
		}
	}
	for _, rank := range f.g.Core.Gates {
		if pays := o.core[k-1][rank]; pays > o.core[k-2][rank] {
			ways, fan, _ := f.g.Ways(int(f.g.Core.Tokens[rank]), market.Wide)
			f.spreadBack(ways[fan:], k, pays)
		}
	}
}

// spreadBack offers what a token can become to those before it.
func (f *finder) spreadBack(ways []market.Way, k int, pays float32) {
	f.net.effort += len(ways) / looks
	w := float32(market.Sizes[f.outlook.size])
	for i := range ways {
		f.improve(int(ways[i].To), k, pays*ways[i].Back/(1+w*ways[i].BackFade))
	}
}

// enter is spreadBack from the last token, for paths that carry at least so
// much. Its arcs then count for that alone.
func (f *finder) enter(e end) {
	least := f.outlook.least
	f.g.Into(f.out, func(from int, a *market.Arc) {
		if y, _ := a.Pay(least / f.g.Worth[from]); y > 0 && !f.banned[a.Source] {
			f.improve(from, 1, e.pays*float32(y*f.g.Worth[f.out]/least))
		}
	})
}

func (f *finder) improve(t, k int, pays float32) {
	o := f.outlook
	if rank := f.g.Core.Rank[t]; rank >= 0 {
		if !o.still[rank] {
			o.core[k][rank] = max(o.core[k][rank], pays)
		}
		return
	}
	p := &o.best[t][k]
	if pays <= *p || f.net.nodeOf[t] > 0 || f.shut(t) {
		return
	}
	if *p == 0 {
		o.seen = append(o.seen, int32(t))
	}
	*p = pays
}
