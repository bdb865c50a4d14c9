package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// council finds the head that the nodes stand for.
//
// A node stands for a block if it has that very header and its head is the
// block or comes after it. The council's head is the highest block for which a
// quorum stands: a block that only liars know never is, a block that was
// dropped ceases to be. It is as fresh as the quorum's looks: a node has
// nothing newer than a block up to when it last showed one not above it.
type council struct {
	quorum int
	stuck  time.Duration // for which a node may show one head, and how old that may be; 0: for ever
	seats  []seat
}

// seat is what one node has shown.
type seat struct {
	head   Header
	good   time.Time // when it last showed a head
	err    error     // why there was none since
	silent bool      // for so long that it stands for nothing
	shown  []glance  // of the last heads, oldest first
	asking bool
	told   map[uint64]Header // blocks below its head that it was asked for
}

type glance struct {
	Header
	first, last time.Time
}

// grace is how long a node that fails still stands for what it showed.
const grace = time.Second

// shownMax is more than a subscription shows within the time in which nodes
// catch up with each other.
const shownMax = 128

// convene watches all nodes until ctx ends, and shows what they agree upon.
func (c *Client) convene(ctx context.Context, show func(Sighting)) {
	looks := make(chan look)
	tell := func(l look) {
		select {
		case looks <- l:
		case <-ctx.Done():
		}
	}
	var g sync.WaitGroup
	defer g.Wait()
	for _, n := range c.nodes {
		g.Go(func() { n.watch(ctx, tell) })
	}
	type answer struct {
		node       int
		head, told Header
		err        error
	}
	answers := make(chan answer)
	all := &council{quorum: c.quorum, stuck: c.stuck, seats: make([]seat, len(c.nodes))}
	for {
		select {
		case <-ctx.Done():
			return
		case l := <-looks:
			all.look(l)
			if l.err == nil {
				c.nodes[l.node].count.head.Set(float64(l.head.Number))
			}
		case a := <-answers:
			s := &all.seats[a.node]
			s.asking = false
			if a.err == nil && s.head == a.head {
				s.told[a.told.Number] = a.told
			}
		}
		s, unsure := all.head()
		for _, q := range unsure {
			if all.seats[q.node].asking {
				continue
			}
			all.seats[q.node].asking = true
			head := all.seats[q.node].head
			g.Go(func() {
				h, err := c.nodes[q.node].byNumber(ctx, q.number)
				select {
				case answers <- answer{q.node, head, h, err}:
				case <-ctx.Done():
				}
			})
		}
		show(s)
	}
}

func (c *council) look(l look) {
	s := &c.seats[l.node]
	i := slices.IndexFunc(s.shown, func(g glance) bool { return g.Header == l.head })
	switch {
	case l.err != nil || c.stuck == 0:
	case i >= 0 && l.at.Sub(s.shown[i].first) > c.stuck:
		l.err = fmt.Errorf("node %d has shown nothing newer than block %d for %s: it is stuck, or the chain is", l.node+1, l.head.Number, c.stuck)
	case l.at.Sub(time.Unix(int64(l.head.Time), 0)) > c.stuck:
		l.err = fmt.Errorf("node %d has nothing newer than block %d of more than %s ago: it is catching up, or our clock is ahead", l.node+1, l.head.Number, c.stuck)
	}
	if s.err = l.err; l.err != nil {
		s.silent = l.at.Sub(s.good) > grace
		return
	}
	s.good, s.silent = l.at, false
	if l.head != s.head {
		s.head, s.told = l.head, map[uint64]Header{}
	}
	if i >= 0 {
		g := s.shown[i]
		g.last = l.at
		s.shown = append(slices.Delete(s.shown, i, i+1), g)
		return
	}
	if len(s.shown) == shownMax {
		s.shown = slices.Delete(s.shown, 0, 1)
	}
	s.shown = append(s.shown, glance{l.head, l.at, l.at})
}

// question is a block below its head that a node must be asked for.
type question struct {
	node   int
	number uint64
}

// head is what the seats stand for, and what to ask for a better answer.
func (c *council) head() (best Sighting, unsure []question) {
	heights := make([]uint64, len(c.seats))
	for i := range c.seats {
		heights[i] = c.seats[i].head.Number
	}
	slices.Sort(heights)
	votes := 0
	for i := range c.seats {
		candidate := c.seats[i].head
		if candidate.Hash == best.Hash || c.seats[i].silent || candidate == (Header{}) {
			continue
		}
		s := Sighting{Header: candidate}
		var fresh []time.Time
		var open []question
		for j := range c.seats {
			switch stands, known := c.seats[j].stands(candidate); {
			case stands:
				first, nothingNewer := c.seats[j].times(candidate)
				if !first.IsZero() && (s.Seen.IsZero() || first.Before(s.Seen)) {
					s.Seen = first
				}
				fresh = append(fresh, nothingNewer)
			case !known:
				open = append(open, question{j, candidate.Number})
			}
		}
		if len(fresh) < c.quorum {
			if len(fresh)+len(open) >= c.quorum {
				unsure = append(unsure, open...)
			}
			continue
		}
		slices.SortFunc(fresh, func(a, b time.Time) int { return b.Compare(a) })
		s.At = fresh[c.quorum-1]
		// Of equals the one that was shown last: the other may be a replaced one.
		if votes == 0 || cmp.Or(cmp.Compare(s.Number, best.Number), cmp.Compare(len(fresh), votes), s.Seen.Compare(best.Seen)) > 0 {
			best, votes = s, len(fresh)
		}
	}
	if votes == 0 {
		best.Err = c.reason()
	}
	best.Height = heights[len(heights)-c.quorum]
	return best, unsure
}

// stands tells whether the node has this header on its branch, if that is known.
func (s *seat) stands(b Header) (yes, known bool) {
	if s.silent || s.head == (Header{}) {
		return false, true
	}
	h := s.head
	for h.Number > b.Number {
		// Hashes are the node's word: only numbers that descend end the walk.
		i := slices.IndexFunc(s.shown, func(g glance) bool { return g.Hash == h.Parent && g.Number+1 == h.Number })
		if i < 0 {
			told, ok := s.told[b.Number]
			return ok && told == b, ok
		}
		h = s.shown[i].Header
	}
	return h == b, true
}

// times are when the node first showed the block, if it did, and up to when it
// showed nothing above it.
func (s *seat) times(b Header) (first, nothingNewer time.Time) {
	for _, g := range s.shown {
		if g.Header == b {
			first = g.first
		}
		if g.Number <= b.Number && g.last.After(nothingNewer) {
			nothingNewer = g.last
		}
	}
	return first, nothingNewer
}

// reason is why there is no head.
func (c *council) reason() error {
	for _, s := range c.seats {
		if s.err != nil {
			return s.err
		}
	}
	text := ""
	for _, s := range c.seats {
		if s.head == (Header{}) {
			return errors.New("not all nodes have shown a head")
		}
		text += fmt.Sprintf(" %d %s", s.head.Number, s.head.Hash.TerminalString())
	}
	return fmt.Errorf("%w about the head:%s", ErrDisagree, text)
}
