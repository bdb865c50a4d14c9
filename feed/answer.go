package feed

import (
	"crypto/ed25519"
	"errors"

	"github.com/nats-io/nats.go"

	"braid/venue"
)

// request is what a replica asks an indexer for: a message of which it names the part.
type request struct {
	kind  kind
	part  uint64
	id    ID       // of a block or of records
	nonce [16]byte // of a head
}

func (r *request) fields(c *venue.Codec) {
	venue.Number(c, &r.kind)
	venue.Number(c, &r.part)
	switch r.kind {
	case kindBlock, kindRecords:
		r.id.fields(c)
	case kindAnswer:
		c.Fixed(r.nonce[:])
	}
}

// serve answers requests, counts acks, and calls fenced when another process is heard
// to send under this name in a later epoch. stop ends that.
func (w *Writer) serve(fenced func()) (stop func(), err error) {
	var subs []*nats.Subscription
	subscribe := func(subject string, do nats.MsgHandler) {
		s, e := w.Conn.Subscribe(subject, do)
		if err = errors.Join(err, e); e == nil {
			subs = append(subs, s)
		}
	}
	stop = func() {
		for _, s := range subs {
			s.Unsubscribe() // fails only if the connection is closed
		}
	}
	subscribe(w.get(), func(m *nats.Msg) {
		if reply := w.answer(m.Data); m.Reply != "" {
			m.Respond(reply) // who asked will ask again
			w.metrics.sent(len(reply))
		}
	})
	subscribe(w.inbox+".*", w.countAck)
	public := w.key.Public().(ed25519.PublicKey)
	subscribe(w.head(), func(m *nats.Msg) {
		if e, err := open(w.subjects, []ed25519.PublicKey{public}, kindHead, m.Data); err == nil && e.epoch > w.epoch {
			w.metrics.fenced.Set(1)
			fenced()
		}
	})
	if err != nil {
		stop()
	}
	return stop, err
}

// answer is the message that a request asks for; nothing if there is none.
func (w *Writer) answer(data []byte) []byte {
	var r request
	if venue.Decode(data, nil, r.fields) != nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var parts [][]byte
	switch r.kind {
	case kindBlock:
		if s := w.recent[r.id]; s != nil {
			parts = s.parts
		}
	case kindEligibility:
		parts = w.eligibility.parts
	case kindManifest:
		parts = [][]byte{w.manifest}
	case kindSnapshot:
		parts = w.snapshotParts()
	case kindRecords:
		parts = w.recordParts(r.id)
	case kindAnswer:
		h, ok := w.newHead()
		if !ok {
			return nil
		}
		h.nonce = r.nonce
		parts = w.message(kindAnswer, w.heads, pack(kindAnswer, venue.Encode(h.fields)), maxPart)
	}
	if r.part >= uint64(len(parts)) {
		return nil
	}
	return parts[r.part]
}

// recordsAnswer is the last answer to a request for records: the parts of one answer
// are asked for one by one.
type recordsAnswer struct {
	id    ID
	parts [][]byte
}

// recordParts is the message with the records of a recent market.
func (w *Writer) recordParts(id ID) [][]byte {
	s := w.recent[id]
	if s == nil {
		return nil
	}
	if w.answers.id != id {
		r := recordsOf(w.storers, id, s.market)
		w.answers = recordsAnswer{id, w.message(kindRecords, w.heads, pack(kindRecords, venue.Encode(r.fields)), maxPart)}
	}
	return w.answers.parts
}
