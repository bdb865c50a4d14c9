package feed

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"braid/families"
	"braid/market"
	"braid/monad"
	"braid/router"
	"braid/u256"
	"braid/venue"
)

const (
	barBlock   = 300 * time.Millisecond // block time
	barChanges = 200                    // changed pools a block
)

// TestBars measures a replica of a generated market, in a process of its own, while it
// quotes, and prints one line; make feed runs it. BLOCKS blocks come every 300 ms and
// change 200 pools each.
func TestBars(t *testing.T) {
	if os.Getenv("FEED_URL") != "" {
		barReplica(t)
		return
	}
	pools, _ := strconv.Atoi(os.Getenv("POOLS"))
	blocks, _ := strconv.Atoi(os.Getenv("BLOCKS"))
	if pools == 0 || blocks == 0 {
		t.Skip("a measurement: make feed POOLS=n BLOCKS=n runs it")
	}
	g := newRig(t, pools, nil)
	x := g.start("a", true, nil)
	g.await("a whole market in the store", func() bool { return valueOf(x.metrics.snapshotBytes) > 0 })
	r := g.replica(nil)
	g.await("the replica", at(r, g.tip))
	var delays []time.Duration
	for range blocks {
		next := time.Now().Add(barBlock)
		m := g.advance(barChanges)
		made := time.Now() // the block is made by the test itself
		for !at(r, m)() {
			<-r.Changed()
		}
		delays = append(delays, time.Since(made))
		time.Sleep(time.Until(next))
	}
	child := exec.Command(os.Args[0], "-test.run=^TestBars$", "-test.v")
	child.Env = append(os.Environ(), "FEED_URL="+g.ClientURL(), "FEED_KEY=a="+hex.EncodeToString(g.keys["a"][0]))
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 1000)
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			if strings.HasPrefix(s.Text(), "replica ") {
				lines <- s.Text()
			}
		}
		close(lines)
	}()
	for n := 0; n < blocks || len(lines) < 5; n++ { // of a busy machine the child may need long to be ready
		next := time.Now().Add(barBlock)
		g.advance(barChanges)
		time.Sleep(time.Until(next))
	}
	child.Process.Kill()
	said := ""
	for line := range lines {
		said = line
	}
	child.Wait() // it was killed
	slices.Sort(delays)
	fmt.Printf("pools=%d tokens=%d snapshot_kb=%.0f encode_ms=%.1f head_to_replica_ms_p50=%.1f head_to_replica_ms_p99=%.1f %s\n",
		pools, len(g.tip.Tokens()), valueOf(x.metrics.snapshotBytes)/1e3, 1e3*meanOf(x.metrics.encode),
		ms(delays[len(delays)/2]), ms(delays[len(delays)*99/100]), strings.TrimPrefix(said, "replica "))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// barReplica is the process that is measured. It quotes until it is interrupted, and
// says every second what it measured.
func barReplica(t *testing.T) {
	began := time.Now()
	keys := Keys{}
	if err := keys.Add(os.Getenv("FEED_KEY")); err != nil {
		t.Fatal(err)
	}
	c, err := Connect(Broker{URLs: os.Getenv("FEED_URL")}, "replica", testLog(t))
	if err != nil {
		t.Fatal(err)
	}
	r := NewReplica(ReplicaConfig{
		Conn: c, Chain: monad.ChainID, Keys: keys, Start: market.New(monad.Chain()), Registry: prometheus.NewRegistry(),
		Families: func(s []venue.Source) []venue.Family { return families.Of(s, monad.WrappedNative) },
	})
	go r.Run(context.Background())
	<-r.Ready()
	ready, readyCPU := time.Since(began), cpuTime()
	random, quotes := rand.New(rand.NewPCG(1, 1)), 0
	since, before := time.Now(), valueOf(r.metrics.bytes)
	for said := time.Now(); ; {
		m := r.Head()
		i, j := random.IntN(len(m.Tokens())), random.IntN(len(m.Tokens()))
		if usd := m.Price(i).USD; i != j && usd > 0 {
			router.Find(m, router.Order{TokenIn: m.Tokens()[i].Address, TokenOut: m.Tokens()[j].Address, AmountIn: u256.FromFloat(1000 / usd)})
			quotes++
		}
		if time.Since(said) > time.Second {
			said = time.Now()
			seconds := time.Since(since).Seconds()
			fmt.Printf("replica ready_ms=%.0f ready_cpu_ms=%.0f apply_ms=%.1f rss_mb=%d rss_max_mb=%d mb_per_s=%.3f quotes=%d gaps=%.0f resyncs=%.0f\n", ms(ready), ms(readyCPU), 1e3*meanOf(r.metrics.apply),
				status(t, "VmRSS"), status(t, "VmHWM"), (valueOf(r.metrics.bytes)-before)/1e6/seconds, quotes, valueOf(r.metrics.gaps), valueOf(r.metrics.resyncs))
		}
	}
}

// cpuTime is what this process has used, on a busy machine less than the time it took.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// status is a line of /proc/self/status, in MB.
func status(t *testing.T, name string) int {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var kb int
		if _, err := fmt.Sscanf(line, name+": %d kB", &kb); err == nil {
			return kb / 1024
		}
	}
	return 0
}
