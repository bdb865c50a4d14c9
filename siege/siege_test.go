// Package siege_test attacks the running product as anybody could who may create
// pools and tokens, or send requests: a local chain in this process, the service on it
// as a process of its own with default settings, an attacker whose transactions fill
// blocks of the chain, and clients of several addresses that ask for more than can be
// answered. What the gas would cost on mainnet is the cost of an attack.
package siege_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"braid/venuetest"
)

// What an attacker may achieve at most. The limits of times and memory depend on
// the machine: only the full run holds the service to them.
const (
	maxMovedBps  = 100   // of the USD price of any verified token
	maxLossBps   = 1     // of the output net of gas of any honest order
	maxStaleMs   = 1_000 // one block of the local chain: the service is never a block behind for longer than a block takes
	maxRSSRatio  = 1.5
	maxPoolBytes = 200    // of memory for an empty pool
	maxJoinMs    = 20_000 // by which a join may take longer: it reads the creation logs of the attacker's pools

	maxLaunchBlocks = 5 // until a pool of a new token is routed

	// rssNoise is by how much the memory of a Go process differs between two moments
	// at which it holds the same, as a part of the whole: the collector lets the heap
	// grow, and returns memory late.
	rssNoise = 0.25

	// maxIdleMs is the processor time that a block may take longer after an attack;
	// the kernel counts it in units of 10 ms, which are spread over the measured blocks.
	maxIdleMs = 5
)

// sizes of the attacks.
type sizes struct {
	orders     int // honest ones that are quoted before and during an attack
	positions  int // that a bent price is spread over
	shapes     int // ways in which each price is bent; 0: all
	ticks      int // in a pool of the attacker's tokens
	dust       int // ticks in the deepest pool of a pair
	codeless   int // pools a block between accounts without code
	blocks     int // in which they come, and in which positions come and go
	empty      int // pools without liquidity between listed tokens
	dustyPools int // pools with next to none
	booked     int // orders in an order book
	idle       int // blocks over which processor time is measured
	settle     int // blocks to wait for the least memory

	connections int           // of one client that asks for depth
	requests    int           // of another client beside it
	span        time.Duration // of an overload
	idleClients int           // connections that do nothing
}

var (
	short = sizes{
		orders: 24, positions: 20, shapes: 1, ticks: 1_000, dust: 2_000, codeless: 100, blocks: 3, empty: 2_000,
		dustyPools: 200, booked: 400, idle: 2,
		connections: 30, requests: 30, span: time.Second, idleClients: 200,
	}
	full = sizes{
		orders: 200, positions: 1_000, ticks: 40_000, dust: 100_000, codeless: 500, blocks: 9, empty: 100_000,
		dustyPools: 20_000, booked: 20_000, idle: 20, settle: 10,
		connections: 300, requests: 300, span: 10 * time.Second, idleClients: 10_000,
	}
)

// TestSiege plays every attack, and prints a line for each. SEED decides the market,
// the honest orders and the shapes of the attacks; SIEGE=1 is the full run.
func TestSiege(t *testing.T) {
	s := &siege{sizes: short, seed: venuetest.Setting(t, "SEED", 1)}
	if venuetest.Setting(t, "SIEGE", 0) > 0 {
		s.sizes, s.full = full, true
	}
	s.start(t)
	for _, attack := range []struct {
		name string
		play func(*siege, *report)
	}{
		{"none", (*siege).quiet},
		{"price-bend", (*siege).bendByEdge},
		{"price-bend-1", func(s *siege, r *report) { s.bendByMoney(r, 0.01) }},
		{"price-bend-10", func(s *siege, r *report) { s.bendByMoney(r, 0.10) }},
		{"price-bend-45", func(s *siege, r *report) { s.bendByMoney(r, 0.45) }},
		{"launch", (*siege).launch},
		{"extremes", (*siege).extremes},
		{"refused-pairs", (*siege).refusedPairs},
		{"codeless", (*siege).codelessPools},
		{"flip", (*siege).flip},
		{"ticks", (*siege).manyTicks},
		{"book-orders", (*siege).bookOrders},
		{"dust-pools", (*siege).dustPools},
		{"empty-pools", (*siege).emptyPools},
		{"dust-ticks", (*siege).dustTicks},
		{"depth-flood", (*siege).depthFlood},
		{"overload", (*siege).overload},
		{"idle-connections", (*siege).idleConnections},
	} {
		t.Run(attack.name, func(t *testing.T) {
			s.play(t, attack.name, attack.play)
		})
	}
}

// play plays one attack, and reports what it cost and did.
func (s *siege) play(t *testing.T, name string, attack func(*siege, *report)) {
	outer := s.T
	s.T = t
	defer func() { s.T = outer }()
	s.gasUsed, s.atRiskUSD = 0, 0
	r := &report{full: s.full}
	attack(s, r)
	fields := []string{"attack=" + name, fmt.Sprintf("cost_usd=%.3g", s.costUSD())}
	if s.atRiskUSD > 0 {
		fields = append(fields, fmt.Sprintf("at_risk_usd=%.0f", s.atRiskUSD))
	}
	verdict := "ok"
	if len(r.faults) > 0 {
		verdict = "FAIL"
		t.Error(strings.Join(r.faults, "; "))
	}
	fmt.Println(strings.Join(append(append(fields, r.fields...), verdict), " "))
}

// report is what an attack did: fields to print, and what is beyond its limit.
type report struct {
	full           bool
	fields, faults []string
}

func (r *report) add(name, format string, value any) {
	r.fields = append(r.fields, name+"="+fmt.Sprintf(format, value))
}

// atMost reports a figure and holds it to a limit.
func (r *report) atMost(name string, value, limit float64) {
	r.add(name, "%.4g", value)
	if !(value <= limit) {
		r.faults = append(r.faults, fmt.Sprintf("%s=%.4g is above %g", name, value, limit))
	}
}

// timed is atMost for what depends on the machine.
func (r *report) timed(name string, value, limit float64) {
	if !r.full {
		r.add(name, "%.4g", value)
		return
	}
	r.atMost(name, value, limit)
}

// must reports a condition that does not hold.
func (r *report) must(holds bool, format string, args ...any) {
	if !holds {
		r.faults = append(r.faults, fmt.Sprintf(format, args...))
	}
}

// progress says what takes long, apart from the lines of the result.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "  "+format+"\n", args...)
}
