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
	"slices"
	"strings"
	"testing"
	"time"

	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/venue"
	"braid/venue/univ2"
	"braid/venuetest"
)

// newStoredIndexer is an indexer with a store.
func newStoredIndexer(t testing.TB, url, path string, families []venue.Family, log *slog.Logger) (*indexer.Indexer, *indexer.Store) {
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

// runToHead runs an indexer with a store until it has reached the head, stops it
// and closes the store. It gives the log.
func (w *fixture) runToHead(path string, families ...venue.Family) string {
	w.Helper()
	var lines bytes.Buffer
	x, store := newStoredIndexer(w.TB, w.chain.URL(), path, families, slog.New(slog.NewTextHandler(&lines, nil)))
	ctx, stop := context.WithCancel(w.Context())
	done := make(chan error)
	go func() { done <- x.Run(ctx) }()
	w.admitAll(w.index)
	w.admitAll(x)
	sameSnapshots(w.TB, w.awaitHead(), await(w.TB, x, w.chain.Head().Hash()))
	stop()
	if err := <-done; err != nil {
		w.Error(err)
	}
	if err := store.Close(); err != nil {
		w.Error(err)
	}
	return lines.String()
}

// A restart continues from the store, for pools of all families.
func TestRestart(t *testing.T) {
	t.Parallel()
	b := newBusyChain(t, 3)
	path := filepath.Join(t.TempDir(), "market")
	for _, again := range []bool{false, true} {
		for range 30 {
			b.block()
		}
		log := b.runToHead(path, everyFamily(monad.Sources())...)
		if strings.Contains(log, "resuming") != again || strings.Contains(log, "finding pools") == again {
			t.Errorf("again %v: %s", again, log)
		}
	}
}

// A damaged file is set aside, and one of another chain is replaced.
func TestDamage(t *testing.T) {
	t.Parallel()
	w := newFixture(t, 0)
	pools := w.index.Head().Pools()
	mineMore := func() {
		for i := range 20 {
			w.mine(w.transferAndSync(pools[i%3], 100)...)
		}
	}
	mineMore()
	path := filepath.Join(t.TempDir(), "market")
	w.runToHead(path, univ2.New(monad.Sources()))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 9))
	aside := 0
	for i := range 10 {
		damaged := bytes.Clone(whole)
		switch i {
		case 0:
			damaged = damaged[:len(damaged)/2]
		case 1:
			damaged = []byte("not a store at all")
		case 2:
			clear(damaged[:8192]) // both meta pages of bbolt
		default:
			for n := 4 << i; n > 0; { // bytes that are not 0
				if at := random.IntN(len(damaged)); damaged[at] != 0 {
					damaged[at] ^= 0xff
					n--
				}
			}
		}
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		log := w.runToHead(path, univ2.New(monad.Sources()))
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
	store, err := indexer.OpenStore(path, monad.ChainID+1, monad.Sources(), nil, slog.New(slog.NewTextHandler(&lines, nil)))
	if err != nil || !strings.Contains(lines.String(), "another chain") {
		t.Errorf("a store of another chain: %v: %s", err, &lines)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	w = newFixture(t, 0)
	w.mine(w.transferAndSync(pools[5], 7)...) // so that its blocks are others
	mineMore()
	w.runToHead(path, univ2.New(monad.Sources()))
}

// TestOtherSources: a store that was written for fewer sources, or others, is used: only
// the pools of rows that were added or changed are searched for.
func TestOtherSources(t *testing.T) {
	t.Parallel()
	w := newFixture(t, 8)
	path := filepath.Join(t.TempDir(), "market")
	all := monad.Sources()
	less := slices.DeleteFunc(monad.Sources(), func(s venue.Source) bool { return s.ID == "Kansei" })
	for i, rows := range [][]venue.Source{less, all, less} {
		for range 10 {
			w.mine(w.transferAndSync(w.index.Head().Pools()[0], 100)...)
		}
		var lines bytes.Buffer
		families := []venue.Family{univ2.New(rows)}
		log := slog.New(slog.NewTextHandler(&lines, nil))
		store, err := indexer.OpenStore(path, monad.ChainID, rows, families, log)
		if err != nil {
			t.Fatal(err)
		}
		x := indexer.New(indexer.Config{Node: w.node, Families: families, Sources: rows, Start: market.New(monad.Chain()), Listed: monad.Tokens(), Keep: 8, Store: store, Log: log})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- x.Run(ctx) }()
		got, want := await(t, x, w.chain.Head().Hash()), 0
		for _, p := range w.awaitHead().Pools() {
			if len(rows) == len(all) || p.Info().Source.ID != "Kansei" {
				want++
				if q, ok := got.Pool(p.Info().ID); !ok || q.Spot(0, 1) != p.Spot(0, 1) {
					t.Errorf("run %d: pool %s is not the same", i, p.Info().ID)
				}
			}
		}
		if len(got.Pools()) != want {
			t.Errorf("run %d: %d pools, want %d", i, len(got.Pools()), want)
		}
		stop()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		if others := strings.Contains(lines.String(), "resuming with other sources"); others != (i > 0) {
			t.Errorf("run %d: %s", i, &lines)
		}
	}
}

// TestKills kills a process that follows a busy chain at random moments. The
// next one continues from the store, without searching for pools again, and its
// snapshot equals the chain's state. The environment variable KILLS is the number
// of processes.
func TestKills(t *testing.T) {
	if os.Getenv("BRAID_CHILD") != "" {
		child(t)
		return
	}
	t.Parallel()
	b := newBusyChain(t, 5)
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
		output := func() string {
			text, _ := os.ReadFile(out.Name())
			return string(text)
		}
		for i%2 == 1 && !strings.Contains(output(), "msg=joined") { // every second process is killed only when it is ready
			b.block()
		}
		for end := time.Now().Add(time.Duration(random.IntN(4000)) * time.Millisecond); time.Now().Before(end); {
			b.block()
		}
		cmd.Process.Kill()
		cmd.Wait()
		out.Close()
		switch log := output(); {
		case strings.Contains(log, "set aside"):
			t.Errorf("a kill damaged the file: %s", log)
		case strings.Contains(log, "msg=joined"):
			ready++
			if searchedAgain(log) {
				again++
			}
		}
	}
	log := b.runToHead(path, everyFamily(monad.Sources())...)
	if again > 1 || again+ready > 0 && searchedAgain(log) {
		t.Errorf("pools were searched for %d times: %s", again, log)
	}
	fmt.Printf("kills=%d ready=%d searches=%d\n", kills, ready, again)
}

// searchedAgain tells whether pools were searched for from the first block on.
func searchedAgain(log string) bool {
	return strings.Contains(log, "finding pools") && !strings.Contains(log, "resuming the search")
}

// child is the process that TestKills kills: it follows the chain.
func child(t *testing.T) {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	x, _ := newStoredIndexer(t, os.Getenv("BRAID_CHILD"), os.Getenv("BRAID_STORE"), everyFamily(monad.Sources()), log)
	if err := x.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}
