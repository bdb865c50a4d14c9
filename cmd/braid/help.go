package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"braid/api"
)

// help describes a command.
type help struct {
	name     string
	does     string // in one line
	synopsis string
	example  string
	text     string // may be empty
}

var commands = []help{
	{"dev", "start a local chain with real venues, and the service on it", "[flags]", "braid dev --activity", ""},
	{"serve", "start the service on nodes of the chain", "--rpc URL [flags]", "braid serve --rpc https://node.example --store braid.db", ""},
	{"replica", "start the service on the market that an indexer publishes, without a node", "--feed URL --feed-key NAME=KEY [flags]",
		"braid replica --feed nats://broker.example:4222 --feed-key a=5f0c…", replicaHelp},
	{"keygen", "make the key that signs what an indexer publishes", "--out FILE", "braid keygen --out a.key", ""},
	{"quote", "ask a running service what a swap pays", "[flags] TOKEN_IN TOKEN_OUT AMOUNT", "braid quote MON USDC 10", quoteHelp},
	{"verify", "check a transaction of /swap against its request, and explain it", "--request URL [flags] [FILE | -]",
		"braid verify --request 'http://127.0.0.1:8080/api/v1/swap?tokenIn=0x…&tokenOut=0x…&amount=1000&recipient=0x…'", verifyHelp},
	{"bench", "route the orders of a file on the market of another", "--market FILE --trades FILE --out FILE [flags]",
		"braid bench --market market.json --trades trades.json --out plans.json --bounds", benchHelp},
	{"prove", "execute swaps through every pool of a chain, and compare what they pay", "--rpc URL [flags]", "braid prove --rpc https://node.example --store braid.db", proveHelp},
	{"deploy", "deploy the contracts to a chain", "--rpc URL [flags]", "braid deploy --rpc https://node.example --key-env DEPLOYER_KEY", ""},
}

const exitCodes = "Exit codes: 0 done, 1 failed, 2 the command line or a setting is wrong.\n"

func commandNames() (names []string) {
	for _, c := range commands {
		names = append(names, c.name)
	}
	return append(names, "version", "help")
}

func helpOf(command string) *help {
	if i := slices.IndexFunc(commands, func(c help) bool { return c.name == command }); i >= 0 {
		return &commands[i]
	}
	return nil
}

// overview is the text of `braid help`.
func overview() string {
	var b strings.Builder
	b.WriteString("braid finds the best swap across the liquidity venues of Monad (chain 143).\n\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "  braid %-8s %s\n", c.name, c.does)
	}
	b.WriteString("  braid version  print the version\n\nFor example: braid quote MON USDC 10\n")
	b.WriteString("braid COMMAND -h explains a command and its flags.\n" + exitCodes)
	return b.String()
}

// flags is an empty flag set of a command, which prints its help to w.
func flags(command string, w io.Writer) *flag.FlagSet {
	f := flag.NewFlagSet("braid "+command, flag.ContinueOnError)
	f.SetOutput(w)
	f.Usage = func() { printHelp(w, f, helpOf(command)) }
	return f
}

// printHelp writes the help of a command: synopsis, text, flags with their defaults,
// example and exit codes.
func printHelp(w io.Writer, f *flag.FlagSet, h *help) {
	fmt.Fprintf(w, "braid %s: %s\n\nusage: braid %s %s\n\n", h.name, h.does, h.name, h.synopsis)
	if h.text != "" {
		fmt.Fprintln(w, h.text)
	}
	f.VisitAll(func(g *flag.Flag) {
		value, usage := flag.UnquoteUsage(g)
		if b, ok := g.Value.(interface{ IsBoolFlag() bool }); value != "" && ok && b.IsBoolFlag() {
			value = "[=" + value + "]" // after a space it would be an argument
		} else if value != "" {
			value = " " + value
		}
		fmt.Fprintf(w, "  --%s%s\n        %s", g.Name, value, usage)
		if d := g.DefValue; d != "" && d != "0" && d != "false" && d != "0s" {
			fmt.Fprintf(w, " (default %s)", d)
		}
		fmt.Fprintln(w)
	})
	fmt.Fprintf(w, "\nFor example: %s\n%s", h.example, exitCodes)
}

var negative = regexp.MustCompile(`^-\.?[0-9]`)

// arguments parses flags, which may be before, between and after the other
// arguments, and returns the latter. A negative number is an argument.
func arguments(f *flag.FlagSet, args []string) (rest []string, err error) {
	w, usage := f.Output(), f.Usage
	f.SetOutput(io.Discard) // errors are returned, not printed
	f.Usage = func() {}
	defer func() {
		f.SetOutput(w)
		f.Usage = usage
		if errors.Is(err, flag.ErrHelp) {
			usage()
		}
	}()
	for len(args) > 0 {
		if negative.MatchString(args[0]) {
			rest, args = append(rest, args[0]), args[1:]
			continue
		}
		if err := f.Parse(args); err != nil {
			return nil, flagError(f, err)
		}
		if ended := len(args) - f.NArg(); ended > 0 && args[ended-1] == "--" {
			return append(rest, f.Args()...), nil
		}
		if args = f.Args(); len(args) > 0 {
			rest, args = append(rest, args[0]), args[1:]
		}
	}
	return rest, nil
}

// flagError adds to an error of package flag what to do: the help to read, and the
// flags with a name like one that is not known.
func flagError(f *flag.FlagSet, err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return misuse("%w: see %s -h", err, f.Name())
	}
	var names []string
	f.VisitAll(func(g *flag.Flag) { names = append(names, "--"+g.Name) })
	return misuse("there is no flag --%.40s%s: see %s -h", name, suggest("--"+name, names), f.Name())
}

// suggest is a question for the candidates spelled most like a word; empty if none
// is similar.
func suggest(word string, candidates []string) string {
	if near := api.Nearest(word, candidates); len(near) > 0 {
		return " (did you mean " + strings.Join(near, " or ") + "?)"
	}
	return ""
}

// parse parses the arguments of a command that takes flags only.
func parse(f *flag.FlagSet, args []string) error {
	rest, err := arguments(f, args)
	if err == nil && len(rest) > 0 {
		err = misuse("%s takes flags only, not %.40q: see %s -h", f.Name(), rest[0], f.Name())
	}
	return err
}
