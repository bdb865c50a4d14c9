package feed

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"braid/venue"
)

// peer is an indexer as a replica knows it. Run owns it.
type peer struct {
	subjects
	keys []ed25519.PublicKey
	wake chan struct{} // tells meet that there is a new epoch
	peerState
}

// peerState is what belongs to one epoch: one process of the indexer.
type peerState struct {
	epoch       uint64
	manifest    *Manifest // nil before it was read in this epoch
	fingerprint [32]byte
	headSeq     uint64    // of the last head
	last        head      // the last one
	heard       time.Time // when it came
	updated     time.Time // when the nodes confirmed its market at the latest; zero: never

	// offset is the replica's monotonic time less that of the indexer's process, or
	// less: it is taken from when a request was sent to what its answer says. So what a
	// head was delayed is never taken for less than it was, whatever the broker does.
	offset   time.Duration
	offsetAt time.Time     // when it was taken; zero: never in this epoch
	took     time.Duration // from request to answer

	eligible    *eligibility // nil before the first
	eligibleAs  [32]byte     // its digest
	eligibleSeq uint64
	parts       assembly // of blocks
	partsOf     assembly // of eligibility

	differs   bool // its sum for a block is not that of the indexer that is followed
	since     time.Time
	compareAt time.Time       // not to be compared again before
	contested map[string]bool // pools whose records differ; nil: it is not known which
}

// usable tells whether the indexer may be followed.
func (p *peer) usable(now time.Time) bool {
	return p.manifest != nil && !p.offsetAt.IsZero() && now.Sub(p.heard) < SilentAfter && !p.updated.IsZero()
}

