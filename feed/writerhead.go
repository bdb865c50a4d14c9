package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"braid/codec"
	"braid/venue"
)

func messageID(epoch uint64, id ID, part int, data []byte) string {
	sum := sha256.Sum256(data)
	return fmt.Sprintf("%d-%x-%d-%s", epoch, id.Hash, part, hex.EncodeToString(sum[:8]))
}

// sendHead sends which market is the newest, after what may not be routed if that has
// changed. It sends nothing before the first market.
func (w *Writer) sendHead() {
	w.mu.Lock()
	defer w.mu.Unlock()
	h, ok := w.newHead()
	if !ok {
		return
	}
	w.heads++
	w.last = h
	data := w.message(kindHead, w.heads, pack(kindHead, venue.Encode(h.fields)), maxPart)[0]
	if err := w.Conn.Publish(w.head(), data); err != nil {
		w.metrics.failed.Inc()
		return
	}
	w.metrics.sent(len(data))
}

// newHead is the head as of now, if its market was sent.
func (w *Writer) newHead() (h head, ok bool) {
	m := w.Head()
	if m == nil {
		return h, false
	}
	b := m.Block()
	id, known := w.byHash[b.Hash]
	if !known {
		return h, false
	}
	status, now := w.Status(), time.Now()
	w.updateEligibility(eligibility{reasonsOf(status.Paused), reasonsOf(w.recent[id].unusable)})
	h = head{
		id: id, number: b.Number, height: b.Number + status.Lag, final: status.Final, reachable: status.Reachable, state: status.State,
		ageNs: -1, sentNs: int64(now.Sub(w.began)), eligibility: w.eligibility.digest,
	}
	if !status.Updated.IsZero() {
		h.ageNs = max(0, int64(now.Sub(status.Updated)))
	}
	return h, true
}

// updateEligibility sends what may not be routed, if it is not what was sent last.
func (w *Writer) updateEligibility(e eligibility) {
	data := venue.Encode(e.fields)
	digest := sha256.Sum256(data)
	if w.eligibility.parts != nil && digest == w.eligibility.digest {
		return
	}
	w.eligible++
	w.eligibility = eligibilityMessage{digest, w.message(kindEligibility, w.eligible, pack(kindEligibility, data), maxPart)}
	for _, part := range w.eligibility.parts {
		if err := w.Conn.Publish(w.subjects.eligibility(), part); err != nil {
			w.metrics.failed.Inc()
		}
		w.metrics.sent(len(part))
	}
}

// encodeRecord is a pool as it is sent.
func encodeRecord(storers []venue.Storer, p venue.Pool) poolRecord {
	r := poolRecord{state: string(codec.EncodePool(storers, p))}
	if _, unusable := p.(codec.Unusable); !unusable {
		r.history = string(codec.EncodeHistory(storers, p))
	}
	return r
}

// countAck counts an answer of the stream. An error, as of a full disk, leaves the
// message unacked: live replicas have it, and it is kept in memory.
func (w *Writer) countAck(m *nats.Msg) {
	var ack struct {
		Error *jetstream.APIError `json:"error"`
	}
	if json.Unmarshal(m.Data, &ack) != nil || ack.Error != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.unacked, m.Subject)
	w.metrics.unacked.Set(float64(len(w.unacked)))
}

// expectAck gives the subject on which the stream is to say that it has stored a block.
// Of blocks that are not in memory any more nothing is expected.
func (w *Writer) expectAck() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.parts++
	subject := fmt.Sprintf("%s.%d", w.inbox, w.parts)
	w.unacked[subject] = w.blocks
	for s, block := range w.unacked {
		if block+Recent <= w.blocks {
			delete(w.unacked, s)
		}
	}
	w.metrics.unacked.Set(float64(len(w.unacked)))
	return subject
}
