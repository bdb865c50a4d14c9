package api

import (
	"context"
	"errors"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
)

// errorCase is a block of testdata/errors.txt, which says what its lines are.
type errorCase struct {
	service string
	target  string // of the GET
	answer  string // status and code
	detail  string
	hints   string
}

func readErrorCases(t testing.TB) (cases []errorCase) {
	t.Helper()
	text, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(string(text), "\n\n") {
		lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(block), "\n"), func(line string) bool { return strings.HasPrefix(line, "#") })
		if len(lines) == 0 {
			continue
		}
		if len(lines) < 3 || len(lines) > 4 {
			t.Fatalf("%d lines in the case %q", len(lines), lines)
		}
		c := errorCase{answer: lines[1], detail: lines[2], hints: "{}"}
		service, target, named := strings.Cut(lines[0], " /")
		if named {
			c.service, c.target = service, "/"+target
		} else {
			c.target = lines[0]
		}
		c.target = placeholder.ReplaceAllStringFunc(c.target, func(s string) string { return expand(t, s) })
		if len(lines) == 4 {
			c.hints = lines[3]
		}
		cases = append(cases, c)
	}
	return cases
}

var placeholder = regexp.MustCompile(`\$([A-Z]+|\{[^}]*\})`)

func expand(t testing.TB, s string) string {
	name := strings.Trim(s, "${}")
	if a, ok := scriptAddresses[name]; ok {
		return a
	}
	times, text, _ := strings.Cut(name, " ")
	n, err := strconv.Atoi(times)
	if err != nil {
		t.Fatalf("%s stands for nothing", s)
	}
	if text != "ids" {
		return strings.Repeat(text, n)
	}
	return url.QueryEscape(strings.Join(numbered(n), ","))
}

var scriptAddresses = map[string]string{
	"WMON": wmon.Hex(), "USDC": usdc.Hex(), "WETH": weth.Hex(), "LONE": lone.Hex(), "ISLE": island.Hex(), "RARE": rare.Hex(), "MPTY": empty.Hex(),
	"NATIVE": monad.NativePlaceholder.Hex(), "ZERO": "0x0000000000000000000000000000000000000000", "UNKNOWN": addr(0xbad).Hex(), "ALICE": alice.Hex(),
	"POOL": cakePair.Hex(), "FACTORY": factoryOf("PancakeSwapV2"), "ROUTER": testContracts.Router.Hex(), "EXECUTOR": testContracts.Executor.Hex(),
}

func factoryOf(id string) string {
	sources := monad.Sources()
	return sources[slices.IndexFunc(sources, func(s venue.Source) bool { return s.ID == id })].Factory.Hex()
}

// numbered are so many source ids, none of which exists.
func numbered(n int) (ids []string) {
	for i := range n {
		ids = append(ids, "S"+u256.From(uint64(i)).String())
	}
	return ids
}

// scriptServices are the services that cases name, and the one without a name.
func scriptServices(t *testing.T) map[string]service {
	busy := serve(t, func(c *Config) { c.RatePerSecond = 0.5 })
	busy.get("/api/v1/liquidity-sources")
	overloaded := serve(t, func(c *Config) { c.MaxWait = time.Millisecond })
	overloaded.Config.Handler.(*server).admission.fill(t)
	return map[string]service{
		"":        serve(t),
		"loading": serve(t, func(c *Config) { c.Head, c.Receipts = func() *market.Snapshot { return nil }, nil }),
		"stale": serve(t, func(c *Config) {
			c.Health = func() Health { return Health{Ready: true, Updated: now.Add(-time.Hour)} }
		}),
		"slow":   serve(t, func(c *Config) { c.Timeout = time.Nanosecond }),
		"broken": serve(t, func(c *Config) { c.Head = func() *market.Snapshot { panic("broken") } }),
		"busy":   busy,

		"overloaded": overloaded,
		"unreachable": serve(t, func(c *Config) {
			c.Receipts = func(context.Context, common.Hash) (*Receipt, error) { return nil, errors.New("connection refused") }
		}),
	}
}

// matches says whether a text is the pattern, in which * stands for a number.
func matches(pattern, text string) bool {
	expression := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, "[0-9]+")
	return regexp.MustCompile("^" + expression + "$").MatchString(text)
}
