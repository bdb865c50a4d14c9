package siege_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/devchain"
	"braid/families"
	"braid/monad"
)

// blockTime is the time between blocks of the local chain, that of braid dev.
const blockTime = time.Second

// siege is a chain, the service on it, and the attacker.
type siege struct {
	*testing.T
	sizes
	full bool
	seed uint64

	attacker
	chain   *devchain.Chain
	binary  string
	service *exec.Cmd
	root    string // URL of the service
	log     string // file
	admin   string // host and port of its admin address
	joinMs  float64
	market  *survey
	honest  []order
}

// start makes the market and starts the service on it.
func (s *siege) start(t *testing.T) {
	s.T = t
	s.binary = filepath.Join(t.TempDir(), "braid")
	if out, err := exec.Command("go", "build", "-o", s.binary, "braid/cmd/braid").CombinedOutput(); err != nil {
		t.Fatalf("go build: %s", out)
	}
	sources := monad.Sources()
	var err error
	s.chain, err = devchain.Start(t.Context(), devchain.Config{
		RPCAddr: "127.0.0.1:0", Artifacts: artifacts, Seed: s.seed, Sources: sources,
		Families: families.Of(sources, monad.WrappedNative), Heartbeat: blockTime,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.chain.Close() })
	began := time.Now()
	s.admin = s.freeAddress()
	if s.service, s.root = s.serve(s.admin); s.service == nil {
		t.Fatal("braid serve does not become ready")
	}
	s.joinMs = float64(time.Since(began).Milliseconds())
	s.equip()
	s.market = s.look()
	s.honest = s.honestOrders()
}

// patience is how long an attack may keep the service from what it should do at once.
const patience = 3 * time.Minute

// freeAddress is a loopback address that nothing listens on.
func (s *siege) freeAddress() string {
	s.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// serve starts a service with default settings but for its addresses, and returns
// when it is ready; nil if it is not within patience. It ends with the test.
func (s *siege) serve(admin string) (service *exec.Cmd, root string) {
	s.Helper()
	s.log = filepath.Join(s.TempDir(), "log")
	log, err := os.Create(s.log)
	if err != nil {
		s.Fatal(err)
	}
	cmd := exec.Command(s.binary, "serve", "--local", "--rpc", s.chain.URL(), "--addr", "127.0.0.1:0", "--admin-addr", admin)
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		log.Close()
	})
	late := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	defer late.Stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if f := strings.Fields(lines.Text()); len(f) > 1 && f[0] == "API" {
			go io.Copy(io.Discard, out)
			return cmd, strings.TrimSuffix(f[1], "/api/v1")
		}
	}
	return nil, ""
}

var client = &http.Client{Timeout: 30 * time.Second}

// get decodes an answer of the service into v, whatever its status; 0: there is none.
func (s *siege) get(path string, v any) (status int) {
	resp, err := client.Get(s.root + path)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	if json.NewDecoder(resp.Body).Decode(v) != nil {
		return 0
	}
	return resp.StatusCode
}

// served is the block of the service's market; 0 if the service does not answer.
func (s *siege) served() uint64 {
	var body struct{ Block uint64 }
	s.get("/readyz", &body)
	return body.Block
}

// catchUp waits until the service has the newest block.
func (s *siege) catchUp() {
	s.Helper()
	if !s.caughtUp() {
		s.Fatalf("the service has block %d, the chain %d", s.served(), s.chain.Head().Number)
	}
}

