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

// serve runs the service alone, against a node.
func serve(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	var s service
	f := flags("serve", stdout)
	s.flags(f)
	f.StringVar(&s.chain, "chain", "monad", "whose deployments, tokens and limits to go by; there is one: `monad`")
	f.Var(&s.rpc, "rpc", "a node's JSON-RPC `URL`, http or ws; given again, another node")
	f.Float64Var(&s.rpcRate, "rpc-rate", 25, "requests a second to each node; 0 for no `limit`")
	f.DurationVar(&s.stuckAfter, "stuck-after", 30*time.Second, "count a node that shows nothing newer for this `long`, or nothing made since, as silent; 0: never, for chains that stand still")
	f.StringVar(&s.storeFile, "store", "", "`file` in which the market outlives the process; none: every start joins anew")
	f.Uint64Var(&s.auditEvery, "audit-every", 100, "hold some pools to the chain every so many `blocks`; 0: never")
	f.Var(&s.off, "off", "`sources` not to follow at all, by their ids")
	if err := settings(f, args, getenv); err != nil {
		return err
	}
	if len(s.rpc.values) == 0 {
		return misuse("serve needs a node: give --rpc URL or set BRAID_RPC")
	}
	l, err := s.listen()
	if err != nil {
		return err
	}
	defer l.Close()
	log := logger(stderr)
	show(f, log)
	s.progress = bar(stdout)
	return s.run(ctx, l, log, func() {
		fmt.Fprintf(stdout, `
braid is ready
  page      http://%[1]s/
  API       http://%[1]s/api/v1
`, l.Addr())
	})
}

// dev runs a local chain and the service on it. The two meet only over
// JSON-RPC, as they would on mainnet.
func dev(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	var s service
	c := devchain.Config{Sources: monad.Sources()}
	f := flags("dev", stdout)
	s.flags(f)
	s.chain = "monad"
	f.StringVar(&c.RPCAddr, "rpc-addr", "127.0.0.1:8545", "where the chain's JSON-RPC listens (`host:port`)")
	f.StringVar(&c.Artifacts, "artifacts", "build/artifacts", "`folder` with the venues' bytecode, made by `make artifacts`")
	f.Uint64Var(&c.Seed, "seed", 1, "the `number` from which the market is made")
	f.DurationVar(&c.Heartbeat, "block-time", time.Second, "`time` between blocks without transactions; those with some come at once")
	f.BoolVar(&c.Activity, "activity", false, "trade in the background: small trades move prices, and arbitrage brings back what large ones moved")
	if err := settings(f, args, getenv); err != nil {
		return err
	}
	l, err := s.listen()
	if err != nil {
		return err
	}
	defer l.Close()
	log := logger(stderr)
	c.Log = log
	c.Progress = func(line string) { fmt.Fprintln(stdout, line) }
	c.Families = families.Of(c.Sources, monad.WrappedNative)
	local, err := devchain.Start(ctx, c)
	if err != nil {
		return err
	}
	defer local.Close()
	s.rpc.values, s.local = values{local.URL()}, true
	return s.run(ctx, l, log, func() {
		fmt.Fprintf(stdout, `
braid is ready
  page      http://%[1]s/
  API       http://%[1]s/api/v1
  JSON-RPC  %[2]s (WebSocket too), chain ID %[3]d
  account   %[4]s, funded with native and every token
  key       0x%[5]x, known to everyone: for this chain only
`, l.Addr(), local.URL(), monad.ChainID, devchain.DevAccount, crypto.FromECDSA(devchain.DevKey))
	})
}

func logger(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, nil))
}
