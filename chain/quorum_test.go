package chain

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
)

// namedHeader is the header of a block named by number and branch, such as "12x".
// Blocks below 10 are common to all branches.
func namedHeader(name string) Header {
	var number uint64
	var branch string
	fmt.Sscanf(name, "%d%s", &number, &branch)
	hash := func(n uint64) common.Hash {
		if n < 10 {
			return common.BytesToHash(fmt.Appendf(nil, "%d", n))
		}
		return common.BytesToHash(fmt.Appendf(nil, "%d%s", n, branch))
	}
	return Header{Block: market.Block{Number: number, Hash: hash(number), Parent: hash(number - 1)}}
}

// TestHeadQuorum gives observations of three nodes, 300 ms apart, and checks the
// head and its age: how many observations ago it was confirmed by a quorum. An
// observation names a node and its head: "b:12x"; "b!" is a failure of the node,
// "b?11" its answer to a query for an ancestor.
func TestHeadQuorum(t *testing.T) {
	for _, c := range []struct{ name, observations, head, age string }{
		{"one is not enough", "a:9", "", ""},
		{"two agree", "a:9 b:9", "9", "1"},
		{"the third confirms", "a:9 b:9 c:9", "9", "1"},
		{"one is ahead", "a:9 b:9 a:10", "9", "2"},
		{"the second follows", "a:9 b:9 a:10 b:10", "10", "1"},
		{"one lags for ever", "a:8 b:8 c:8 a:9 b:9 a:10 b:10 c:8", "10", "2"},
		{"a forged head is far ahead", "a:9 b:9 c:99x a:10 b:10 c:100x", "10", "2"},
		{"a forged branch", "a:10 b:10 c:10x c:11x", "10", "3"},
		{"a gap is unknown", "a:7 b:8", "", ""},
		{"a gap is answered", "a:7 b:7 b:9 b?7", "7", "3"},
		{"a gap is answered with another block", "a:11 b:13x b?11x", "", ""},
		{"a reorg is seen by one", "a:11 b:11 a:11x", "", ""},
		{"a reorg is seen by two", "a:11 b:11 a:11x b:11x", "11x", "1"},
		{"to a shorter branch", "a:12 b:12 c:12 a:11x b:11x", "11x", "1"},
		{"the third keeps reporting the dropped block", "a:11 b:11 c:11 a:11x b:11x c:11", "11x", "2"},
		{"a node that is ahead does not confirm", "a:8 b:8 a:9 b:8 a:9 b:8 a:9 b:8", "8", "7"},
		{"one fails", "a:9 b:9 c:9 c! c! c! c! c! a:9 b:9", "9", "1"},
		{"two fail", "a:9 b:9 c:9 b! c! b! c! b! c! b! c! b! c! a:9", "", ""},
		{"nodes that take turns", "a:8 b:8 c:8 a:9 c:9 b:9 a:10 a:11 c:10", "10", "2"},
	} {
		heads := &headQuorum{quorum: 2, voters: make([]voter, 3)}
		start := time.Unix(1_000_000, 0)
		at := func(i int) time.Time { return start.Add(time.Duration(i) * 300 * time.Millisecond) }
		observations := strings.Fields(c.observations)
		for i, l := range observations {
			node := int(l[0] - 'a')
			switch l[1] {
			case ':':
				heads.observe(observation{node: node, head: namedHeader(l[2:]), at: at(i)})
			case '!':
				heads.observe(observation{node: node, err: fmt.Errorf("node %d fails", node), at: at(i)})
			case '?':
				h := namedHeader(l[2:])
				heads.voters[node].ancestors[h.Number] = h
			}
		}
		s, _ := heads.head()
		if (s.Err != nil) != (c.head == "") {
			t.Errorf("%s: %d %v", c.name, s.Number, s.Err)
		} else if c.head != "" {
			if age := int(at(len(observations)).Sub(s.ConfirmedAt) / (300 * time.Millisecond)); s.Header != namedHeader(c.head) || fmt.Sprint(age-1) != c.age {
				t.Errorf("%s: %d %s since %d", c.name, s.Number, s.Hash, age-1)
			}
		}
	}
}

// A node that reports the same head for longer than stuckAfter, or heads older
// than that, counts as failed until it reports a new one.
func TestStuck(t *testing.T) {
	heads := &headQuorum{quorum: 1, stuckAfter: 30 * time.Second, voters: make([]voter, 1)}
	start := time.Unix(1_000_000, 0)
	for _, c := range []struct {
		second int
		head   string
		made   int
		well   bool
	}{
		{0, "9", 0, true}, {30, "9", 0, true}, {31, "9", 0, true}, {32, "9", 0, false}, {60, "9", 0, false},
		{61, "10", 60, true}, {90, "10", 60, true}, {93, "10", 60, false},
		{94, "11", 61, false}, {95, "12", 62, false}, {96, "40", 95, true},
	} {
		head := namedHeader(c.head)
		head.Time = uint64(start.Unix()) + uint64(c.made)
		heads.observe(observation{head: head, at: start.Add(time.Duration(c.second) * time.Second)})
		if s, _ := heads.head(); (s.Err == nil) != c.well {
			t.Errorf("after %d s: %d %v", c.second, s.Number, s.Err)
		}
	}
}

// A header with the right hash and other contents gets no vote for that hash.
func TestHeaderContentsCount(t *testing.T) {
	heads := &headQuorum{quorum: 2, voters: make([]voter, 3)}
	twisted := namedHeader("9")
	twisted.ReceiptsRoot = common.Hash{1}
	heads.observe(observation{node: 0, head: twisted, at: time.Now()})
	heads.observe(observation{node: 1, head: namedHeader("9"), at: time.Now()})
	if s, _ := heads.head(); s.Err == nil {
		t.Fatal("a head of which there are two versions is confirmed")
	}
	heads.observe(observation{node: 2, head: namedHeader("9"), at: time.Now()})
	if s, _ := heads.head(); s.Err != nil || s.Header != namedHeader("9") {
		t.Fatalf("%v %v", s.Header, s.Err)
	}
}

// Forged blocks that are each other's parents do not keep votesFor from ending.
func TestParentCycle(t *testing.T) {
	for _, circle := range [][]Header{
		{{Block: market.Block{Number: 100, Hash: common.Hash{1}, Parent: common.Hash{1}}}},
		{
			{Block: market.Block{Number: 100, Hash: common.Hash{1}, Parent: common.Hash{2}}},
			{Block: market.Block{Number: 101, Hash: common.Hash{2}, Parent: common.Hash{1}}},
		},
	} {
		heads := &headQuorum{quorum: 2, voters: make([]voter, 3)}
		for _, h := range circle {
			heads.observe(observation{node: 0, head: h, at: time.Now()})
		}
		heads.observe(observation{node: 1, head: namedHeader("9"), at: time.Now()})
		heads.observe(observation{node: 2, head: namedHeader("9"), at: time.Now()})
		if s, _ := heads.head(); s.Err != nil || s.Header != namedHeader("9") {
			t.Errorf("%v %v", s.Header, s.Err)
		}
	}
}
