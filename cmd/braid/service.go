package main

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"syscall"
	"time"

	"braid/feed"
	"braid/gas"
	"braid/indexer"
	"braid/router"
)

// service follows the market of a chain through its nodes and serves the API and
// the page over HTTP. Its fields are the settings of dev and serve.
type service struct {
	addr         string
	chain        string
	rpc          nodeURLs
	rpcRate      float64 // requests a second to each node; 0: no limit
	off          list    // IDs of sources not to follow
	sourcesFile  string  // rows that add sources or replace them; empty: none
	storeFile    string  // empty: no store
	auditEvery   uint64  // blocks; 0: never
	progress     func(indexer.Progress)
	maxImpactBps int
	staleAfter   time.Duration
	stuckAfter   time.Duration
	rate         float64 // requests a second of one client; 0: no limit
	maxSteps     int
	hops         string // verified, all, or empty: verified unless the chain is local
	maxStreams   int
	contact      string
	publicURL    string
	pauseFile    string
	gasSchedule  string // ethereum, monad, or empty: that of the chain
	local        bool   // the chain is our own: the data of package monad holds by construction, and gas costs what it does on Ethereum
	adminAddr    string // empty: no admin address
	adminURL     string // once it listens
	drain        time.Duration
	proxies      prefixes
	connections  int // most open at the same time
	accessLog    bool
	logLevel     slog.Level
	logFormat    string // text or json
	dev          bool   // the chain is that of braid dev, and the page offers its account
	broker       feed.Broker
	name         string // under which the market is published
	secretFile   string // of the key that signs what is published
	feedKeys     feedKeys
	publish      indexer.Publish // takes the markets of the indexer; nil: nothing does
}

// flags defines the settings that dev and serve share.
func (s *service) flags(f *flag.FlagSet) {
	f.StringVar(&s.addr, "addr", "127.0.0.1:8080", "where the API listens (`host:port`)")
	f.IntVar(&s.maxImpactBps, "max-impact", 5000, "refuse swaps above this price impact, `bps`")
	f.DurationVar(&s.staleAfter, "stale-after", 5*time.Second, "refuse to quote when no node has confirmed the market for this `long`")
	f.StringVar(&s.pauseFile, "pause-file", "", "`file` of sources to keep out of routes, an id and a reason on each line; read again every second")
	f.StringVar(&s.gasSchedule, "gas-schedule", "", "gas `schedule` by which estimatedGas is computed, ethereum or monad; without it that of the chain")
	f.Float64Var(&s.rate, "rate", 0, "requests a second that one client may make; 0: no `limit`")
	f.IntVar(&s.maxSteps, "max-steps", router.DefaultMaxSteps, "largest number of `steps` of a plan")
	f.StringVar(&s.hops, "hops", "", "tokens that a route may pass: `verified` or all (default verified, on a local chain all)")
	f.IntVar(&s.maxStreams, "max-streams", 256, "quote `streams` open at the same time; one client gets a quarter")
	f.StringVar(&s.contact, "contact", "", "where to report vulnerabilities, a mailto: or https: `URI`; without it there is no security.txt")
	f.StringVar(&s.adminAddr, "admin-addr", defaultAdminAddr, "where health, readiness in full, metrics and profiles are served, for the operator alone (`host:port`); empty: nowhere")
	f.Var(&s.proxies, "trusted-proxy", "network (`CIDR`) of proxies whose X-Forwarded-For names the client; repeat it for further ones")
	f.IntVar(&s.connections, "max-connections", 4096, "`connections` open at the same time; one client gets a quarter")
	f.BoolVar(&s.accessLog, "access-log", false, "log every request: its id, route, status and time, but no parameters")
	f.TextVar(&s.logLevel, "log-level", slog.LevelInfo, "least `level` that is logged: debug, info, warn or error")
	f.StringVar(&s.logFormat, "log-format", "text", "`format` of the log: text or json")
	f.StringVar(&s.publicURL, "public-url", "", "the `URL` under which the service is reached from outside, for /openapi.json and /docs")
}

// check reports the first setting that is out of its range.
func (s *service) check() error {
	switch {
	case s.chain != "monad":
		return fmt.Errorf("--chain %.20q is not known: the only one is monad", s.chain)
	case s.maxImpactBps < 1 || s.maxImpactBps > 10_000:
		return fmt.Errorf("--max-impact %d is not between 1 and 10000 bps", s.maxImpactBps)
	case s.staleAfter <= 0:
		return fmt.Errorf("--stale-after %s is not above 0", s.staleAfter)
	case s.gasSchedule != "" && gas.Named(s.gasSchedule) == nil:
		return fmt.Errorf("--gas-schedule %.20q is neither ethereum nor monad", s.gasSchedule)
	case !(s.rate >= 0): // true of NaN too
		return fmt.Errorf("--rate %g is not a number of requests a second: 0 is no limit", s.rate)
	case s.maxSteps < 1 || s.maxSteps > 100:
		return fmt.Errorf("--max-steps %d is not between 1 and 100", s.maxSteps)
	case s.hops != "" && s.hops != "verified" && s.hops != "all":
		return fmt.Errorf("--hops %.20q is neither verified nor all", s.hops)
	case s.maxStreams < 1:
		return fmt.Errorf("--max-streams %d is not above 0", s.maxStreams)
	case s.contact != "" && !isContact(s.contact):
		return fmt.Errorf("--contact %.80q is not a mailto: or https: URI", s.contact)
	case s.publicURL != "" && !isPublicURL(s.publicURL):
		return fmt.Errorf("--public-url %.80q is not an http or https URL without query and fragment, such as https://swap.example.org", s.publicURL)
	case s.connections < 1:
		return fmt.Errorf("--max-connections %d is not above 0", s.connections)
	case s.logFormat != "text" && s.logFormat != "json":
		return fmt.Errorf("--log-format %.20q is neither text nor json", s.logFormat)
	case s.drain < 0:
		return fmt.Errorf("--drain %s is below 0", s.drain)
	case s.stuckAfter < 0:
		return fmt.Errorf("--stuck-after %s is below 0: 0 is never", s.stuckAfter)
	case !(s.rpcRate >= 0):
		return fmt.Errorf("--rpc-rate %g is not a number of requests a second: 0 is no limit", s.rpcRate)
	}
	return nil
}

// isContact says whether security.txt may give a URI as a contact.
func isContact(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "mailto" && u.Opaque != "" || u.Scheme == "https" && u.Host != "")
}

// isPublicURL says whether the paths of the API can be appended to a URL.
func isPublicURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil && !strings.ContainsAny(s, "?#")
}

// listen checks the settings and opens the listener of the API. It is called
// before anything slow, so that a port in use is reported at once.
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
