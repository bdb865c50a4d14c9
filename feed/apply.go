package feed

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"braid/codec"
	"braid/market"
	"braid/venue"
)

// takeBlock takes a block of the live path. If its base is there it is applied at once,
// before its head comes.
func (r *Replica) takeBlock(p *peer, message []byte, at time.Time) error {
	if p != r.followed {
		return nil
	}
	d, err := p.openBlock(&p.parts, message)
	if err != nil || d == nil {
		return err
	}
	r.arrival = arrival{d.id, at}
	return r.takeDelta(d)
}

// openBlock is the block of a message, if that was its last part.
func (p *peer) openBlock(parts *assembly, message []byte) (*delta, error) {
	e, err := open(p.subjects, p.keys, kindBlock, message)
	if err != nil {
		return nil, err
	}
	if e.epoch < p.epoch {
		return nil, errEpoch
	}
	payload := parts.add(e)
	if payload == nil {
		return nil, nil
	}
	return openDelta(e.kind, payload)
}

func openDelta(k kind, payload []byte) (*delta, error) {
	var d delta
	if err := unpack(k, payload, d.fields); err != nil {
		return nil, err
	}
	if d.block.Hash != d.id.Hash {
		return nil, errPayload
	}
	return &d, nil
}

// maxWaiting is how many blocks may wait for their base.
const maxWaiting = 4 * Recent

func (r *Replica) takeDelta(d *delta) error {
	if d.fingerprint != r.sources {
		return errFingerprint
	}
	if r.markets[d.id] != nil {
		return nil
	}
	base := r.markets[d.base]
	if base == nil {
		if len(r.waiting) >= maxWaiting {
			clear(r.waiting)
		}
		r.waiting[d.id] = d
		return nil
	}
	return r.apply(base, d)
}

// apply makes the market after a block and holds it to the sum.
func (r *Replica) apply(base *market.Snapshot, d *delta) error {
	delete(r.waiting, d.id)
	next, sum, err := nextMarket(r.storers, base, d)
	if err == nil && sum != d.id.Sum {
		err = fmt.Errorf("%w: block %d", errSum, d.block.Number)
	}
	if err != nil {
		r.resync = true
		return err
	}
	r.keep(d.id, next)
	r.metrics.applied.Inc()
	return nil
}

// nextMarket is the market after a block, and its sum.
func nextMarket(storers []venue.Storer, base *market.Snapshot, d *delta) (*market.Snapshot, Sum, error) {
	sum := d.base.Sum
	pools := make([]venue.Pool, len(d.pools))
	for i, record := range d.pools {
		p, err := decodeRecord(storers, record)
		if err != nil {
			return nil, sum, fmt.Errorf("%w: %w", errPayload, err)
		}
		if old, ok := base.Pool(p.Info().ID); ok {
			sum = sum.minus(poolDigest(codec.EncodePool(storers, old)))
		}
		sum = sum.plus(poolDigest([]byte(record.state)))
		pools[i] = p
	}
	next, err := base.Next(d.block, pools, d.tokens)
	if err != nil {
		return nil, sum, fmt.Errorf("%w: %w", errPayload, err)
	}
	for _, t := range next.Tokens()[len(base.Tokens()):] {
		sum = sum.plus(tokenDigest(t))
	}
	return next, sum, nil
}

// keep keeps a market for the blocks after it.
func (r *Replica) keep(id ID, m *market.Snapshot) {
	r.markets[id] = m
	if r.order = append(r.order, id); len(r.order) > Recent {
		delete(r.markets, r.order[0])
		r.order = slices.Delete(r.order, 0, 1)
	}
}

// show makes a market the head, without what may not be routed, if it is not already.
func (r *Replica) show(id ID, e *eligibility, digest [32]byte) {
	contested := r.contested()
	v := view{id, digest, contested}
	m := r.markets[id]
	if r.shown == v && r.head.Load() != nil {
		return
	}
	shown, err := withoutWithheld(m, e, contested)
	if err != nil { // cannot be: the pools are of this market
		r.Log.Error("market is not shown", "err", err)
		return
	}
	shown = shown.After(r.head.Load())
	shown.Graph()
	r.shown = v
	first := r.head.Swap(shown) == nil
	close(*r.changed.Swap(new(make(chan struct{}))))
	if first {
		close(r.ready)
	}
	if r.arrival.id == id {
		r.metrics.apply.Observe(time.Since(r.arrival.at).Seconds())
	}
}

// withoutWithheld is a market in which pools that may not be routed quote nothing.
func withoutWithheld(m *market.Snapshot, e *eligibility, contested string) (*market.Snapshot, error) {
	var idle []venue.Pool
	if len(e.paused) > 0 {
		paused := reasonMap(e.paused)
		for _, p := range m.Pools() {
			if why, ok := paused[p.Info().Source.ID]; ok {
				idle = append(idle, withheld{p.Info(), "paused: " + why})
			}
		}
	}
	withhold := func(id, why string) {
		if p, ok := m.Pool(venue.ID(id)); ok {
			idle = append(idle, withheld{p.Info(), why})
		}
	}
	for _, u := range e.unusable {
		withhold(u.of, u.why)
	}
	for id := range strings.FieldsSeq(contested) {
		withhold(id, "indexers do not agree on its state")
	}
	if len(idle) == 0 {
		return m, nil
	}
	return m.Next(m.Block(), idle, nil)
}
