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

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"braid/api"
	"braid/chain"
	"braid/families"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/proof"
	"braid/venue"
	"braid/web"
)

// shutdownGrace is how long open requests may take to end when the service stops.
const shutdownGrace = 5 * time.Second

// run follows the chain and serves on l until ctx ends. ready is called once,
// when the first snapshot has been published.
func (s *service) run(ctx context.Context, l net.Listener, log *slog.Logger, ready func()) error {
	adminListener, err := s.listenAdmin(log)
	if err != nil {
		return err
	}
	if adminListener != nil {
		defer adminListener.Close()
	}
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
	var out publisher
	s.publish = out.publish
	index, closeStore, err := s.indexer(node, d.sources, log, registry)
	if err != nil {
		return err
	}
	defer closeStore()
	requests, err := chain.Open(ctx, chain.Config{URLs: s.rpc.list, ChainID: monad.ChainID, Rate: receiptRate})
	if err != nil {
		return err
	}
	defer requests.Close()
	beside, err := s.publishTo(&out, index, d, log, registry)
	if err != nil {
		return err
	}
	defer out.close()
	if s.pauseFile != "" {
		beside = append(beside, func(ctx context.Context) error {
			watchPauseFile(ctx, s.pauseFile, d.sources, func(paused map[string]string) { index.Pause("operator", paused) }, log)
			return nil
		})
	}
	stopping := newStopping()
	handler, admin, err := s.handler(l, index, condition{health(index), proofs(index), index.Untried, receipts(requests)}, d, stopping, log, registry)
	if err != nil {
		return err
	}
	return s.serve(ctx, index, beside, s.servers(l, adminListener, handler, admin, log, registry), stopping, log, ready)
}

// servers are those of the API and, unless its listener is nil, of the admin address.
func (s *service) servers(l, adminListener net.Listener, handler, admin http.Handler, log *slog.Logger, registry *prometheus.Registry) []listening {
	limited := newConnections(l, s.connections, s.proxies.contain, registry)
	public := newServer(handler, log)
	public.ConnState = limited.track
	servers := []listening{{public, limited}}
	if adminListener != nil {
		servers = append(servers, listening{newAdminServer(admin, s.adminAddr, log), adminListener})
	}
	return servers
}

// marketSource keeps a market up to date: an indexer, or a replica of one.
type marketSource interface {
	Head() *market.Snapshot
	Changed() <-chan struct{}
	Ready() <-chan struct{}
	Run(context.Context) error
}

// condition tells how the market source is doing. A replica has no trials of its own
// and no nodes: proofs, untried and receipts are nil.
type condition struct {
	health   func() api.Health
	proofs   func() map[string]api.Proofs
	untried  func(tokenIn, tokenOut common.Address) int
	receipts func(context.Context, common.Hash) (*api.Receipt, error)
}

// stopping are the stages in which the service stops: it is not ready any more, and
// then its streams end.
type stopping struct{ draining, closing chan struct{} }

func newStopping() stopping { return stopping{make(chan struct{}), make(chan struct{})} }

// listening is a server with its listener.
type listening struct {
	*http.Server
	listener net.Listener
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

// proofShare is the part of the requests to a node that trials may make: blocks must not
// wait for them.
const proofShare = 0.6

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
		Publish:    s.publish,
	}
	if !s.local {
		if config.Prover, err = proof.New(node, s.contracts(), proofShare*s.rpcRate); err != nil {
			return nil, nil, err
		}
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
// the chain. admin is what the admin address serves.
func (s *service) handler(l net.Listener, index marketSource, of condition, d deployment, stop stopping, log *slog.Logger, registry *prometheus.Registry) (public, admin http.Handler, err error) {
	site := web.Site{PublicURL: strings.TrimRight(s.publicURL, "/"), Address: origin(l.Addr()), Errors: api.Errors()}
	if s.dev {
		site.Local = devAccount
	}
	service := api.New(api.Config{
		Head:          index.Head,
		Changed:       index.Changed,
		Draining:      stop.draining,
		Closing:       stop.closing,
		Health:        of.health,
		Proofs:        of.proofs,
		Untried:       of.untried,
		Receipts:      of.receipts,
		Sources:       d.sources,
		Retired:       d.retired,
		Contracts:     s.contracts(),
		MaxSteps:      s.maxSteps,
		VerifiedHops:  s.verifiedHops(),
		MaxImpactBps:  s.maxImpactBps,
		StaleAfter:    s.staleAfter,
		RatePerSecond: s.rate,
		MaxStreams:    s.maxStreams,
		AccessLog:     s.accessLog,
		Contact:       s.contact,
		Public:        site.PublicURL,
		Log:           log,
		Registry:      registry,
		Version:       version,
		Page:          web.Handler(site),

		TrustedProxies: s.proxies,
	})
	if !s.dev {
		return service, service.Admin(), nil
	}
	rpc, err := url.Parse(s.rpc.list[0])
	if err != nil {
		return nil, nil, err
	}
	return withRPCProxy(service, rpc, s.hosts(), log), service.Admin(), nil
}

// serve runs all goroutines of the service and returns when they have ended. The
// first error ends the others at once. When ctx ends, the service says that it is
// not ready, goes on for the time of --drain, and then finishes what it has begun.
func (s *service) serve(ctx context.Context, index marketSource, beside []func(context.Context) error, servers []listening, stop stopping, log *slog.Logger, ready func()) error {
	g, work := errgroup.WithContext(context.WithoutCancel(ctx))
	work, end := context.WithCancel(work)
	defer end()
	g.Go(func() error { return index.Run(work) })
	for _, do := range beside {
		g.Go(func() error { return do(work) })
	}
	for _, server := range servers {
		g.Go(func() error {
			if err := server.Serve(server.listener); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		})
	}
	g.Go(func() error {
		select {
		case <-index.Ready():
			ready()
		case <-ctx.Done():
		case <-work.Done():
		}
		select {
		case <-ctx.Done():
			s.drainRequests(work, stop, log)
		case <-work.Done():
		}
		close(stop.closing) // streams do not end by themselves
		defer end()
		var errs []error
		for _, server := range servers {
			errs = append(errs, shutdown(server.Server, shutdownGrace))
		}
		return errors.Join(errs...)
	})
	return g.Wait()
}

// drainRequests waits until proxies have seen that the service is not ready.
func (s *service) drainRequests(work context.Context, stop stopping, log *slog.Logger) {
	if s.drain == 0 {
		return
	}
	log.Info("stopping: not ready any more, requests are still answered", "for", s.drain)
	close(stop.draining)
	select {
	case <-time.After(s.drain):
	case <-work.Done():
	}
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
		return api.Health{Ready: h.Ready, Reason: h.Reason, Joining: h.Joining, Reachable: h.Reachable, Block: h.Block, Hash: h.Hash, State: h.State.String(), Lag: h.Lag, Updated: h.Updated, Paused: h.Paused, Waiting: h.Waiting}
	}
}

// proofs is what trials told of pools as the API reports it.
func proofs(x *indexer.Indexer) func() map[string]api.Proofs {
	return func() (bySource map[string]api.Proofs) {
		for source, n := range x.Proofs() {
			if bySource == nil {
				bySource = map[string]api.Proofs{}
			}
			bySource[source] = api.Proofs(n)
		}
		return bySource
	}
}