// caughtUp says whether the service gets the newest block within patience.
func (s *siege) caughtUp() bool {
	head := s.chain.Head().Number.Uint64()
	for deadline := time.Now().Add(patience); s.served() < head; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// sourceState is the state of a source by /market.
type sourceState struct{ ID, Status, Reason string }

// marketBody is what is read of /market.
type marketBody struct {
	Sources []sourceState
	Tokens  []struct {
		Address  common.Address
		Verified bool
		PriceUsd string
	}
}

func (s *siege) marketBody() (body marketBody) {
	s.Helper()
	if status := s.get("/api/v1/market", &body); status != http.StatusOK {
		s.Fatalf("/market answers %d", status)
	}
	return body
}

// marketOf is what /market says: the dollars for a whole token of each verified
// token, and the state of the sources. A price that is no number is unknown.
func (s *siege) marketOf() (usd map[common.Address]float64, sources []sourceState) {
	s.Helper()
	body := s.marketBody()
	usd = map[common.Address]float64{}
	for _, t := range body.Tokens {
		if t.Verified {
			usd[t.Address], _ = strconv.ParseFloat(t.PriceUsd, 64)
		}
	}
	return usd, body.Sources
}

// priceOf is the dollars for a whole token, verified or not; 0 if unknown.
func (s *siege) priceOf(token common.Address) (usd float64) {
	s.Helper()
	for _, t := range s.marketBody().Tokens {
		if t.Address == token {
			usd, _ = strconv.ParseFloat(t.PriceUsd, 64)
		}
	}
	return usd
}

// moved is by how much prices differ at most, in basis points; a price that is gone
// or that there was not before has moved by all of it.
func moved(before, after map[common.Address]float64) (bps float64) {
	for token, was := range before {
		is := after[token]
		if was == is {
			continue
		}
		if was == 0 || is == 0 {
			bps = max(bps, 10_000)
			continue
		}
		bps = max(bps, 10_000*math.Abs(is/was-1))
	}
	return bps
}

// watch measures until stop is called for how long at most the service lacked a block
// that the chain had.
func (s *siege) watch() (stop func() (staleMs float64)) {
	end, result, failed := make(chan struct{}), make(chan time.Duration), s.Context().Done()
	go func() {
		var worst time.Duration
		came := map[uint64]time.Time{} // blocks that the service lacks
		last := s.chain.Head().Number.Uint64()
		for {
			for head := s.chain.Head().Number.Uint64(); last < head; {
				last++
				came[last] = time.Now()
			}
			served := s.served()
			for n, at := range came {
				if worst = max(worst, time.Since(at)); n <= served {
					delete(came, n)
				}
			}
			select {
			case <-end:
				result <- worst
				return
			case <-failed:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return func() float64 {
		s.caughtUp()
		close(end)
		return float64((<-result).Milliseconds())
	}
}

// rss is the memory of the service in bytes: the least of some moments, because what
// a collection leaves is what it holds.
func (s *siege) rss() float64 {
	least := s.field("status", "VmRSS:")
	for range s.settle {
		time.Sleep(blockTime)
		least = min(least, s.field("status", "VmRSS:"))
	}
	return 1024 * least
}

// cpuMs is the processor time of the service in milliseconds.
func (s *siege) cpuMs() float64 {
	const user, system, tick = 13, 14, 10 // fields of stat, from 0; milliseconds
	line := s.process("stat")
	fields := strings.Fields("0 0 " + line[strings.LastIndexByte(line, ')')+1:])
	a, _ := strconv.ParseFloat(fields[user], 64)
	b, _ := strconv.ParseFloat(fields[system], 64)
	return tick * (a + b)
}

// idleMs is the processor time that the service spends on an empty block.
func (s *siege) idleMs() float64 {
	s.catchUp()
	from, block := s.cpuMs(), s.chain.Head().Number.Uint64()
	for s.chain.Head().Number.Uint64() < block+uint64(s.idle) {
		time.Sleep(blockTime / 10)
	}
	s.catchUp()
	return (s.cpuMs() - from) / float64(s.idle)
}

// process is a file of /proc about the service.
func (s *siege) process(file string) string {
	s.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.service.Process.Pid, file))
	if err != nil || len(text) == 0 {
		log, _ := os.ReadFile(s.log)
		s.Fatalf("the service has ended: %s", log[max(0, len(log)-10_000):])
	}
	return string(text)
}

// field is a number that follows a word in a file of /proc about the service.
func (s *siege) field(file, word string) float64 {
	s.Helper()
	words := strings.Fields(s.process(file))
	at := slices.Index(words, word)
	if at < 0 {
		s.Fatalf("%s has no %s", file, word)
	}
	n, err := strconv.ParseFloat(words[at+1], 64)
	if err != nil {
		s.Fatal(err)
	}
	return n
}
