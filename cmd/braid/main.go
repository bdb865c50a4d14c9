// Command braid finds the best swap across the venues of chain 143 and serves it over HTTP.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// version is set by the build.
var version = "dev"

const usage = `braid finds the best swap across the liquidity venues of Monad (chain 143).

  braid dev      start a local chain with real venues, and the service on it
  braid serve    start the service against a node
  braid quote    ask a running service, as in braid quote WMON USDC 1000
  braid bench    route the orders of a file on the market of another
  braid verify   hold an answer of /swap to its request, and tell it in words
  braid deploy   put the contracts where they belong on a chain
  braid version  say which build this is

Each command explains its flags with -h.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "braid:", err)
		os.Exit(1)
	}
}

// run builds everything, waits for everything and returns when all has ended.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	command := "help"
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	var err error
	switch command {
	case "dev":
		err = dev(ctx, args, getenv, stdout, stderr)
	case "serve":
		err = serve(ctx, args, getenv, stdout, stderr)
	case "quote":
		err = quote(ctx, args, getenv, stdout, stderr)
	case "bench":
		err = bench(ctx, args, stdout, stderr)
	case "verify":
		err = verify(ctx, args, os.Stdin, stdout, stderr)
	case "deploy":
		err = deploy(ctx, args, getenv, stdout, stderr)
	case "version":
		fmt.Fprintln(stdout, version)
	case "help", "-h", "--help":
		fmt.Fprint(stdout, usage)
	default:
		err = fmt.Errorf("unknown command %.20q: try `braid help`", command)
	}
	if errors.Is(err, flag.ErrHelp) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
