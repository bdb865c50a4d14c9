package flow

// set is a set of nodes, or of positions in an order of them.
type set [MaxNodes / 64]uint64

func (s *set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s *set) drop(i int)     { s[i/64] &^= 1 << (i % 64) }
func (s *set) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

func (s *set) unite(o *set) {
	for k := range s {
		s[k] |= o[k]
	}
}
