package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"braid/api"
	"braid/chain"
	"braid/families"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/venue"
	"braid/web"
)

// shutdownGrace is how long open requests may take to end when the service stops.
const shutdownGrace = 5 * time.Second

// run follows the chain and serves on l until ctx ends. ready is called once,
// when the first snapshot has been published.
func (s *service) run(ctx context.Context, l net.Listener, log *slog.Logger, ready func()) error {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	node, err := chain.Open(ctx, chain.Config{URLs: s.rpc.list, ChainID: monad.ChainID, Rate: s.rpcRate, StuckAfter: s.stuckAfter, Registry: registry})
	if err != nil {
		return err
	}
	defer node.Close()
	d, err := s.deployment(ctx, node, log)
	if err != nil {
		return err
	}
	index, closeStore, err := s.indexer(node, d.sources, log, registry)
	if err != nil {
		return err
	}
	defer closeStore()
	closing := make(chan struct{})
	handler, err := s.handler(l, index, d, closing, log, registry)
	if err != nil {
		return err
	}
	return s.serve(ctx, l, index, newServer(handler, log), closing, d.sources, log, ready)
}

// deployment is what the settings and the node tell about the chain's venues.
type deployment struct {
	sources []venue.Source // followed
	retired []venue.Source // known but not followed
}

func (s *service) deployment(ctx context.Context, node *chain.Client, log *slog.Logger) (d deployment, err error) {
	d.sources, d.retired, err = s.sources(ctx, node, log)
	return d, err
}

// indexer is the write path: what keeps the market up to date, from the store's
// snapshot if there is a store. closeStore is to be called when it has ended.
func (s *service) indexer(node *chain.Client, sources []venue.Source, log *slog.Logger, registry *prometheus.Registry) (index *indexer.Indexer, closeStore func() error, err error) {
	config := indexer.Config{
		Node:       node,
		Families:   families.Of(sources, monad.WrappedNative),
		Sources:    sources,
		Start:      market.New(monad.Chain()),
		Listed:     monad.Tokens(),
		Log:        log,
		Registry:   registry,
		AuditEvery: s.auditEvery,
		Progress:   s.progress,
	}
	closeStore = func() error { return nil }
	if s.storeFile != "" {
		if config.Store, err = indexer.OpenStore(s.storeFile, monad.ChainID, sources, config.Families, log); err != nil {
			return nil, nil, err
		}
		closeStore = config.Store.Close
	}
	return indexer.New(config), closeStore, nil
}

// handler is the read path: the API, the page and, for braid dev, the proxy to
// the chain. Streams end when closing is closed.
func (s *service) handler(l net.Listener, index *indexer.Indexer, d deployment, closing chan struct{}, log *slog.Logger, registry *prometheus.Registry) (http.Handler, error) {
	site := web.Site{PublicURL: strings.TrimRight(s.publicURL, "/"), Address: origin(l.Addr()), Errors: api.Errors()}
	if s.dev {
		site.Local = devAccount
	}
	handler := api.New(api.Config{
		Head:          index.Head,
		Changed:       index.Changed,
		Closing:       closing,
		Health:        health(index),
		Sources:       d.sources,
		Retired:       d.retired,
		Contracts:     s.contracts(),
		MaxSteps:      s.maxSteps,
		VerifiedHops:  s.verifiedHops(),
		MaxImpactBps:  s.maxImpactBps,
		StaleAfter:    s.staleAfter,
		RatePerSecond: s.rate,
		MaxStreams:    s.maxStreams,
		Contact:       s.contact,
		Public:        site.PublicURL,
		Log:           log,
		Registry:      registry,
		Version:       version,
		Page:          web.Handler(site),
	})
	if !s.dev {
		return handler, nil
	}
	rpc, err := url.Parse(s.rpc.list[0])
	if err != nil {
		return nil, err
	}
	return withRPCProxy(handler, rpc, s.hosts(), log), nil
}

// serve runs all goroutines of the service and returns when they have ended:
// the first error, or the end of ctx, ends the others.
func (s *service) serve(ctx context.Context, l net.Listener, index *indexer.Indexer, server *http.Server, closing chan struct{}, sources []venue.Source, log *slog.Logger, ready func()) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return index.Run(ctx) })
	if s.pauseFile != "" {
		g.Go(func() error {
			watchPauseFile(ctx, s.pauseFile, sources, func(paused map[string]string) { index.Pause("operator", paused) }, log)
			return nil
		})
	}
	g.Go(func() error {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	g.Go(func() error {
		select {
		case <-index.Ready():
			ready()
		case <-ctx.Done():
		}
		<-ctx.Done()
		close(closing) // streams do not end by themselves
		return shutdown(server, shutdownGrace)
	})
	return g.Wait()
}

// origin is the URL by which a browser on this machine reaches a listener.
func origin(a net.Addr) string {
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	return "http://" + a.String()
}

// health is the state of the indexer as the API reports it.
func health(x *indexer.Indexer) func() api.Health {
	return func() api.Health {
		h := x.Health()
		return api.Health{Ready: h.Ready, Reason: h.Reason, Reachable: h.Reachable, Block: h.Block, Lag: h.Lag, Updated: h.Updated, Paused: h.Paused}
	}
}
