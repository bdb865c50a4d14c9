package venuetest

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/u256"
	"braid/venue"
)

// scriptFile holds the history of some pools of a family, as record wrote it.
const scriptFile = "testdata/swaps.txt"

// Script replays testdata/swaps.txt, whose amounts were paid by the venue's
// contracts in an EVM: the family, which gets nothing but the logs and the answers
// in the file, must quote the same. With UPDATE=1 in the environment it first makes
// the swaps again and writes the file.
func Script(t *testing.T, family venue.Family, source *venue.Source, wrappedNative common.Address) {
	if Setting(t, "UPDATE", 0) > 0 {
		record(t, family, source, wrappedNative)
	}
	replayFile(t, family, scriptFile)
}

// Published replays the outcomes that others published: the files of the family in
// the directory that the environment variable CORPUS names (docs/venues.md).
func Published(t *testing.T, name string, family venue.Family) {
	dir := os.Getenv("CORPUS")
	if dir == "" {
		t.Skip("CORPUS names no directory with outcomes that others published")
	}
	files, err := filepath.Glob(filepath.Join(dir, name, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Skipf("no outcomes of %s in %s: %v", name, dir, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			fmt.Printf("published: family=%s file=%s outcomes=%d\n", name, filepath.Base(file), replayFile(t, family, file))
		})
	}
}

// replayFile executes a script, and gives the number of its swaps.
func replayFile(t *testing.T, family venue.Family, file string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := replay{T: t, family: family, file: filepath.Base(file), events: map[string]eventType{}}
	for i, line := range strings.Split(string(text), "\n") {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if verb == "" || verb == "#" {
			continue
		}
		s.line = i + 1
		if err := s.step(verb, rest); err != nil {
			t.Fatalf("%s:%d: %v", s.file, s.line, err)
		}
	}
	if s.swaps == 0 {
		t.Fatalf("%s: no swaps", file)
	}
	return s.swaps
}

// replay is a script as far as it has been executed.
type replay struct {
	*testing.T
	family  venue.Family
	file    string
	line    int                  // number of the line that is executed
	events  map[string]eventType // by name
	pool    venue.Pool
	answers [][]byte // read, but fewer yet than the pool wants
	swaps   int
}

// step executes a line of a script.
func (s *replay) step(verb, rest string) (err error) {
	switch verb {
	case "event":
		e, err := parseEvent(rest)
		s.events[e.name] = e
		return err
	case "pool":
		s.pool = nil
		return nil
	case "emit":
		return s.emit(strings.Fields(rest))
	case "read":
		return s.read(strings.Fields(rest))
	case "swap":
		s.swaps++
		return s.swap(rest)
	case "buy":
		s.swaps++
		return s.buy(rest)
	}
	return fmt.Errorf("unknown line %q", verb)
}

// emit applies a log: its address, the event's name and its words.
func (s *replay) emit(fields []string) error {
	if len(fields) < 2 {
		return fmt.Errorf("a log needs an address and an event")
	}
	e, known := s.events[fields[1]]
	words, err := parseWords(fields[2:])
	if err != nil || !known || len(words) < e.indexed {
		return fmt.Errorf("%s with %d words (known: %v): %v", fields[1], len(words), known, err)
	}
	log := &types.Log{Address: common.HexToAddress(fields[0]), Topics: []common.Hash{e.topic}}
	for i, w := range words {
		if i < e.indexed {
			log.Topics = append(log.Topics, w)
		} else {
			log.Data = append(log.Data, w[:]...)
		}
	}
	decoded, err := s.family.Decode(log)
	if err != nil || decoded == nil {
		return fmt.Errorf("%s is decoded as %v: %v", e.name, decoded, err)
	}
	s.pool, err = s.family.Apply(s.pool, decoded)
	return err
}

// read is the answer to the next call that the pool wants; - for one that reverted.
func (s *replay) read(fields []string) (err error) {
	var answer []byte
	if len(fields) != 1 || fields[0] != "-" {
		answer = []byte{}
		words, err := parseWords(fields)
		if err != nil {
			return err
		}
		for _, w := range words {
			answer = append(answer, w[:]...)
		}
	}
	s.answers = append(s.answers, answer)
	loader, ok := s.family.(venue.Loader)
	if !ok || len(s.answers) < len(loader.Wants(s.pool)) {
		return nil
	}
	s.pool, err = loader.Load(s.pool, s.answers)
	s.answers = nil
	return err
}

