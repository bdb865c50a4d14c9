package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"braid/api"
	"braid/chain"
	"braid/families"
	"braid/gas"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/router"
	"braid/web"
)

// service answers over HTTP from a market that it follows on a node.
type service struct {
	addr         string
	chain        string
	rpc          nodes
	rpcRate      float64
	off          values
	storeFile    string
	auditEvery   uint64
	progress     func(indexer.Progress)
	maxImpactBps int
	staleAfter   time.Duration
	stuckAfter   time.Duration
	rate         float64
	maxSteps     int
	hops         string // empty: as the chain demands
	maxStreams   int
	contact      string
	publicURL    string
	pauseFile    string
	gasSchedule  string
	local        bool // the node is our own, and the page may show it
}

func (s *service) flags(f *flag.FlagSet) {
	f.StringVar(&s.addr, "addr", "127.0.0.1:8080", "where the API listens (`host:port`)")
	f.IntVar(&s.maxImpactBps, "max-impact", 5000, "refuse swaps above this price impact, `bps`")
	f.DurationVar(&s.staleAfter, "stale-after", 5*time.Second, "refuse to quote from a market not confirmed for this `long`")
	f.StringVar(&s.pauseFile, "pause-file", "", "`file` of sources to keep out of routes, an id and a reason a line; looked at every second")
	f.StringVar(&s.gasSchedule, "gas-schedule", "", "whose gas prices limits are named by, ethereum or monad; by default those of the `chain`")
	f.Float64Var(&s.rate, "rate", 0, "requests a second that one client may make; 0 for no `limit`")
	f.IntVar(&s.maxSteps, "max-steps", router.DefaultMaxSteps, "most `steps` of a plan")
	f.StringVar(&s.hops, "hops", "", "tokens in mid-route: `verified` or all (default verified, on a local chain all)")
	f.IntVar(&s.maxStreams, "max-streams", 256, "quote `streams` open at the same time; one client gets a quarter")
	f.StringVar(&s.contact, "contact", "", "where to report vulnerabilities, a mailto: or https: `URI`; without it there is no security.txt")
	f.StringVar(&s.publicURL, "public-url", "", "the `URL` under which the service is reached from outside, for /openapi.json and /docs")
}

// check refuses settings that would not do what they say.
func (s *service) check() error {
	switch {
	case s.chain != "monad":
		return fmt.Errorf("--chain %.20q is not known: there is monad", s.chain)
	case s.maxImpactBps < 1 || s.maxImpactBps > 10_000:
		return fmt.Errorf("--max-impact %d is not between 1 and 10000 bps", s.maxImpactBps)
	case s.staleAfter <= 0:
		return fmt.Errorf("--stale-after %s is not a time after which a market is old", s.staleAfter)
	case s.gasSchedule != "" && gas.Named(s.gasSchedule) == nil:
		return fmt.Errorf("--gas-schedule %.20q is neither ethereum nor monad", s.gasSchedule)
	case !(s.rate >= 0): // nor is NaN
		return fmt.Errorf("--rate %g is not a number from 0 on", s.rate)
	case s.maxSteps < 1 || s.maxSteps > 100:
		return fmt.Errorf("--max-steps %d is not between 1 and 100", s.maxSteps)
	case s.hops != "" && s.hops != "verified" && s.hops != "all":
		return fmt.Errorf("--hops %.20q is neither verified nor all", s.hops)
	case s.maxStreams < 1:
		return fmt.Errorf("--max-streams %d lets none in", s.maxStreams)
	case s.contact != "" && !contactable(s.contact):
		return fmt.Errorf("--contact %.80q is not a mailto: or https: URI", s.contact)
	case s.publicURL != "" && !isPublic(s.publicURL):
		return fmt.Errorf("--public-url %.80q is not an http or https URL without query and fragment, such as https://swap.example.org", s.publicURL)
	case s.stuckAfter < 0:
		return fmt.Errorf("--stuck-after %s is not a time: 0 stands for never", s.stuckAfter)
	case !(s.rpcRate >= 0):
		return fmt.Errorf("--rpc-rate %g is not a number from 0 on", s.rpcRate)
	}
	return nil
}

