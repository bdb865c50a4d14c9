package chain

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
)

// block is one of a branch; those of branch "" below 10 are common to all.
func block(name string) Header {
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

// TestCouncil plays looks at three nodes and says which head stands, and since
// how many looks the quorum has had nothing newer. A look is a node and what it
// shows: "b:12x"; "b!" is a failure, "b?11" the node's answer to a question.
func TestCouncil(t *testing.T) {
	for _, c := range []struct{ name, looks, head, age string }{
		{"one is not enough", "a:9", "", ""},
		{"two agree", "a:9 b:9", "9", "1"},
		{"the third confirms", "a:9 b:9 c:9", "9", "1"},
		{"one is ahead", "a:9 b:9 a:10", "9", "2"},
		{"the second follows", "a:9 b:9 a:10 b:10", "10", "1"},
		{"one lags for ever", "a:8 b:8 c:8 a:9 b:9 a:10 b:10 c:8", "10", "2"},
		{"a liar is far ahead", "a:9 b:9 c:99x a:10 b:10 c:100x", "10", "2"},
		{"a liar on another branch", "a:10 b:10 c:10x c:11x", "10", "3"},
		{"a gap is asked for", "a:7 b:8", "", ""},
		{"and told", "a:7 b:7 b:9 b?7", "7", "3"},
		{"and told to be another", "a:11 b:13x b?11x", "", ""},
		{"a reorg is seen by one", "a:11 b:11 a:11x", "", ""},
		{"a reorg is seen by two", "a:11 b:11 a:11x b:11x", "11x", "1"},
		{"to a shorter branch", "a:12 b:12 c:12 a:11x b:11x", "11x", "1"},
		{"the third clings to what was dropped", "a:11 b:11 c:11 a:11x b:11x c:11", "11x", "2"},
		{"ahead of us is no confirmation", "a:8 b:8 a:9 b:8 a:9 b:8 a:9 b:8", "8", "7"},
		{"silence of one", "a:9 b:9 c:9 c! c! c! c! c! a:9 b:9", "9", "1"},
		{"silence of two", "a:9 b:9 c:9 b! c! b! c! b! c! b! c! b! c! a:9", "", ""},
		{"nodes that take turns", "a:8 b:8 c:8 a:9 c:9 b:9 a:10 a:11 c:10", "10", "2"},
	} {
		council := &council{quorum: 2, seats: make([]seat, 3)}
		start := time.Unix(1_000_000, 0)
		at := func(i int) time.Time { return start.Add(time.Duration(i) * 300 * time.Millisecond) }
		looks := strings.Fields(c.looks)
		for i, l := range looks {
			node := int(l[0] - 'a')
			switch l[1] {
			case ':':
				council.look(look{node: node, head: block(l[2:]), at: at(i)})
			case '!':
				council.look(look{node: node, err: fmt.Errorf("node %d is silent", node), at: at(i)})
			case '?':
				h := block(l[2:])
				council.seats[node].told[h.Number] = h
			}
		}
		s, _ := council.head()
		if (s.Err != nil) != (c.head == "") {
			t.Errorf("%s: %d %v", c.name, s.Number, s.Err)
		} else if c.head != "" {
			if age := int(at(len(looks)).Sub(s.At) / (300 * time.Millisecond)); s.Header != block(c.head) || fmt.Sprint(age-1) != c.age {
				t.Errorf("%s: %d %s since %d", c.name, s.Number, s.Hash, age-1)
			}
		}
	}
}

// A node that shows one head for too long stands for it no more, until it shows
// another; nor does one that is catching up, and shows old ones.
func TestStuck(t *testing.T) {
	council := &council{quorum: 1, stuck: 30 * time.Second, seats: make([]seat, 1)}
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
		head := block(c.head)
		head.Time = uint64(start.Unix()) + uint64(c.made)
		council.look(look{head: head, at: start.Add(time.Duration(c.second) * time.Second)})
		if s, _ := council.head(); (s.Err == nil) != c.well {
			t.Errorf("after %d s: %d %v", c.second, s.Number, s.Err)
		}
	}
}

// A node that shows the right hash and other contents stands for nothing.
func TestContentsAreHeard(t *testing.T) {
	council := &council{quorum: 2, seats: make([]seat, 3)}
	twisted := block("9")
	twisted.Receipts = common.Hash{1}
	council.look(look{node: 0, head: twisted, at: time.Now()})
	council.look(look{node: 1, head: block("9"), at: time.Now()})
	if s, _ := council.head(); s.Err == nil {
		t.Fatal("a head of which there are two versions stands")
	}
	council.look(look{node: 2, head: block("9"), at: time.Now()})
	if s, _ := council.head(); s.Err != nil || s.Header != block("9") {
		t.Fatalf("%v %v", s.Header, s.Err)
	}
}

// A liar whose blocks are each other's parents keeps nobody from the head.
func TestBlocksInACircle(t *testing.T) {
	for _, circle := range [][]Header{
		{{Block: market.Block{Number: 100, Hash: common.Hash{1}, Parent: common.Hash{1}}}},
		{
			{Block: market.Block{Number: 100, Hash: common.Hash{1}, Parent: common.Hash{2}}},
			{Block: market.Block{Number: 101, Hash: common.Hash{2}, Parent: common.Hash{1}}},
		},
	} {
		council := &council{quorum: 2, seats: make([]seat, 3)}
		for _, h := range circle {
			council.look(look{node: 0, head: h, at: time.Now()})
		}
		council.look(look{node: 1, head: block("9"), at: time.Now()})
		council.look(look{node: 2, head: block("9"), at: time.Now()})
		if s, _ := council.head(); s.Err != nil || s.Header != block("9") {
			t.Errorf("%v %v", s.Header, s.Err)
		}
	}
}
