package feed

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"braid/codec"
	"braid/market"
	"braid/venue"
)

// delta is the payload of a block, and of a whole market: what it changed against
// its base. The base of a whole market is the zero ID.
type delta struct {
	fingerprint [sha256.Size]byte // of chain, sources and encoding
	base, id    ID
	block       market.Block
	tokens      []market.Token // new ones
	pools       []poolRecord   // changed and new ones, by their numbers
}

// poolRecord is a pool: its state, which the sum counts, and what its indexer knows of
// its past, which only gas estimates depend on: it differs between indexers that began
// to follow the pool at different blocks.
type poolRecord struct{ state, history string }

func (m *delta) fields(c *venue.Codec) {
	c.Fixed(m.fingerprint[:])
	m.base.fields(c)
	m.id.fields(c)
	codec.Block(c, &m.block)
	venue.List(c, &m.tokens, func(t *market.Token) { codec.Token(c, t) })
	venue.List(c, &m.pools, func(p *poolRecord) {
		c.Text(&p.state)
		c.Text(&p.history)
	})
}

// head says which market is the newest, and how old it is.
type head struct {
	id          ID
	number      uint64
	height      uint64 // of the nodes
	final       uint64 // number of the newest final block
	reachable   bool   // the nodes last agreed on a head
	state       string // how far consensus about the block has come; empty: not told
	ageNs       int64  // since the nodes last confirmed it; below 0: never
	sentNs      int64  // monotonic time of the sender when it sent this
	eligibility [sha256.Size]byte
	nonce       [16]byte // of the request that this answers; zero on the live path
}

func (h *head) fields(c *venue.Codec) {
	h.id.fields(c)
	for _, n := range []*uint64{&h.number, &h.height, &h.final} {
		venue.Number(c, n)
	}
	c.Bool(&h.reachable)
	c.Text(&h.state)
	venue.Number(c, &h.ageNs)
	venue.Number(c, &h.sentNs)
	c.Fixed(h.eligibility[:])
	c.Fixed(h.nonce[:])
}

// eligibility is what may not be routed, whatever its state: sources and pools, each
// with the reason.
type eligibility struct{ paused, unusable []reason }

type reason struct{ of, why string }

func (e *eligibility) fields(c *venue.Codec) {
	for _, list := range []*[]reason{&e.paused, &e.unusable} {
		venue.List(c, list, func(r *reason) {
			c.Text(&r.of)
			c.Text(&r.why)
		})
	}
}

func reasonsOf(m map[string]string) (list []reason) {
	for _, of := range slices.Sorted(maps.Keys(m)) {
		list = append(list, reason{of, m[of]})
	}
	return list
}

func reasonMap(list []reason) map[string]string {
	m := make(map[string]string, len(list))
	for _, r := range list {
		m[r.of] = r.why
	}
	return m
}

// records are the digests of all pools and tokens of a market, to find what two
// indexers do not agree on.
type records struct {
	id   ID
	list []recordDigest
}

// recordDigest is a digest of the ID of a pool or the address of a token, and the
// digest of its record.
type recordDigest struct{ of, sum Sum }

func (r *records) fields(c *venue.Codec) {
	r.id.fields(c)
	venue.List(c, &r.list, func(d *recordDigest) {
		d.of.fields(c)
		d.sum.fields(c)
	})
}

func recordsOf(storers []venue.Storer, id ID, m *market.Snapshot) *records {
	r := &records{id: id}
	for _, p := range m.Pools() {
		r.list = append(r.list, recordDigest{poolName(p), poolDigest(codec.EncodePool(storers, p))})
	}
	for _, t := range m.Tokens() {
		r.list = append(r.list, recordDigest{tokenName(t), tokenDigest(t)})
	}
	return r
}

func poolName(p venue.Pool) Sum    { return digest('P', []byte(p.Info().ID)) }
func tokenName(t market.Token) Sum { return digest('T', t.Address[:]) }

// Manifest is what replicas must know of an indexer before they follow it. Its keys
// are not part of it: those are given to replicas by their operators.
type Manifest struct {
	Format   int
	Chain    uint64
	Sources  []venue.Source // followed, with measured fees
	Retired  []venue.Source // known and not followed
	Gas      string         // schedule
	Local    bool           // the chain is a local one
	Build    string
	Snapshot SnapshotName // newest one in the object store
}

// SnapshotName is where a whole market is stored.
type SnapshotName struct {
	Object string
	Number uint64 // of its block
	Pools  int
}

// fingerprint is equal for indexers of which a replica may follow one after the
// other.
func (m *Manifest) fingerprint() (sum [sha256.Size]byte, err error) {
	data, err := codec.Fingerprint(m.Chain, m.Sources)
	if err != nil {
		return sum, err
	}
	rest, err := json.Marshal([]any{m.Retired, m.Gas, m.Local})
	return sha256.Sum256(append(data, rest...)), err
}

// check says why a replica of a chain cannot use the manifest, if so.
func (m *Manifest) check(chain uint64) error {
	switch {
	case m.Chain != chain:
		return fmt.Errorf("%w: %d", errChain, m.Chain)
	case m.Format != codec.Format:
		return fmt.Errorf("%w: pools of format %d, want %d", errVersion, m.Format, codec.Format)
	}
	return nil
}
