package chain

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// HeadUpdate is the newest block that a quorum of nodes confirms, or the reason
// why there is none. If Err is not nil, the embedded Header is empty.
type HeadUpdate struct {
	Header
	FirstSeen    time.Time  // local time of the first report of this block as the head of a node that votes for it
	ConfirmedAt  time.Time  // the latest local time at or after which a quorum of the nodes that vote for this block reported it, or a block below it, as their head
	State        BlockState // the furthest state that a quorum of nodes has announced for this block
	QuorumHeight uint64     // the highest number that the heads of a quorum of nodes reach, on whatever branch
	Err          error
}

// observation is one report of one node about its head, or its failure to
// report one.
type observation struct {
	node  int // index into Client.nodes and headQuorum.voters
	head  Header
	state BlockState // of the block; if it is after Proposed, the block need not be the node's head
	at    time.Time  // local time of the report
	err   error      // if not nil, head is not valid
}

// headQuorum computes the head of the chain from the observations of all nodes.
// It makes no requests and reads no clock; it is used by one goroutine.
//
// A node votes for block B if its own head is B or a descendant of B, and the
// header it has at B's number equals B in every field. The head is the highest
// block with at least quorum votes, so:
//
//   - a block that only fewer than quorum nodes know is never the head;
//   - a block that the nodes replaced (a reorg) loses its votes and stops being
//     the head, even if the new branch is shorter;
//   - a node that is ahead of B still votes for B, but says nothing about how
//     recent B is: ConfirmedAt counts only reports of blocks not above B.
type headQuorum struct {
	quorum     int           // votes needed; 1 <= quorum <= len(voters)
	stuckAfter time.Duration // a head that its node has reported for longer than this, or whose block is older than this, counts as an error; 0: no limit
	voters     []voter       // one for each node
}

// voter is what one node has reported so far.
type voter struct {
	head      Header            // the last one reported without error; zero before the first
	lastOK    time.Time         // local time of that report
	err       error             // of the last report; nil if it was good
	expired   bool              // reports have failed for longer than gracePeriod: it votes for nothing
	seen      []seenHead        // the last maxSeenHeads distinct heads, least recently reported first
	ancestors map[uint64]Header // the node's answers to ancestor queries, by number, entered by the caller of head; cleared when head changes
	pending   bool              // for the caller of head: a request for an ancestor is under way
}

// seenHead is a head with the local times of its first and last report as the head,
// and the furthest state that the node announced.
type seenHead struct {
	Header
	first, last time.Time
	state       BlockState
}

const (
	// gracePeriod is how long the votes of a node outlive its last good report.
	gracePeriod = time.Second

	// maxSeenHeads bounds the memory of a voter. Nodes differ by a few blocks;
	// 128 blocks of 300 ms are more than half a minute.
	maxSeenHeads = 128
)

// observe records a report. A head that is stuck or too old counts as an error. News
// of the state of a block that was the head, or is below it, says nothing about the
// head.
func (q *headQuorum) observe(o observation) {
	v := &q.voters[o.node]
	known := slices.IndexFunc(v.seen, func(s seenHead) bool { return s.Header == o.head })
	if o.err == nil && o.state > Proposed && (known >= 0 || o.head.Number < v.head.Number) {
		if known >= 0 {
			v.seen[known].state = max(v.seen[known].state, o.state)
		}
		return
	}
	switch {
	case o.err != nil || q.stuckAfter == 0:
	case known >= 0 && o.at.Sub(v.seen[known].first) > q.stuckAfter:
		o.err = fmt.Errorf("node %d has reported nothing newer than block %d for %s: it is stuck, or the chain is", o.node+1, o.head.Number, q.stuckAfter)
	case o.at.Sub(time.Unix(int64(o.head.Time), 0)) > q.stuckAfter:
		o.err = fmt.Errorf("node %d has nothing newer than block %d of more than %s ago: it is catching up, or our clock is ahead", o.node+1, o.head.Number, q.stuckAfter)
	}
	if v.err = o.err; o.err != nil {
		v.expired = o.at.Sub(v.lastOK) > gracePeriod
		return
	}
	v.lastOK, v.expired = o.at, false
	if o.head != v.head {
		v.head, v.ancestors = o.head, map[uint64]Header{}
	}
	now := seenHead{o.head, o.at, o.at, o.state}
	switch {
	case known >= 0:
		now.first, now.state = v.seen[known].first, max(v.seen[known].state, o.state)
		v.seen = slices.Delete(v.seen, known, known+1)
	case len(v.seen) == maxSeenHeads:
		v.seen = slices.Delete(v.seen, 0, 1)
	}
	v.seen = append(v.seen, now)
}

