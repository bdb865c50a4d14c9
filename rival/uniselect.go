package rival

import "slices"

// uniChoice collects pools, each once.
type uniChoice struct {
	all  []uniPool // by falling value
	list []uniPool
	has  map[int]bool
}

func newUniChoice(all []uniPool) *uniChoice { return &uniChoice{all: all, has: map[int]bool{}} }

// pick is the first n pools that fit and were not added yet.
func (c *uniChoice) pick(n int, fits func(*uniPool) bool) (list []uniPool) {
	for i := range c.all {
		if len(list) == n {
			break
		}
		if p := &c.all[i]; !c.has[p.no] && fits(p) {
			list = append(list, *p)
		}
	}
	return list
}

func (c *uniChoice) add(list []uniPool) {
	for _, p := range list {
		if !c.has[p.no] {
			c.has[p.no] = true
			c.list = append(c.list, p)
		}
	}
}

// selectV3 takes pools of base tokens whether or not other groups have them.
func (u *Uniswap) selectV3(from, to int) []uniPool {
	c := newUniChoice(u.v3)
	var withBase []uniPool
	for _, token := range []int{from, to} {
		var list []uniPool
		for _, base := range u.base {
			list = append(list, c.pick(uniV3.eachBase, func(p *uniPool) bool { return p.joins(base, token) })...)
		}
		sortPools(list)
		withBase = append(withBase, list[:min(len(list), uniV3.base)]...)
	}
	c.add(c.pick(uniV3.direct, func(p *uniPool) bool { return p.joins(from, to) }))
	c.add(c.pick(uniV3.top, func(*uniPool) bool { return true }))
	var next [2][]int
	for side, token := range []int{from, to} {
		list := c.pick(uniV3.inOut, func(p *uniPool) bool { return p.has(token) })
		c.add(list)
		for i := range list {
			next[side] = append(next[side], list[i].other(token))
		}
	}
	for _, tokens := range next {
		var list []uniPool
		for _, token := range tokens {
			list = append(list, c.pick(uniV3.second, func(p *uniPool) bool { return p.has(token) })...)
		}
		c.add(list)
	}
	c.add(withBase)
	return c.list
}

// selectV2 puts each pool into the first group that has room for it.
func (u *Uniswap) selectV2(from, to int) []uniPool {
	c := newUniChoice(u.v2)
	c.add(c.pick(uniV2.direct, func(p *uniPool) bool { return p.joins(from, to) }))
	ends := [2]int{from, to}
	var base, with [2]int // how many pools the groups of each end have
	var next [2]map[int]int
	top := 0
	group := func(p *uniPool) bool {
		for side, token := range ends {
			if p.has(token) && !p.joins(from, to) && slices.Contains(u.base, p.other(token)) && base[side] < uniV2.base {
				base[side]++
				if with[side] < uniV2.inOut {
					with[side]++
					next[side][p.other(token)] = uniV2.second
				}
				return true
			}
		}
		if top < uniV2.top {
			top++
			return true
		}
		for side, token := range ends {
			if p.has(token) && with[side] < uniV2.inOut {
				with[side]++
				next[side][p.other(token)] = uniV2.second
				return true
			}
		}
		return false
	}
	next = [2]map[int]int{{}, {}}
	c.add(c.pick(len(c.all), group))
	c.add(c.pick(len(c.all), func(p *uniPool) bool {
		for _, left := range next {
			for _, token := range p.token {
				if left[token] > 0 {
					left[token]--
					return true
				}
			}
		}
		return false
	}))
	return c.list
}

// uniPath is a path through selected pools.
type uniPath struct {
	edges []edge
	mixed bool // V2 and V3
}

// paths lists all paths between two tokens that visit no token twice.
func paths(pools []uniPool, from, to int) (list []uniPath) {
	visited, v2 := map[int]bool{from: true}, 0
	var path []edge
	var walk func(int)
	walk = func(at int) {
		if at == to {
			list = append(list, uniPath{slices.Clone(path), v2 > 0 && v2 < len(path)})
			return
		}
		for i := range pools {
			p := &pools[i]
			if len(path) == uniHops || !p.has(at) || visited[p.other(at)] {
				continue
			}
			side, next := slices.Index(p.token[:], at), p.other(at)
			visited[next], path = true, append(path, edge{p.no, next, side, 1 - side})
			if p.v2 {
				v2++
			}
			walk(next)
			if p.v2 {
				v2--
			}
			visited[next], path = false, path[:len(path)-1]
		}
	}
	walk(from)
	return list
}
