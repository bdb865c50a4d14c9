package market

// Core is what lies between well connected tokens, packed for those who go
// over all of it. Tokens go by their rank.
type Core struct {
	Tokens  []int32
	Arcs    Rays // of several between two tokens the best lifts
	Detours Rays // the same for two arcs by way of a token that is ill connected
}

// Rays are the ways out of each token of a core.
type Rays struct {
	all  []Ray
	ends []int32 // by rank
}

// Ray leads to a token, with lifts as those of Way.
type Ray struct {
	To         int32
	Lift, Bulk float32
}

// From are the rays of a token.
func (r *Rays) From(rank int) []Ray {
	start := int32(0)
	if rank > 0 {
		start = r.ends[rank-1]
	}
	return r.all[start:r.ends[rank]]
}

// Len is how many rays there are.
func (r *Rays) Len() int { return len(r.all) }

// bundle keeps the best of the rays that leave one token.
type bundle struct {
	*Rays
	at []int32 // by rank: index+1 into all, of this token if beyond start
}

func (b *bundle) add(r Ray) {
	start := 0
	if n := len(b.ends); n > 0 {
		start = int(b.ends[n-1])
	}
	if int(b.at[r.To]) <= start {
		b.all = append(b.all, Ray{To: r.To})
		b.at[r.To] = int32(len(b.all))
	}
	best := &b.all[b.at[r.To]-1]
	best.Lift, best.Bulk = max(best.Lift, r.Lift), max(best.Bulk, r.Bulk)
}

func (b *bundle) close() { b.ends = append(b.ends, int32(len(b.all))) }

func (g *Graph) newCore() *Core {
	c, rank := new(Core), make([]int32, len(g.fans))
	for t := range g.fans {
		if rank[t] = -1; g.Connected(t) {
			rank[t] = int32(len(c.Tokens))
			c.Tokens = append(c.Tokens, int32(t))
		}
	}
	arcs := bundle{&c.Arcs, make([]int32, len(c.Tokens))}
	detours := bundle{&c.Detours, make([]int32, len(c.Tokens))}
	for _, t := range c.Tokens {
		f := g.fans[t]
		for i := f.start; i < f.others; i++ {
			way := &g.ways[i]
			arcs.add(Ray{rank[way.To], way.Lift, way.Bulk})
		}
		for i := f.others; i < f.ends; i++ {
			lift, bulk := float32(g.Arcs[i].Lift), g.ways[i].Bulk
			next := g.fans[g.ways[i].To]
			for j := next.start; j < next.others; j++ {
				if way := &g.ways[j]; way.To != t {
					detours.add(Ray{rank[way.To], lift * way.Lift, bulk * way.Bulk})
				}
			}
		}
		arcs.close()
		detours.close()
	}
	return c
}
