package feed

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// copies is how many servers of a cluster keep a stream.
const copies = 3

// stores are where the broker keeps what replicas catch up with.
type stores struct {
	stream    jetstream.Stream
	manifests jetstream.KeyValue
	objects   jetstream.ObjectStore
}

// makeStores makes them, or brings them up to date. On a server alone they have one
// copy.
func makeStores(ctx context.Context, js jetstream.JetStream, s subjects) (*stores, error) {
	var err error
	for _, n := range []int{copies, 1} {
		made := &stores{}
		made.stream, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: s.bucket(), Subjects: []string{subjects{s.chain, "*"}.block()}, MaxAge: streamAge, Duplicates: 2 * time.Minute,
			Storage: jetstream.FileStorage, Replicas: n, AllowDirect: true, Discard: jetstream.DiscardOld,
		})
		if err == nil {
			made.manifests, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: s.bucket(), History: 1, Replicas: n})
		}
		if err == nil {
			made.objects, err = js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: s.bucket(), Replicas: n})
		}
		if err == nil {
			return made, nil
		}
		var refused *jetstream.APIError
		if !errors.As(err, &refused) || refused.ErrorCode != notClustered {
			break
		}
	}
	return nil, err
}

// notClustered is the code of JetStream's error for several copies on one server.
const notClustered jetstream.ErrorCode = 10074

// openStores finds them, to be read.
func openStores(ctx context.Context, js jetstream.JetStream, s subjects) (*stores, error) {
	var o stores
	var err error
	if o.stream, err = js.Stream(ctx, s.bucket()); err == nil {
		o.manifests, err = js.KeyValue(ctx, s.bucket())
	}
	if err == nil {
		o.objects, err = js.ObjectStore(ctx, s.bucket())
	}
	return &o, err
}

const (
	brokerTimeout = 3 * time.Second        // of a request to the broker's stores
	retryEvery    = 500 * time.Millisecond // after one failed
)

// claim takes the name: it writes the manifest, whose revision is the epoch of this
// process, and once more with the epoch signed. It tries until it succeeds or ctx ends.
func (w *Writer) claim(ctx context.Context) error {
	for failures := 0; ; failures++ {
		err := w.tryClaim(ctx)
		if err == nil {
			w.metrics.epoch.Set(float64(w.epoch))
			w.Log.Info("publishing", "name", w.Name, "epoch", w.epoch)
			return nil
		}
		if failures%20 == 0 {
			w.Log.Warn("cannot publish yet: the broker's stores are not there", "err", err)
		}
		if !pause(ctx, retryEvery) {
			return ctx.Err()
		}
	}
}

func (w *Writer) tryClaim(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, brokerTimeout)
	defer cancel()
	js, err := jetstream.New(w.Conn)
	if err != nil {
		return err
	}
	st, err := makeStores(ctx, js, w.subjects)
	if err != nil {
		return err
	}
	if e, err := st.manifests.Get(ctx, w.Name); err == nil {
		w.Manifest.Snapshot = snapshotOf(e.Value())
	}
	if w.epoch, err = st.manifests.Put(ctx, w.Name, nil); err != nil {
		return err
	}
	w.revision = w.epoch
	return w.putManifest(ctx, st)
}

// snapshotOf is the newest snapshot of an unverified manifest: what an earlier process
// of the name has stored. Replicas verify it.
func snapshotOf(message []byte) SnapshotName {
	var m Manifest
	if len(message) > envelopeSize {
		if data, err := unpackBytes(kindManifest, message[envelopeSize:]); err == nil {
			json.Unmarshal(data, &m) // else there is none
		}
	}
	return m.Snapshot
}

// putManifest writes the manifest, if no other process has written one since.
func (w *Writer) putManifest(ctx context.Context, st *stores) error {
	message, err := w.sealManifest()
	if err != nil {
		return err
	}
	revision, err := st.manifests.Update(ctx, w.Name, message, w.revision)
	var refused *jetstream.APIError
	if errors.As(err, &refused) && refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
		public := w.key.Public().(ed25519.PublicKey)
		if now, e := st.manifests.Get(ctx, w.Name); e == nil {
			if e, err := open(w.subjects, []ed25519.PublicKey{public}, kindManifest, now.Value()); err == nil && e.epoch > w.epoch {
				return ErrFenced
			}
		}
	}
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	w.revision = revision
	return nil
}

func (w *Writer) sealManifest() ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	data, err := json.Marshal(w.Manifest)
	if err != nil {
		return nil, err
	}
	w.manifests++
	w.manifest = w.message(kindManifest, w.manifests, pack(kindManifest, data), maxPart)[0]
	return w.manifest, nil
}
