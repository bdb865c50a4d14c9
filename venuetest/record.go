package venuetest

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
	"braid/venue"
)

// scriptPools is how many pools a script has.
const scriptPools = 2

const scriptHeader = `# Swaps in pools of this family, and what they paid in an EVM. The contracts are those of the
# local chain: the venue's own where they are published. Written by UPDATE=1 go test -run TestScript.
#
#   event   declares an event of the contracts
#   pool    begins the history of a pool
#   emit    a log: the contract, the event, its indexed parameters, its data in words of 32 bytes
#   read    the answer to a call that the family makes, in words of 32 bytes; - if it reverted
#   swap    positions of the tokens in and out in the pool's list, amount in and amount out in raw
#           units; nothing: the contract refuses the swap. The logs of a swap follow it.
`

// recorder makes swaps in the pools of a family and writes them as a script.
type recorder struct {
	Executor
	staged   *staged
	declared map[common.Hash]string // declarations of events by topic
	used     map[string]bool        // declarations of those in the script
	pool     venue.Pool
	lines    []string
}

// record writes the script of a family.
func record(t *testing.T, family venue.Family, source *venue.Source, wrappedNative common.Address) {
	s := stage(t, family, source, wrappedNative)
	r := &recorder{Executor: s.NewExecutor(wrappedNative), staged: s, declared: declarations(s.Rig), used: map[string]bool{}}
	s.Must(Owner, wrappedNative, u256.One.Lsh(100), "WETH9", "deposit")
	for _, id := range slices.Sorted(maps.Keys(s.pools))[:min(scriptPools, len(s.pools))] {
		r.pool = nil
		r.lines = append(r.lines, "", "pool "+string(id))
		for _, log := range s.Logs {
			r.emit(id, log)
		}
		r.read()
		r.history()
	}
	declared := slices.Sorted(maps.Keys(r.used))
	text := scriptHeader + "\n" + strings.Join(append(declared, r.lines...), "\n") + "\n"
	if err := os.MkdirAll(filepath.Dir(scriptFile), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(scriptFile, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// declarations are the events of all builds.
func declarations(r *Rig) map[common.Hash]string {
	files, err := filepath.Glob("../../build/artifacts/[A-Z]*.json")
	if err != nil {
		r.Fatal(err)
	}
	all := map[common.Hash]string{}
	for _, file := range files {
		for _, e := range r.Artifact(strings.TrimSuffix(filepath.Base(file), ".json")).ABI.Events {
			all[e.ID] = e.String()
		}
	}
	return all
}

// emit applies a log to the pool and writes it, if it is one of the pool's.
func (r *recorder) emit(id venue.ID, log *types.Log) {
	e, err := r.staged.family.Decode(log)
	if err != nil {
		r.Fatal(err)
	}
	_, wide := e.(venue.SourceEvent)
	if e == nil || !wide && e.Pool() != id || wide && r.pool == nil {
		return
	}
	next, err := r.staged.family.Apply(r.pool, e)
	if errors.Is(err, venue.ErrUnknownPool) {
		return // of before the pool was created
	}
	if err != nil {
		r.Fatal(err)
	}
	r.pool = next
	declared := r.declared[log.Topics[0]]
	parsed, err := parseEvent(strings.TrimPrefix(declared, "event "))
	if err != nil || parsed.topic != log.Topics[0] {
		r.Fatalf("the topic of %q is not %s: %v", declared, log.Topics[0], err)
	}
	r.used[declared] = true
	words := slices.Clone(log.Topics[1:])
	for word := range slices.Chunk(log.Data, 32) {
		words = append(words, common.BytesToHash(word))
	}
	line := "emit " + log.Address.Hex() + " " + parsed.name
	for i, w := range words {
		if parsed.types == nil {
			line += " " + formatWord(w, "")
		} else {
			line += " " + parsed.names[i] + "=" + formatWord(w, parsed.types[i])
		}
	}
	r.lines = append(r.lines, line)
}

// read answers what the pool wants and writes the answers.
func (r *recorder) read() {
	loader, ok := r.staged.family.(venue.Loader)
	for ok && len(loader.Wants(r.pool)) > 0 {
		answers := r.staged.answers(loader.Wants(r.pool))
		for _, answer := range answers {
			line := "read"
			for word := range slices.Chunk(answer, 32) {
				line += " " + formatWord(common.BytesToHash(word), "")
			}
			if answer == nil {
				line += " -"
			}
			r.lines = append(r.lines, line)
		}
		next, err := loader.Load(r.pool, answers)
		if err != nil {
			r.Fatal(err)
		}
		r.pool = next
	}
}

// history makes swaps of one raw unit to a tenth of the pool's depth, one after the
// other, in both directions between its first two tokens.
func (r *recorder) history() {
	for _, part := range []float64{1e-4, 1e-3, 1e-2, 0, 0.1} {
		for in := range 2 {
			amount := roundAmount(u256.FromFloat(r.pool.Depth(in) * part))
			if part == 0 {
				amount = u256.One
			}
			if !amount.IsZero() {
				r.swap(in, 1-in, amount)
			}
		}
	}
}

// swap makes a swap and writes it and its logs. Taker gets the tokens from whoever
// has them: the owner, or the recipient of a swap before it.
func (r *recorder) swap(in, out int, amount u256.Int) {
	info := r.pool.Info()
	tokens := info.Tokens
	for _, holder := range []common.Address{Owner, recipient} {
		if !r.Holds(tokens[in], holder).Lt(amount) {
			r.Must(holder, tokens[in], u256.Zero, "Token", "transfer", Taker, amount.Big())
			break
		}
	}
	if r.Holds(tokens[in], Taker).Lt(amount) {
		return // nobody has as much of it
	}
	before := r.Holds(tokens[out], recipient)
	result, err := r.Swap(r.pool, in, out, amount)
	paid := "nothing"
	if err == nil {
		paid = r.Holds(tokens[out], recipient).Sub(before).String()
	}
	r.lines = append(r.lines, fmt.Sprintf("swap %d -> %d %s pays %s", in, out, amount, paid))
	for _, log := range result.Logs {
		r.emit(info.ID, log)
	}
	r.read()
}

// roundAmount keeps the first two digits of an amount.
func roundAmount(n u256.Int) u256.Int {
	text := n.String()
	if len(text) <= 2 {
		return n
	}
	return u256.MustDecimal(text[:2] + strings.Repeat("0", len(text)-2))
}