// contactable says whether a URI can stand in security.txt.
func contactable(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "mailto" && u.Opaque != "" || u.Scheme == "https" && u.Host != "")
}

// isPublic says whether a URL can stand before the paths of the API.
func isPublic(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil && !strings.ContainsAny(s, "?#")
}

// listen comes before anything slow, so that a used port is known at once.
func (s *service) listen() (net.Listener, error) {
	addr, err := listenAddress(s.addr)
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return nil, usageError{err}
	}
	s.addr = addr
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("address %s is in use: stop what listens there, or choose another with --addr or BRAID_ADDR", s.addr)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %.80q: %w: choose another with --addr or BRAID_ADDR", s.addr, err)
	}
	return l, nil
}

// run follows the node and serves on l until ctx ends. ready is called once,
// when the first market has been published.
func (s *service) run(ctx context.Context, l net.Listener, log *slog.Logger, ready func()) error {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	node, err := chain.Open(ctx, chain.Config{URLs: s.rpc.values, ChainID: monad.ChainID, Rate: s.rpcRate, StuckAfter: s.stuckAfter, Registry: registry})
	if err != nil {
		return err
	}
	defer node.Close()
	local, err := ours(ctx, node)
	if err != nil {
		return err
	}
	sources, retired, err := s.sources(ctx, node, local, log)
	if err != nil {
		return err
	}
	families := families.Of(sources, monad.WrappedNative)
	var store *indexer.Store
	if s.storeFile != "" {
		if store, err = indexer.OpenStore(s.storeFile, monad.ChainID, sources, families, log); err != nil {
			return err
		}
		defer store.Close()
	}
	index := indexer.New(indexer.Config{
		Node:       node,
		Families:   families,
		Sources:    sources,
		Start:      market.New(monad.Chain()),
		Listed:     monad.Tokens(),
		Log:        log,
		Registry:   registry,
		Store:      store,
		AuditEvery: s.auditEvery,
		Progress:   s.progress,
	})
	closing := make(chan struct{}) // streams do not end by themselves
	var account *web.Local
	if s.local {
		account = visitor
	}
	public := strings.TrimRight(s.publicURL, "/")
	handler := api.New(api.Config{
		Head:          index.Head,
		Changed:       index.Changed,
		Closing:       closing,
		Health:        health(index),
		Sources:       sources,
		Retired:       retired,
		Contracts:     s.contracts(local),
		MaxSteps:      s.maxSteps,
		VerifiedHops:  s.verifiedHops(local),
		MaxImpactBps:  s.maxImpactBps,
		StaleAfter:    s.staleAfter,
		RatePerSecond: s.rate,
		MaxStreams:    s.maxStreams,
		Contact:       s.contact,
		Public:        public,
		Log:           log,
		Registry:      registry,
		Version:       version,
		Page:          web.Handler(web.Site{PublicURL: public, Address: origin(l.Addr()), Errors: api.Errors(), Local: account}),
	})
	if s.local {
		at, err := url.Parse(s.rpc.values[0])
		if err != nil {
			return err
		}
		handler = withDoor(handler, at, log)
	}
	server := newServer(handler, log)

	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return index.Run(ctx) })
	if s.pauseFile != "" {
		g.Go(func() error {
			pauses(ctx, s.pauseFile, sources, func(held map[string]string) { index.Pause("operator", held) }, log)
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
		close(closing)
		return end(server, 5*time.Second)
	})
	return g.Wait()
}

// origin is how a browser on this machine reaches a listener.
func origin(a net.Addr) string {
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	return "http://" + a.String()
}

// health tells the API how the market stands to the chain.
func health(x *indexer.Indexer) func() api.Health {
	return func() api.Health {
		h := x.Health()
		return api.Health{Ready: h.Ready, Reason: h.Reason, Reachable: h.Reachable, Block: h.Block, Lag: h.Lag, Updated: h.Updated, Paused: h.Paused}
	}
}

func envOr(getenv func(string) string, name, otherwise string) string {
	if v := getenv(name); v != "" {
		return v
	}
	return otherwise
}
