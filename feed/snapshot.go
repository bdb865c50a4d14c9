package feed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"braid/codec"
	"braid/market"
	"braid/venue"
)

// sentSnapshot is a whole market as the last one was made: for the object store one
// message, for those who ask the same payload in parts.
type sentSnapshot struct {
	id       ID
	series   uint64
	sequence uint64
	payload  []byte
	parts    [][]byte // made when first asked for
}

// encodeSnapshot is the payload of a whole market.
func encodeSnapshot(storers []venue.Storer, fingerprint [32]byte, id ID, m *market.Snapshot) []byte {
	d := delta{fingerprint: fingerprint, id: id, block: m.Block(), tokens: m.Tokens()}
	for _, p := range m.Pools() {
		d.pools = append(d.pools, encodeRecord(storers, p))
	}
	return pack(kindSnapshot, venue.Encode(d.fields))
}

// keepSnapshots stores a whole market every SnapshotEvery, and at once when messages do
// not lead from the last one to the newest, until ctx ends or the process is fenced.
func (w *Writer) keepSnapshots(ctx context.Context) error {
	var stored time.Time
	var series uint64 // of the last that was stored
	for {
		w.mu.Lock()
		newest := w.recent[w.last.id]
		w.mu.Unlock()
		if newest != nil && (newest.series != series || time.Since(stored) >= SnapshotEvery) {
			err := w.storeSnapshot(ctx, newest)
			switch {
			case errors.Is(err, ErrFenced):
				w.metrics.fenced.Set(1)
				return err
			case err != nil && ctx.Err() == nil:
				w.metrics.unstored.Inc()
				w.Log.Warn("whole market is not stored: replicas get it from this process", "err", err)
				if !pause(ctx, 5*time.Second) {
					return nil
				}
			default:
				stored, series = time.Now(), newest.series
			}
		}
		if !pause(ctx, HeadEvery) {
			return nil
		}
	}
}

// storeSnapshot puts a whole market into the object store, names it in the manifest and
// removes those that are too old.
func (w *Writer) storeSnapshot(ctx context.Context, s *sent) error {
	made := w.makeSnapshot(s)
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	js, err := jetstream.New(w.Conn)
	if err != nil {
		return err
	}
	st, err := openStores(ctx, js, w.subjects)
	if err != nil {
		return err
	}
	message := w.message(kindSnapshot, made.sequence, made.payload, envelopeSize+len(made.payload))[0]
	object := fmt.Sprintf("%s/snap/%d-%x", w.Name, s.market.Block().Number, s.id.Hash)
	if _, err := st.objects.PutBytes(ctx, object, message); err != nil {
		return err
	}
	w.mu.Lock()
	w.Manifest.Snapshot = SnapshotName{Object: object, Number: s.market.Block().Number, Pools: len(s.market.Pools())}
	w.mu.Unlock()
	if err := w.putManifest(ctx, st); err != nil {
		return err
	}
	w.metrics.snapshotBytes.Set(float64(len(message)))
	return w.removeOld(ctx, st)
}

// makeSnapshot encodes a whole market and keeps it for those who ask.
func (w *Writer) makeSnapshot(s *sent) *sentSnapshot {
	payload := encodeSnapshot(w.storers, w.fingerprint, s.id, s.market)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.making = false
	w.snapshots++
	w.snapshot = &sentSnapshot{id: s.id, series: s.series, sequence: w.snapshots, payload: payload}
	return w.snapshot
}

// snapshotParts is the newest whole market in parts. One that cannot be continued from
// memory any more is made anew, and meanwhile not given.
func (w *Writer) snapshotParts() [][]byte {
	s := w.snapshot
	if newest := w.recent[w.last.id]; newest != nil && (s == nil || s.series != newest.series || w.recent[s.id] == nil) {
		if !w.making {
			w.making = true
			go w.makeSnapshot(newest)
		}
		return nil
	}
	if s == nil {
		return nil
	}
	if s.parts == nil {
		s.parts = w.message(kindSnapshot, s.sequence, s.payload, maxPart)
	}
	return s.parts
}

// removeOld removes all but the newest of the stored markets of this name.
func (w *Writer) removeOld(ctx context.Context, st *stores) error {
	list, err := st.objects.List(ctx)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(o *jetstream.ObjectInfo) bool { return !strings.HasPrefix(o.Name, w.Name+"/snap/") })
	slices.SortFunc(list, func(a, b *jetstream.ObjectInfo) int { return b.ModTime.Compare(a.ModTime) })
	for _, o := range list[min(len(list), snapshotsKept):] {
		if err := st.objects.Delete(ctx, o.Name); err != nil {
			return err
		}
	}
	return nil
}

// decodeRecord is the pool of a record.
func decodeRecord(storers []venue.Storer, r poolRecord) (venue.Pool, error) {
	return codec.DecodeWithHistory(storers, []byte(r.state), []byte(r.history))
}
