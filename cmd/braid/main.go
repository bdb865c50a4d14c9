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

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "braid:", err)
	}
	os.Exit(exitCode(err))
}

// usageError is a mistake in the command line or in a setting.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// misuse is a usageError of this text.
func misuse(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exitCode is 0 for success, 2 for a usageError, and 1 for all else.
func exitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.As(err, new(usageError)):
		return 2
	}
	return 1
}

// run carries out one command, and returns when all that it started has ended. An
// interrupt and a call for help are no errors.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	command := "help"
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	if command == "help" && len(args) == 1 && helpOf(args[0]) != nil {
		command, args = args[0], []string{"-h"}
	}
	var err error
	switch command {
	case "dev":
		err = dev(ctx, args, getenv, stdout, stderr)
	case "serve":
		err = serve(ctx, args, getenv, stdout, stderr)
	case "replica":
		err = replica(ctx, args, getenv, stdout, stderr)
	case "keygen":
		err = keygen(args, stdout)
	case "quote":
		err = quote(ctx, args, getenv, stdout)
	case "bench":
		err = bench(ctx, args, stdout)
	case "verify":
		err = verify(ctx, args, os.Stdin, stdout, stderr)
	case "prove":
		err = prove(ctx, args, getenv, stdout, stderr)
	case "deploy":
		err = deploy(ctx, args, getenv, stdout)
	case "version", "-version", "--version":
		fmt.Fprintln(stdout, version)
	case "help", "-h", "-help", "--help":
		fmt.Fprint(stdout, overview())
	default:
		err = misuse("unknown command %.20q%s: `braid help` lists them", command, suggest(command, commandNames()))
	}
	if errors.Is(err, flag.ErrHelp) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
