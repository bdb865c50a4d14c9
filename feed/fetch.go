package feed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"braid/market"
	"braid/venue"
)

// advance brings the head to what the followed indexer says it is, as far as messages
// have come, and has the rest fetched.
func (r *Replica) advance(ctx context.Context, g *sync.WaitGroup) {
	p := r.followed
	if p == nil || p.heard.IsZero() {
		return
	}
	target := p.last.id
	missing := target
	if !r.resync {
		missing = r.applyUpTo(target)
	}
	needsEligibility := p.eligible == nil || p.eligibleAs != p.last.eligibility
	if r.markets[target] != nil && !r.resync && !needsEligibility {
		r.gap = false
		r.show(target, p.eligible, p.eligibleAs)
		r.compareAll(ctx, g)
		return
	}
	if r.fetching || time.Now().Before(r.retryAt) {
		return
	}
	r.fetching = true
	if r.markets[target] == nil && !r.gap {
		r.gap = true
		r.metrics.gaps.Inc()
	}
	f := fetch{r: r, p: p, known: map[ID]bool{}, storers: r.storers, snapshot: r.resync || len(r.markets) == 0, eligibility: needsEligibility}
	f.sources = r.sources
	if r.markets[target] == nil || r.resync {
		f.missing = missing
	}
	for id := range r.markets {
		f.known[id] = true
	}
	epoch := p.epoch
	f.keys = peer{subjects: p.subjects, keys: p.keys, peerState: peerState{epoch: epoch}}
	g.Go(func() {
		f.run(ctx)
		select { // not hand: what was fetched is not dropped
		case r.work <- func() { r.takeFetched(p, epoch, &f) }:
		case <-ctx.Done():
		}
	})
}

// applyUpTo applies the blocks that lead to a market, if all are there. Else it gives
// the first that is missing, going back.
func (r *Replica) applyUpTo(target ID) (missing ID) {
	var path []*delta
	id := target
	for r.markets[id] == nil {
		d := r.waiting[id]
		if d == nil {
			return id
		}
		path = append(path, d)
		id = d.base
	}
	for i := len(path) - 1; i >= 0; i-- {
		if err := r.apply(r.markets[path[i].base], path[i]); err != nil {
			r.reject(r.followed, err)
			return path[i].id
		}
	}
	return target
}

// fetch gets what a replica is missing. It runs beside Run and changes nothing of it.
type fetch struct {
	r           *Replica
	p           *peer
	keys        peer // a copy, for its keys
	storers     []venue.Storer
	sources     [32]byte
	known       map[ID]bool
	missing     ID   // zero: none
	snapshot    bool // begin with a whole market
	eligibility bool

	blocks  []*delta // found, in any order
	whole   *market.Snapshot
	wholeID ID
	listed  []byte // message
	errs    []error
}

const askTimeout = 300 * time.Millisecond

// ask sends a request to an indexer.
func (r *Replica) ask(ctx context.Context, p *peer, q *request) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	m, err := r.Conn.RequestWithContext(ctx, p.get(), venue.Encode(q.fields))
	if err != nil {
		return nil, err
	}
	r.metrics.bytes.Add(float64(len(m.Data)))
	return m.Data, nil
}

// askAll is the payload of all parts of a message; errNone if there is none.
func (r *Replica) askAll(ctx context.Context, p *peer, q request) ([]byte, error) {
	var a assembly
	for {
		message, err := r.ask(ctx, p, &q)
		if err != nil {
			return nil, err
		}
		if len(message) == 0 {
			return nil, errNone
		}
		e, err := open(p.subjects, p.keys, q.kind, message)
		if err != nil {
			return nil, err
		}
		if payload := a.add(e); payload != nil {
			return payload, nil
		}
		q.part++
	}
}

var errNone = errors.New("the indexer does not have it")

// run gets the blocks from what is known to what is missing: from the indexer's memory,
// then from the stream. Failing that it gets a whole market and the blocks after it.
func (f *fetch) run(ctx context.Context) {
	if f.eligibility {
		var err error
		if f.listed, err = f.r.ask(ctx, &f.keys, &request{kind: kindEligibility}); err != nil {
			f.errs = append(f.errs, err)
		}
	}
	if f.missing == (ID{}) {
		return
	}
	streamed := map[ID]*delta{}
	if !f.snapshot {
		at := f.walk(ctx, f.missing, streamed)
		if at == (ID{}) {
			return
		}
		f.readStream(ctx, streamed)
		if f.walk(ctx, at, streamed) == (ID{}) {
			return
		}
	}
	for _, load := range []func(context.Context) ([]byte, error){f.storedWhole, f.askedWhole} {
		f.blocks = nil
		payload, err := load(ctx)
		if err == nil {
			err = f.takeWhole(payload)
		}
		if err != nil {
			f.errs = append(f.errs, err)
			continue
		}
		f.known = map[ID]bool{f.wholeID: true}
		at := f.walk(ctx, f.missing, streamed)
		if at != (ID{}) {
			f.readStream(ctx, streamed)
			at = f.walk(ctx, at, streamed)
		}
		if at == (ID{}) {
			return
		}
	}
}

