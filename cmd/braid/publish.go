package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"braid/families"
	"braid/feed"
	"braid/indexer"
	"braid/market"
	"braid/monad"
)

// brokerFlags defines the settings by which a NATS server is reached.
func (s *service) brokerFlags(f *flag.FlagSet) {
	f.StringVar(&s.broker.Creds, "feed-creds", "", "`file` of NATS credentials")
	f.StringVar(&s.broker.NKey, "feed-nkey", "", "`file` of an nkey seed")
	f.StringVar(&s.broker.CA, "feed-ca", "", "`file` of the certificates that sign the broker's; without it the system's")
	f.StringVar(&s.broker.Cert, "feed-cert", "", "`file` of a client certificate for the broker")
	f.StringVar(&s.broker.Key, "feed-cert-key", "", "`file` of the key of that certificate")
}

// feedKeys is a setting of public keys of indexers, as NAME=KEY.
type feedKeys struct{ feed.Keys }

func (k *feedKeys) String() string {
	return strings.Join(slices.Sorted(maps.Keys(k.Keys)), ",")
}

func (k *feedKeys) Set(value string) error {
	if k.Keys == nil {
		k.Keys = feed.Keys{}
	}
	for v := range strings.SplitSeq(value, ",") {
		if err := k.Add(v); err != nil {
			return err
		}
	}
	return nil
}

// publisher hands markets to a Writer, which is made after the indexer that calls it.
type publisher struct {
	writer atomic.Pointer[feed.Writer]
	conn   *nats.Conn
}

func (p *publisher) publish(parent, next *market.Snapshot) {
	if w := p.writer.Load(); w != nil {
		w.Publish(parent, next)
	}
}

func (p *publisher) close() {
	if p.conn != nil {
		p.conn.Close()
	}
}

// publishTo connects an indexer to the broker of the settings, if there is one. It gives
// what is to run beside the indexer. A process whose name another one takes stops
// publishing, and still serves.
func (s *service) publishTo(p *publisher, index *indexer.Indexer, d deployment, log *slog.Logger, registry *prometheus.Registry) ([]func(context.Context) error, error) {
	if s.broker.URLs == "" {
		return nil, nil
	}
	text, err := os.ReadFile(s.secretFile)
	if err != nil {
		return nil, misuse("--publish needs --feed-secret FILE, which braid keygen writes: %w", err)
	}
	key, err := feed.ParseSecret(string(text))
	if err == nil {
		err = s.broker.Check()
	}
	if err == nil {
		err = feed.CheckName(s.name)
	}
	if err != nil {
		return nil, usageError{fmt.Errorf("--publish: %w", err)}
	}
	if p.conn, err = feed.Connect(s.broker, s.name, log); err != nil {
		return nil, err
	}
	w, err := feed.NewWriter(feed.WriterConfig{
		Conn: p.conn, Name: s.name, Key: key, Families: families.Of(d.sources, monad.WrappedNative),
		Manifest: feed.Manifest{Chain: monad.ChainID, Sources: d.sources, Retired: d.retired, Gas: s.contracts().Schedule.Name, Local: s.local, Build: version},
		Head:     index.Head, Changed: index.Changed, Status: feedStatus(index), Log: log, Registry: registry,
	})
	if err != nil {
		return nil, err
	}
	p.writer.Store(w)
	return []func(context.Context) error{func(ctx context.Context) error {
		err := w.Run(ctx)
		if errors.Is(err, feed.ErrFenced) {
			log.Error("nothing is published any more", "err", err)
			return nil
		}
		return err
	}}, nil
}

// feedStatus is the state of an indexer as replicas are told of it.
func feedStatus(x *indexer.Indexer) func() feed.Status {
	return func() feed.Status {
		h := x.Health()
		return feed.Status{Reachable: h.Reachable, Lag: h.Lag, Final: h.Final, Updated: h.Updated, Paused: h.Paused, State: h.State.String()}
	}
}

// keygen is the command that makes a key of an indexer.
func keygen(args []string, stdout interface{ Write([]byte) (int, error) }) error {
	f := flags("keygen", stdout)
	out := f.String("out", "", "`file` to write the secret key to; it must not exist")
	if err := parse(f, args); err != nil {
		return err
	}
	if *out == "" {
		return misuse("keygen needs a file for the secret key: give --out FILE")
	}
	secret, public, err := feed.NewKey()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(*out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("keygen: %w", err)
	}
	_, err = fmt.Fprintln(file, secret)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("keygen: %w", err)
	}
	fmt.Fprintf(stdout, "%s\n", public)
	return nil
}