// swap compares a quote with what the contract paid.
func (s *replay) swap(line string) error {
	var in, out int
	var amount, paid string
	if _, err := fmt.Sscanf(line, "%d -> %d %s pays %s", &in, &out, &amount, &paid); err != nil {
		return err
	}
	given, err := u256.FromDecimal(amount)
	if err != nil {
		return err
	}
	q, err := s.pool.Quote(in, out, given)
	ours := "nothing"
	if err == nil {
		ours = q.Out.String()
	}
	if ours != paid {
		s.Errorf("%s:%d: swap of %s from token %d to %d pays %s, quoted %s (%v)", s.file, s.line, amount, in, out, paid, ours, err)
	}
	return nil
}

// buy compares a swap for an exact amount out with quotes: the amount in that the
// contract took is the least that pays as much.
func (s *replay) buy(line string) error {
	var in, out int
	var amount, want string
	if _, err := fmt.Sscanf(line, "%d -> %d %s for %s", &in, &out, &amount, &want); err != nil {
		return err
	}
	taken, err := u256.FromDecimal(amount)
	if err != nil {
		return err
	}
	wanted, err := u256.FromDecimal(want)
	if err != nil {
		return err
	}
	pays := func(amount u256.Int) bool {
		q, err := s.pool.Quote(in, out, amount)
		return err == nil && q.Out.Cmp(wanted) >= 0
	}
	if !pays(taken) || pays(taken.Sub(u256.One)) {
		q, err := s.pool.Quote(in, out, taken)
		s.Errorf("%s:%d: %s of token %d for %s of token %d; quoted %v (%v)", s.file, s.line, amount, in, want, out, q.Out, err)
	}
	return nil
}

// eventType is an event as Solidity declares it.
type eventType struct {
	name    string
	topic   common.Hash
	indexed int      // how many of its parameters are topics
	names   []string // of the parameters, the indexed ones first; nil if one is dynamic
	types   []string
}

var (
	eventForm     = regexp.MustCompile(`^(\w+)\((.*)\)$`)
	parameterForm = regexp.MustCompile(`(\([^()]*\)[\[\]0-9]*|[\w\[\]]+)( indexed)?(?: (\w+))?`)
)

// parseEvent parses a declaration such as Sync(uint112 reserve0, uint112 reserve1).
// A tuple stands as the list of its types.
func parseEvent(text string) (e eventType, err error) {
	m := eventForm.FindStringSubmatch(text)
	if m == nil {
		return e, fmt.Errorf("%q declares no event", text)
	}
	e.name = m[1]
	var names, kinds [2][]string // of the data and of the topics
	var signature []string
	static := true
	for _, p := range parameterForm.FindAllStringSubmatch(m[2], -1) {
		i := 0
		if p[2] != "" {
			i = 1
		}
		signature = append(signature, p[1])
		names[i], kinds[i] = append(names[i], p[3]), append(kinds[i], p[1])
		static = static && (i == 1 || !strings.ContainsAny(p[1], "[(") && p[1] != "string" && p[1] != "bytes")
	}
	e.topic = crypto.Keccak256Hash([]byte(e.name + "(" + strings.Join(signature, ",") + ")"))
	e.indexed = len(names[1])
	if static {
		e.names, e.types = append(names[1], names[0]...), append(kinds[1], kinds[0]...)
	}
	return e, nil
}

// parseWords parses words as format writes them: decimal or hexadecimal numbers,
// each with or without a name and = before it.
func parseWords(fields []string) (words []common.Hash, err error) {
	for _, f := range fields {
		n, ok := new(big.Int).SetString(f[strings.LastIndexByte(f, '=')+1:], 0)
		if !ok || n.BitLen() > 256 {
			return nil, fmt.Errorf("%q is not a word", f)
		}
		if n.Sign() < 0 {
			n.Add(n, new(big.Int).Lsh(big.NewInt(1), 256))
		}
		words = append(words, common.BigToHash(n))
	}
	return words, nil
}

// formatWord writes a word of a type as a number; without a type, as an address or a
// hash if it has the length of one.
func formatWord(w common.Hash, kind string) string {
	n := w.Big()
	switch {
	case kind == "address" || kind == "" && n.BitLen() > 128 && n.BitLen() <= 160:
		return common.BytesToAddress(w[:]).Hex()
	case strings.HasPrefix(kind, "int") && w[0] == 0xff:
		return n.Sub(n, new(big.Int).Lsh(big.NewInt(1), 256)).String()
	case strings.HasPrefix(kind, "bytes") || kind == "" && n.BitLen() > 160:
		return w.Hex()
	}
	return n.String()
}