// walk goes back from a market to one that is known, and collects the blocks on the way.
// It gives the one that it could not find; zero if all are there.
func (f *fetch) walk(ctx context.Context, id ID, streamed map[ID]*delta) ID {
	for n := 0; !f.known[id]; n++ {
		d := streamed[id]
		if d == nil && n <= Recent {
			payload, err := f.r.askAll(ctx, &f.keys, request{kind: kindBlock, id: id})
			if err == nil {
				d, err = openDelta(kindBlock, payload)
			}
			if err != nil && !errors.Is(err, errNone) {
				f.errs = append(f.errs, err)
			}
		}
		if d == nil || d.id != id {
			return id
		}
		f.blocks = append(f.blocks, d)
		id = d.base
	}
	return ID{}
}

// readStream reads the indexer's blocks that the broker keeps.
func (f *fetch) readStream(ctx context.Context, streamed map[ID]*delta) {
	ctx, cancel := context.WithTimeout(ctx, brokerTimeout)
	defer cancel()
	js, err := jetstream.New(f.r.Conn)
	if err != nil {
		f.errs = append(f.errs, err)
		return
	}
	c, err := js.OrderedConsumer(ctx, f.p.bucket(), jetstream.OrderedConsumerConfig{FilterSubjects: []string{f.p.block()}})
	if err != nil {
		f.errs = append(f.errs, fmt.Errorf("stream: %w", err))
		return
	}
	var parts assembly
	for {
		const most = 256
		batch, err := c.FetchNoWait(most)
		if err != nil {
			f.errs = append(f.errs, fmt.Errorf("stream: %w", err))
			return
		}
		n := 0
		for m := range batch.Messages() {
			n++
			f.r.metrics.bytes.Add(float64(len(m.Data())))
			d, err := f.keys.openBlock(&parts, m.Data())
			if err != nil && !errors.Is(err, errEpoch) {
				f.errs = append(f.errs, err)
			}
			if d != nil {
				streamed[d.id] = d
			}
		}
		if n < most || ctx.Err() != nil {
			return
		}
	}
}

// askedWhole is a whole market from the indexer's memory.
func (f *fetch) askedWhole(ctx context.Context) ([]byte, error) {
	return f.r.askAll(ctx, &f.keys, request{kind: kindSnapshot})
}

// storedWhole is the newest whole market of the object store. It may be too old for the
// blocks that are left in the stream.
func (f *fetch) storedWhole(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, brokerTimeout)
	defer cancel()
	manifest := Manifest{}
	if message := f.r.storedManifest(ctx, &f.keys); len(message) > 0 {
		if _, err := open(f.keys.subjects, f.keys.keys, kindManifest, message); err == nil {
			manifest.Snapshot = snapshotOf(message)
		}
	}
	if manifest.Snapshot.Object == "" {
		return nil, errNone
	}
	js, err := jetstream.New(f.r.Conn)
	if err != nil {
		return nil, err
	}
	objects, err := js.ObjectStore(ctx, f.p.bucket())
	if err != nil {
		return nil, err
	}
	message, err := objects.GetBytes(ctx, manifest.Snapshot.Object)
	if err != nil {
		return nil, err
	}
	f.r.metrics.bytes.Add(float64(len(message)))
	e, err := open(f.keys.subjects, f.keys.keys, kindSnapshot, message)
	if err != nil {
		return nil, err
	}
	return e.payload, nil
}

// takeWhole makes a whole market of its payload.
func (f *fetch) takeWhole(payload []byte) error {
	d, err := openDelta(kindSnapshot, payload)
	if err != nil {
		return err
	}
	if d.fingerprint != f.sources {
		return errFingerprint
	}
	if d.base != (ID{}) {
		return errPayload
	}
	start, err := f.r.Start.Next(market.Block{}, nil, nil)
	if err != nil {
		return err
	}
	m, sum, err := nextMarket(f.storers, start, d)
	if err == nil && sum != d.id.Sum {
		err = errSum
	}
	if err != nil {
		return err
	}
	f.whole, f.wholeID = m, d.id
	return nil
}

// takeFetched takes what was fetched, if the indexer is still followed.
func (r *Replica) takeFetched(p *peer, epoch uint64, f *fetch) {
	r.fetching = false
	for _, err := range f.errs {
		if errors.Is(err, errNone) || errors.Is(err, context.DeadlineExceeded) {
			continue // what is missing is counted as a gap
		}
		r.reject(p, err)
	}
	if p != r.followed || p.epoch != epoch {
		return
	}
	if len(f.listed) > 0 {
		if err := r.takeEligibility(p, bytes.Clone(f.listed)); err != nil {
			r.reject(p, err)
		}
	}
	if f.whole != nil {
		r.metrics.resyncs.Inc()
		clear(r.markets)
		r.order, r.resync = nil, false
		r.keep(f.wholeID, f.whole)
	}
	for i := len(f.blocks) - 1; i >= 0; i-- { // oldest first
		if err := r.takeDelta(f.blocks[i]); err != nil {
			r.reject(p, err)
		}
	}
	if f.missing != (ID{}) && r.markets[f.missing] == nil {
		r.retryAt = time.Now().Add(100 * time.Millisecond)
	}
}
