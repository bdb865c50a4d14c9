package indexer

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/proof"
	"braid/venue"
)

// On a chain that is not our own a pool is admitted to the market when a trial has
// proved that it pays what it is quoted to pay (package proof). Verdicts are findings:
// they hold from a block on, and are stored with the state.

// verdict is what trials have told of a pool.
type verdict struct {
	proof.Verdict
	from     uint64 // number of the first block for which it holds
	refusals uint64 // in a row
}

// fields lists what is stored.
func (v *verdict) fields(c *venue.Codec) {
	venue.Number(c, &v.Status)
	venue.Number(c, &v.Block)
	venue.Number(c, &v.from)
	venue.Number(c, &v.Swaps)
	venue.Number(c, &v.Gas)
	venue.Number(c, &v.Variant)
	venue.Number(c, &v.refusals)
	c.Text(&v.Reason)
	c.Fixed(v.Code.Own[:])
	c.Fixed(v.Code.Implementation[:])
}

// confirmedBy tells whether a later trial told the same, so that it need not be recorded.
func (v *verdict) confirmedBy(again proof.Verdict) bool {
	return v.Status == proof.Proved && again.Status == proof.Proved && v.Code == again.Code && v.Variant == again.Variant && again.Block < v.Block+provedFor
}

// verdictOf is the verdict on a pool; untried if there is none.
func verdictOf(verdicts trie, id venue.ID) verdict {
	v := verdict{Verdict: proof.Verdict{Pool: id}}
	if e, ok := verdicts.get(id.Bytes()); ok {
		if venue.Decode(e.value, nil, v.fields) != nil || v.Status > proof.Refused {
			return verdict{Verdict: proof.Verdict{Pool: id}} // cannot be: it was encoded here
		}
	}
	return v
}

// applyVerdict adds a verdict to a changeset. A proved pool that waits for it is
// admitted; one in the market that is not proved any more becomes unusable, and one
// that is proved again is read.
func (x *Indexer) applyVerdict(changes *changeset, v verdict) {
	id := v.Pool
	changes.verdicts = changes.verdicts.put(entry{key: id.Bytes(), value: venue.Encode(v.fields)})
	p := changes.pool(id)
	if p == nil {
		return
	}
	_, out := p.(unusable)
	switch {
	case v.Status == proof.Proved && out && changes.admitted(id):
		x.reloadPool(changes, v.Apply(p.(unusable).previous))
	case v.Status == proof.Proved:
		changes.put(v.Apply(p))
	case !out && changes.admitted(id):
		x.log.Warn("pool is refused", "source", p.Info().Source.ID, "pool", id, "reason", v.Reason)
		changes.put(unusable{p.Info(), notProved, p})
		delete(changes.loaders, id)
	}
}

// notProved is the Idle of a pool in the market that a trial has refused.
const notProved = "a trial refused it"

// proved tells whether a pool may be in the market.
func (x *Indexer) proved(verdicts trie, id venue.ID) bool {
	return x.prover == nil || verdictOf(verdicts, id).Status == proof.Proved
}

// Proofs is what trials have told of the pools of a source that can be traded.
type Proofs struct {
	Proved, Refused, Untried int
	Reason                   string // of a pool that is refused
}

// tokenPair is two tokens, in the order of their addresses.
type tokenPair [2]common.Address

func pairOf(a, b common.Address) tokenPair {
	if a.Cmp(b) > 0 {
		a, b = b, a
	}
	return tokenPair{a, b}
}

// proofCounts are counts of a state.
type proofCounts struct {
	of       *state
	bySource map[string]Proofs
	untried  map[tokenPair]int
}

// Proofs are the counts of the newest block by source; nil if pools need no proof.
func (x *Indexer) Proofs() map[string]Proofs {
	if c := x.counted(); c != nil {
		return c.bySource
	}
	return nil
}

// Untried is the number of pools of the newest block that trade a pair of tokens and
// are not in the market because no trial has told of them yet.
func (x *Indexer) Untried(a, b common.Address) int {
	if c := x.counted(); c != nil {
		return c.untried[pairOf(a, b)]
	}
	return 0
}

// counted are the counts of the newest state, which are made once.
func (x *Indexer) counted() *proofCounts {
	s := x.latest.Load()
	if s == nil || x.prover == nil {
		return nil
	}
	if c := x.proofs.Load(); c != nil && c.of == s {
		return c
	}
	c := &proofCounts{s, map[string]Proofs{}, map[tokenPair]int{}}
	add := func(p venue.Pool) {
		info := p.Info()
		n, v := c.bySource[info.Source.ID], verdictOf(s.verdicts, info.ID)
		switch v.Status {
		case proof.Proved:
			n.Proved++
		case proof.Refused:
			n.Refused++
			n.Reason = v.Reason
		default:
			n.Untried++
			for i, a := range info.Tokens {
				for _, b := range info.Tokens[i+1:] {
					c.untried[pairOf(a, b)]++
				}
			}
		}
		c.bySource[info.Source.ID] = n
	}
	for _, p := range s.Pools() {
		if reason := venue.Idle(p); reason == "" || reason == notProved {
			add(p)
		}
	}
	for _, p := range s.waiting.forProof() {
		add(p)
	}
	x.proofs.Store(c)
	return c
}