// ancestorQuery is a header to request from a node, because the reports so far
// do not tell whether the node votes for a block of that number.
type ancestorQuery struct {
	node   int // index into headQuorum.voters
	number uint64
}

// head is the highest block with a quorum of votes. The queries name requests
// whose answers may give another block a quorum: the caller makes them, enters
// the answers as ancestors of the voters, and calls head again.
func (q *headQuorum) head() (best HeadUpdate, queries []ancestorQuery) {
	votes := 0
	for i := range q.voters {
		candidate := q.voters[i].head
		if candidate.Hash == best.Hash || q.voters[i].expired || candidate == (Header{}) {
			continue
		}
		update, n, unknown := q.count(candidate)
		if n < q.quorum {
			if n+len(unknown) >= q.quorum {
				queries = append(queries, unknown...)
			}
			continue
		}
		// The higher block wins; of two with the same number, the one with more
		// votes; of two with as many votes, the one first seen later, which may
		// have replaced the other.
		if votes == 0 || cmp.Or(cmp.Compare(update.Number, best.Number), cmp.Compare(n, votes), update.FirstSeen.Compare(best.FirstSeen)) > 0 {
			best, votes = update, n
		}
	}
	if votes == 0 {
		best.Err = q.noHeadError()
	}
	best.QuorumHeight = q.height()
	return best, queries
}

// count counts the votes for a block. Nodes whose vote is not known are
// returned as queries. The update is complete if votes reaches the quorum.
func (q *headQuorum) count(b Header) (update HeadUpdate, votes int, unknown []ancestorQuery) {
	update.Header = b
	var current []time.Time // for each vote, the last report of a block not above b
	var states []BlockState // for each vote
	for i := range q.voters {
		yes, known := q.voters[i].votesFor(b)
		if !known {
			unknown = append(unknown, ancestorQuery{i, b.Number})
		}
		if !yes {
			continue
		}
		first, last, state := q.voters[i].seenOf(b)
		if !first.IsZero() && (update.FirstSeen.IsZero() || first.Before(update.FirstSeen)) {
			update.FirstSeen = first
		}
		current, states = append(current, last), append(states, state)
	}
	if votes = len(current); votes >= q.quorum {
		slices.SortFunc(current, func(a, b time.Time) int { return b.Compare(a) }) // newest first
		update.ConfirmedAt = current[q.quorum-1]
		slices.Sort(states)
		update.State = states[votes-q.quorum]
	}
	return update, votes, unknown
}

// height is the quorum-th highest head number, whatever the branch.
func (q *headQuorum) height() uint64 {
	numbers := make([]uint64, len(q.voters))
	for i := range q.voters {
		numbers[i] = q.voters[i].head.Number
	}
	slices.Sort(numbers)
	return numbers[len(numbers)-q.quorum]
}

// votesFor tells whether block b is on the branch of the node's head. It is not
// known if there is a gap between them in what the node has reported, and the
// node has not been asked for its header of that number.
func (v *voter) votesFor(b Header) (yes, known bool) {
	if v.expired || v.head == (Header{}) {
		return false, true
	}
	h := v.head
	for h.Number > b.Number {
		// The node may forge hashes that refer to each other in a cycle; the walk
		// ends because the number falls by one with each step.
		i := slices.IndexFunc(v.seen, func(s seenHead) bool { return s.Hash == h.Parent && s.Number+1 == h.Number })
		if i < 0 {
			ancestor, ok := v.ancestors[b.Number]
			return ok && ancestor == b, ok
		}
		h = v.seen[i].Header
	}
	return h == b, true
}

// seenOf are the local times of the node's first report of block b (zero if it
// never was the node's head) and of its last report of any block whose number is not
// above that of b, and the state of b.
func (v *voter) seenOf(b Header) (first, last time.Time, state BlockState) {
	for _, s := range v.seen {
		if s.Header == b {
			first, state = s.first, s.state
		}
		if s.Number <= b.Number && s.last.After(last) {
			last = s.last
		}
	}
	return first, last, state
}

// noHeadError says why no block has a quorum: the error of the first node that
// has one, or else that not all nodes have reported, or that they disagree.
func (q *headQuorum) noHeadError() error {
	for _, v := range q.voters {
		if v.err != nil {
			return v.err
		}
	}
	text := ""
	for _, v := range q.voters {
		if v.head == (Header{}) {
			return errors.New("not all nodes have reported a head")
		}
		text += fmt.Sprintf(" %d %s", v.head.Number, v.head.Hash.TerminalString())
	}
	return fmt.Errorf("%w about the head:%s", ErrDisagree, text)
}
