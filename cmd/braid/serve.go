package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"braid/devchain"
	"braid/families"
	"braid/monad"
)

// serve is the command that runs the service alone, against nodes of a chain.
func serve(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	var s service
	f := flags("serve", stdout)
	s.flags(f)
	f.StringVar(&s.chain, "chain", "monad", "`name` of the chain whose deployments, tokens and limits are used; the only one is monad")
	f.Var(&s.rpc, "rpc", "JSON-RPC `URL` of a node, http or ws; repeat it for further nodes")
	f.BoolVar(&s.local, "local", false, "the chain is our own, as that of braid dev: route pools that no trial has proved, let routes pass all tokens, and count gas as Ethereum does; what a node says of itself is not believed")
	f.Float64Var(&s.rpcRate, "rpc-rate", 25, "requests a second to each node; 0: no `limit`")
	f.DurationVar(&s.stuckAfter, "stuck-after", 30*time.Second, "ignore a node that has reported no newer block, or none younger than this, for this `long`; 0: never, for a chain that mines on demand")
	f.StringVar(&s.storeFile, "store", "", "`file` that keeps the market between runs; without it every start reads the whole chain")
	f.Uint64Var(&s.auditEvery, "audit-every", 100, "compare some pools with their state on the chain every so many `blocks`; 0: never")
	f.StringVar(&s.sourcesFile, "sources", "", sourcesUsage)
	f.Var(&s.off, "off", "`ids` of sources not to follow at all")
	f.DurationVar(&s.drain, "drain", 5*time.Second, "when told to stop, say so at /readyz and go on for this `long`, so that no proxy sends more requests")
	f.StringVar(&s.broker.URLs, "publish", "", "`URLs` of NATS servers, separated by commas, to which the market is published for replicas; see docs/feed.md")
	f.StringVar(&s.name, "name", "", "`name` under which the market is published: of every indexer another")
	f.StringVar(&s.secretFile, "feed-secret", "", "`file` of the key that signs what is published, as braid keygen writes it")
	s.brokerFlags(f)
	if err := parseSettings(f, args, getenv); err != nil {
		return err
	}
	if len(s.rpc.list) == 0 {
		return misuse("serve needs a node: give --rpc URL or set BRAID_RPC")
	}
	l, err := s.listen()
	if err != nil {
		return err
	}
	defer l.Close()
	log := s.logger(stderr)
	logSettings(f, log)
	s.progress = progressBar(stdout)
	return s.run(ctx, l, log, func() {
		fmt.Fprintf(stdout, `
braid is ready
  page      http://%[1]s/
  admin     %[2]s
  API       http://%[1]s/api/v1
`, l.Addr(), s.adminURL)
	})
}

// dev is the command that runs a local chain and the service on it. The service
// reaches the chain only over JSON-RPC, as it would on mainnet.
func dev(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	var s service
	c := devchain.Config{Sources: monad.Sources()}
	f := flags("dev", stdout)
	s.flags(f)
	s.chain = "monad"
	f.StringVar(&c.RPCAddr, "rpc-addr", "127.0.0.1:8545", "where the chain's JSON-RPC listens (`host:port`)")
	f.StringVar(&c.Artifacts, "artifacts", "build/artifacts", "`folder` of the venues' bytecode, which `make artifacts` fills")
	f.Uint64Var(&c.Seed, "seed", 1, "`number` that decides the pools and prices of the market")
	f.DurationVar(&c.Heartbeat, "block-time", time.Second, "`time` between blocks without transactions; one with transactions comes at once")
	replicas := f.Int("replicas", 0, "`number` of replicas to run beside the service, fed by it through a broker in this process")
	f.BoolVar(&c.Activity, "activity", false, "trade in the background: small trades move prices, and arbitrage restores those that large trades moved")
	if err := parseSettings(f, args, getenv); err != nil {
		return err
	}
	l, err := s.listen()
	if err != nil {
		return err
	}
	defer l.Close()
	log := s.logger(stderr)
	c.Log = log
	c.Progress = func(line string) { fmt.Fprintln(stdout, line) }
	c.Families = families.Of(c.Sources, monad.WrappedNative)
	local, err := devchain.Start(ctx, c)
	if err != nil {
		return err
	}
	defer local.Close()
	s.rpc.list, s.dev, s.local = list{local.URL()}, true, true
	cluster, err := startCluster(&s, *replicas, log)
	if err != nil {
		return err
	}
	defer cluster.close()
	return cluster.run(ctx, &s, l, log, func() {
		fmt.Fprintf(stdout, `
braid is ready
  page      http://%[1]s/
  admin     %[6]s
  API       http://%[1]s/api/v1
  JSON-RPC  %[2]s (WebSocket too), chain ID %[3]d
  account   %[4]s, funded with native and every token
  key       0x%[5]x, known to everyone: for this chain only
`, l.Addr(), local.URL(), monad.ChainID, devchain.DevAccount, crypto.FromECDSA(devchain.DevKey), s.adminURL)
		for _, r := range cluster.replicas {
			fmt.Fprintf(stdout, "  replica   http://%s/\n", r.listener.Addr())
		}
	})
}

// logger writes to w as the settings say.
func (s *service) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: s.logLevel}
	if s.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
