package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"braid/api"
	"braid/families"
	"braid/feed"
	"braid/market"
	"braid/monad"
	"braid/venue"
)

const replicaHelp = `A replica has its market from indexers: braid serve --publish. It follows one of those
whose keys it is given, and another when that one is silent. docs/feed.md describes it.
`

// replica is the command that runs the service on what an indexer publishes.
func replica(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	var s service
	f := flags("replica", stdout)
	s.flags(f)
	s.chain = "monad"
	f.StringVar(&s.broker.URLs, "feed", "", "`URLs` of NATS servers, separated by commas")
	f.Var(&s.feedKeys, "feed-key", "name of an indexer and its public key, as `NAME=KEY`; repeat it for further indexers, and for a second key while one is replaced")
	f.DurationVar(&s.drain, "drain", 5*time.Second, "when told to stop, say so at /readyz and go on for this `long`, so that no proxy sends more requests")
	s.brokerFlags(f)
	if err := parseSettings(f, args, getenv); err != nil {
		return err
	}
	if err := s.checkReplica(); err != nil {
		return err
	}
	l, err := s.listen()
	if err != nil {
		return err
	}
	defer l.Close()
	log := s.logger(stderr)
	logSettings(f, log)
	return s.runReplica(ctx, l, log, func() {
		fmt.Fprintf(stdout, `
braid is ready
  page      http://%[1]s/
  admin     %[2]s
  API       http://%[1]s/api/v1
`, l.Addr(), s.adminURL)
	})
}

func (s *service) checkReplica() error {
	switch {
	case s.broker.URLs == "":
		return misuse("replica needs a broker: give --feed nats://host:port or set BRAID_FEED")
	case len(s.feedKeys.Keys) == 0:
		return misuse("replica needs the key of an indexer: give --feed-key NAME=KEY, with the public key that braid keygen printed")
	case s.pauseFile != "":
		return misuse("sources are paused at the indexer: --pause-file is none of a replica's settings")
	}
	if err := s.broker.Check(); err != nil {
		return usageError{fmt.Errorf("--feed: %w", err)}
	}
	return nil
}

// runReplica follows an indexer and serves on l until ctx ends. What is served depends on
// the indexer's manifest; until that is there, /readyz says why not.
func (s *service) runReplica(ctx context.Context, l net.Listener, log *slog.Logger, ready func()) error {
	adminListener, err := s.listenAdmin(log)
	if err != nil {
		return err
	}
	if adminListener != nil {
		defer adminListener.Close()
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	conn, err := feed.Connect(s.broker, "replica", log)
	if err != nil {
		return err
	}
	defer conn.Close()
	r := feed.NewReplica(feed.ReplicaConfig{
		Conn: conn, Chain: monad.ChainID, Keys: s.feedKeys.Keys, Start: market.New(monad.Chain()), Log: log, Registry: registry,
		Families: func(sources []venue.Source) []venue.Family { return families.Of(sources, monad.WrappedNative) },
	})
	stop, health := newStopping(), replicaHealth(r)
	public, admin := &lateHandler{health: health}, &lateHandler{health: health, registry: registry}
	load := func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return nil
		case <-r.Known():
		}
		m := r.Manifest()
		if s.local = m.Local; s.gasSchedule == "" {
			s.gasSchedule = m.Gas
		}
		handler, adminHandler, err := s.handler(l, r, condition{health: health}, deployment{m.Sources, m.Retired}, stop, log, registry)
		if err != nil {
			return err
		}
		public.handler.Store(&handler)
		admin.handler.Store(&adminHandler)
		return nil
	}
	return s.serve(ctx, r, []func(context.Context) error{load}, s.servers(l, adminListener, public, admin, log, registry), stop, log, ready)
}

// lateHandler answers that the service is not ready until it has a handler.
type lateHandler struct {
	handler  atomic.Pointer[http.Handler]
	health   func() api.Health
	registry *prometheus.Registry // served at /metrics; nil: not
}

func (h *lateHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if handler := h.handler.Load(); handler != nil {
		(*handler).ServeHTTP(w, r)
		return
	}
	if h.registry != nil && r.URL.Path == "/metrics" {
		promhttp.HandlerFor(h.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
		return
	}
	status, body := http.StatusServiceUnavailable, any(map[string]any{"ready": false, "reason": h.health().Reason})
	if r.URL.Path == "/healthz" {
		status, body = http.StatusOK, map[string]string{"status": "ok"}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if status != http.StatusOK {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body) // who asked may be gone
}

// replicaHealth is the state of a replica as the API reports it.
func replicaHealth(r *feed.Replica) func() api.Health {
	return func() api.Health {
		h := r.Health()
		return api.Health{
			Ready: h.Ready, Reason: h.Reason, Reachable: h.Reachable, Block: h.Block, Hash: h.Hash, State: h.State, Lag: h.Lag, Updated: h.Updated, Paused: h.Paused,
			Feed: &api.Feed{Indexer: h.Indexer, Epoch: h.Epoch, LagBlocks: h.Lag, AgeMs: max(h.Age.Milliseconds(), -1), Faults: h.Faults},
		}
	}
}
