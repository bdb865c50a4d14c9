package indexer_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/venue"
	"braid/venue/univ2"
	"braid/venuetest"
)

// sturdy is an indexer with a store.
func sturdy(t testing.TB, url, path string, families []venue.Family, log *slog.Logger) (*indexer.Indexer, *indexer.Store) {
	t.Helper()
	store, err := indexer.OpenStore(path, monad.ChainID, monad.Sources(), families, log)
	if err != nil {
		t.Fatal(err)
	}
	return indexer.New(indexer.Config{
		Node: dial(t, url), Families: families, Sources: monad.Sources(), Store: store, Log: log,
		Start: market.New(monad.Chain()), Listed: monad.Tokens(), Keep: 8,
	}), store
}

// life is one run of a sturdy indexer up to the head, ended in good order. It
// gives what was logged.
func (w *world) life(path string, families ...venue.Family) string {
	w.Helper()
	var lines bytes.Buffer
	x, store := sturdy(w.TB, w.chain.URL(), path, families, slog.New(slog.NewTextHandler(&lines, nil)))
	ctx, stop := context.WithCancel(w.Context())
	done := make(chan error)
	go func() { done <- x.Run(ctx) }()
	same(w.TB, w.settle(), await(w.TB, x, w.chain.Head().Hash()))
	stop()
	if err := <-done; err != nil {
		w.Error(err)
	}
	if err := store.Close(); err != nil {
		w.Error(err)
	}
	return lines.String()
}

// A restart goes on from what was written down, in all families alike.
func TestRestart(t *testing.T) {
	b := newBusy(t, 3)
	path := filepath.Join(t.TempDir(), "market")
	for _, again := range []bool{false, true} {
		for range 30 {
			b.block()
		}
		log := b.life(path, everyFamily(monad.Sources())...)
		if strings.Contains(log, "resuming") != again || strings.Contains(log, "finding pools") == again {
			t.Errorf("again %v: %s", again, log)
		}
	}
	b.fees()
}

// fees measures those of all V2 sources by what has been traded.
func (b *busy) fees() {
	b.Helper()
	pairs, measured := map[*venue.Source][]common.Address{}, 0
	for _, p := range b.index.Head().Pools() {
		if s := p.Info().Source; s.Family == univ2.Name {
			pairs[s] = append(pairs[s], common.HexToAddress(string(p.Info().ID)))
		}
	}
	for source, list := range pairs {
		var logs []types.Log
		err := b.node.LogsOf(b.Context(), list, 0, b.chain.Head().Number.Uint64(), univ2.Measured(), func(page []types.Log, _ uint64) error {
			logs = append(logs, page...)
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		fee, swaps, ok := univ2.Measure(logs)
		if swaps == 0 {
			continue
		}
		measured++
		if !ok || fee != int(source.FeeBps) {
			b.Errorf("%s: measured %d bps by %d swaps (%v), want %d", source.ID, fee, swaps, ok, source.FeeBps)
		}
	}
	if measured == 0 {
		b.Error("nothing was measured")
	}
}

// A file that is damaged is set aside, and one of another chain does no harm.
func TestDamage(t *testing.T) {
	w := newWorld(t, 0)
	pools := w.index.Head().Pools()
	live := func() {
		for i := range 20 {
			w.mine(w.give(pools[i%3], 100)...)
		}
	}
	live()
	path := filepath.Join(t.TempDir(), "market")
	w.life(path, univ2.New(monad.Sources()))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 9))
	aside := 0
	for i := range 10 {
		spoilt := bytes.Clone(whole)
		switch i {
		case 0:
			spoilt = spoilt[:len(spoilt)/2]
		case 1:
			spoilt = []byte("not a store at all")
		case 2:
			clear(spoilt[:8192]) // both of the first pages
		default:
			for n := 4 << i; n > 0; { // where there is something
				if at := random.IntN(len(spoilt)); spoilt[at] != 0 {
					spoilt[at] ^= 0xff
					n--
				}
			}
		}
		if err := os.WriteFile(path, spoilt, 0o600); err != nil {
			t.Fatal(err)
		}
		log := w.life(path, univ2.New(monad.Sources()))
		if strings.Contains(log, "set aside") {
			aside++
		} else if !strings.Contains(log, "resuming") {
			t.Errorf("damage %d: %s", i, log)
		}
	}
	if kept, _ := filepath.Glob(path + ".damaged-*"); aside < 8 || len(kept) != aside {
		t.Errorf("%d files found damaged, %d set aside", aside, len(kept))
	}

	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	store, err := indexer.OpenStore(path, monad.ChainID, monad.Sources()[1:], nil, slog.New(slog.NewTextHandler(&lines, nil)))
	if err != nil || !strings.Contains(lines.String(), "other sources") {
		t.Errorf("a store of other sources: %v: %s", err, &lines)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	w = newWorld(t, 0)
	w.mine(w.give(pools[5], 7)...) // what makes it another one
	live()
	w.life(path, univ2.New(monad.Sources()))
}

// TestKills kills a process that follows a busy chain at random moments. The
// next one goes on from what it left, without searching for pools again, and
// its market is the chain's. KILLS in the environment makes it longer.
func TestKills(t *testing.T) {
	if os.Getenv("BRAID_CHILD") != "" {
		child(t)
		return
	}
	b := newBusy(t, 5)
	for range 30 {
		b.block()
	}
	path := filepath.Join(t.TempDir(), "market")
	random := rand.New(rand.NewPCG(5, 5))
	kills, ready, again := int(venuetest.Setting(t, "KILLS", 5)), 0, 0
	for i := range kills {
		out, err := os.Create(fmt.Sprint(path, ".log", i))
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestKills$")
		cmd.Env = append(os.Environ(), "BRAID_CHILD="+b.chain.URL(), "BRAID_STORE="+path)
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		said := func() string {
			text, _ := os.ReadFile(out.Name())
			return string(text)
		}
		for i%2 == 1 && !strings.Contains(said(), "msg=joined") { // at any moment, or at any when it is ready
			b.block()
		}
		for end := time.Now().Add(time.Duration(random.IntN(4000)) * time.Millisecond); time.Now().Before(end); {
			b.block()
		}
		cmd.Process.Kill()
		cmd.Wait()
		out.Close()
		switch log := said(); {
		case strings.Contains(log, "set aside"):
			t.Errorf("a kill damaged the file: %s", log)
		case strings.Contains(log, "msg=joined"):
			ready++
			if anew(log) {
				again++
			}
		}
	}
	log := b.life(path, everyFamily(monad.Sources())...)
	if again > 1 || again+ready > 0 && anew(log) {
		t.Errorf("pools were searched for %d times: %s", again, log)
	}
	fmt.Printf("kills=%d ready=%d searches=%d\n", kills, ready, again)
}

// anew tells whether pools were searched for from the first block on.
func anew(log string) bool {
	return strings.Contains(log, "finding pools") && !strings.Contains(log, "searching goes on")
}

// child follows the chain until it is killed.
func child(t *testing.T) {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	x, _ := sturdy(t, os.Getenv("BRAID_CHILD"), os.Getenv("BRAID_STORE"), everyFamily(monad.Sources()), log)
	if err := x.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}