// enter begins a later epoch: another process of the indexer.
func (p *peer) enter(epoch uint64) {
	p.peerState = peerState{epoch: epoch}
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// reject counts a message that was refused.
func (r *Replica) reject(p *peer, err error) {
	if err == nil {
		return
	}
	reason := "other"
	for _, known := range []error{errShort, errVersion, errKind, errParts, errDamaged, errSignature, errPayload, errEpoch, errReplayed, errFingerprint, errSum, errChain, errNonce} {
		if errors.Is(err, known) {
			reason = known.Error()
			break
		}
	}
	r.countFault(reason)
	r.metrics.rejected.WithLabelValues(reason).Inc()
	r.Log.Debug("message refused", "indexer", p.name, "err", err)
}

// takeHead takes a head of the live path.
func (r *Replica) takeHead(p *peer, message []byte, at time.Time) error {
	e, err := open(p.subjects, p.keys, kindHead, message)
	if err != nil {
		return err
	}
	var h head
	if err := unpack(e.kind, e.payload, h.fields); err != nil {
		return err
	}
	switch {
	case e.epoch < p.epoch:
		return errEpoch
	case e.epoch > p.epoch:
		p.enter(e.epoch)
	case e.sequence <= p.headSeq:
		return errReplayed
	}
	p.headSeq = e.sequence
	p.noteHead(h, at, r.began)
	return nil
}

// noteHead takes a head that came at a time. How old its market is follows from what it
// says and from how long it was on the way.
func (p *peer) noteHead(h head, at, began time.Time) {
	p.last, p.heard = h, at
	if p.offsetAt.IsZero() || h.ageNs < 0 {
		p.updated = time.Time{}
		return
	}
	delay := at.Sub(began) - time.Duration(h.sentNs) - p.offset
	p.updated = at.Add(-time.Duration(h.ageNs) - max(0, delay))
}

// takeEligibility takes what may not be routed. Older ones than the last are refused.
func (r *Replica) takeEligibility(p *peer, message []byte) error {
	e, err := open(p.subjects, p.keys, kindEligibility, message)
	if err != nil {
		return err
	}
	switch {
	case e.epoch < p.epoch:
		return errEpoch
	case e.epoch > p.epoch:
		p.enter(e.epoch)
	case e.sequence < p.eligibleSeq:
		return errReplayed
	}
	payload := p.partsOf.add(e)
	if payload == nil {
		return nil
	}
	data, err := unpackBytes(e.kind, payload)
	if err != nil {
		return err
	}
	var list eligibility
	if err := venue.Decode(data, nil, list.fields); err != nil {
		return errPayload
	}
	p.eligible, p.eligibleAs, p.eligibleSeq = &list, sha256.Sum256(data), e.sequence
	return nil
}

// meet keeps in touch with an indexer until ctx ends: it reads the manifest of each
// epoch, and asks for the head with a number of its own, so that the answer is new.
func (r *Replica) meet(ctx context.Context, p *peer) {
	const every, untilMet = 5 * time.Second, 100 * time.Millisecond
	for {
		state := make(chan bool, 1)
		var epoch uint64
		wait := untilMet
		if r.hand(func() { epoch = p.epoch; state <- p.manifest == nil }) {
			select {
			case <-ctx.Done():
				return
			case unknown := <-state:
				if unknown {
					r.readManifest(ctx, p, epoch)
				}
				if r.challenge(ctx, p) && !unknown {
					wait = every
				}
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		case <-p.wake:
		}
	}
}

// challenge asks for the head with a random number, and takes the offset of clocks from
// the answer. It is false if there is none.
func (r *Replica) challenge(ctx context.Context, p *peer) bool {
	q := request{kind: kindAnswer}
	rand.Read(q.nonce[:])
	asked := time.Now()
	message, err := r.ask(ctx, p, &q)
	if err != nil || len(message) == 0 {
		return false
	}
	at := time.Now()
	r.hand(func() { r.reject(p, r.takeAnswer(p, message, &q, asked, at)) })
	return true
}

// takeAnswer takes the answer to a challenge.
func (r *Replica) takeAnswer(p *peer, message []byte, q *request, asked, at time.Time) error {
	e, err := open(p.subjects, p.keys, kindAnswer, message)
	if err != nil {
		return err
	}
	var h head
	if err := unpack(e.kind, e.payload, h.fields); err != nil {
		return err
	}
	switch {
	case h.nonce != q.nonce:
		return errNonce
	case e.epoch < p.epoch:
		return errEpoch
	case e.epoch > p.epoch:
		p.enter(e.epoch)
	}
	took := at.Sub(asked)
	if p.offsetAt.IsZero() || took < 2*p.took || at.Sub(p.offsetAt) > 30*time.Second {
		p.offset, p.offsetAt, p.took = asked.Sub(r.began)-time.Duration(h.sentNs), at, took
	}
	if e.sequence >= p.headSeq {
		p.headSeq = e.sequence
		p.noteHead(h, at, r.began)
	}
	return nil
}

// readManifest gets the manifest of an indexer from itself, or else from the broker.
func (r *Replica) readManifest(ctx context.Context, p *peer, epoch uint64) {
	message, err := r.ask(ctx, p, &request{kind: kindManifest})
	if err != nil || len(message) == 0 {
		message = r.storedManifest(ctx, p)
	}
	if len(message) > 0 {
		r.hand(func() { r.reject(p, r.takeManifest(p, message, epoch)) })
	}
}

// storedManifest is the manifest at the broker; nil if there is none, or the broker's
// stores do not answer.
func (r *Replica) storedManifest(ctx context.Context, p *peer) []byte {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	js, err := jetstream.New(r.Conn)
	if err != nil {
		return nil
	}
	kv, err := js.KeyValue(ctx, p.bucket())
	if err != nil {
		return nil
	}
	e, err := kv.Get(ctx, p.name)
	if err != nil {
		return nil
	}
	return e.Value()
}

// takeManifest takes the manifest of the present or a later epoch.
func (r *Replica) takeManifest(p *peer, message []byte, epoch uint64) error {
	e, err := open(p.subjects, p.keys, kindManifest, message)
	if err != nil {
		return err
	}
	if e.epoch < max(p.epoch, epoch) {
		return errEpoch
	}
	data, err := unpackBytes(e.kind, e.payload)
	if err != nil {
		return err
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return errPayload
	}
	if err := m.check(r.Chain); err != nil {
		return err
	}
	fingerprint, err := m.fingerprint()
	if err != nil {
		return errPayload
	}
	if e.epoch > p.epoch {
		p.enter(e.epoch)
	}
	p.manifest, p.fingerprint = &m, fingerprint
	if r.manifest.CompareAndSwap(nil, &m) {
		r.sources = fingerprint
		close(r.known)
	}
	if fingerprint != r.sources {
		r.Log.Warn("indexer follows other sources: it is not followed", "indexer", p.name)
		return errFingerprint
	}
	return nil
}
