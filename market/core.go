package market

// Core is what lies between well connected tokens, packed for those who go
// over all of it. Tokens go by their rank. Of several arcs between two tokens
// it has the best lifts.
type Core struct {
	Tokens []int32
	Rays   []Ray   // by the rank of the token they leave
	ends   []int32 // by rank: of its rays
}

// Ray leads to a token, with the lifts of Way.
type Ray struct {
	To         int32
	Lift, Bulk float32
}

// From are the rays of a token.
func (c *Core) From(rank int) []Ray {
	start := int32(0)
	if rank > 0 {
		start = c.ends[rank-1]
	}
	return c.Rays[start:c.ends[rank]]
}

func (g *Graph) newCore() (c Core) {
	rank := make([]int32, len(g.fans))
	for t := range g.fans {
		if g.Connected(t) {
			rank[t] = int32(len(c.Tokens))
			c.Tokens = append(c.Tokens, int32(t))
		}
	}
	at := make([]int32, len(c.Tokens)) // by rank: index+1 into rays
	for _, t := range c.Tokens {
		start := int32(len(c.Rays))
		ways, fan, _ := g.Ways(int(t), 0)
		for i := range ways[:fan] {
			to := rank[ways[i].To]
			if at[to] <= start {
				c.Rays = append(c.Rays, Ray{To: to})
				at[to] = int32(len(c.Rays))
			}
			r := &c.Rays[at[to]-1]
			r.Lift, r.Bulk = max(r.Lift, ways[i].Lift), max(r.Bulk, ways[i].Bulk)
		}
		c.ends = append(c.ends, int32(len(c.Rays)))
	}
	return c
}
