package graph_test

import (
	"math"
	"reflect"
	"testing"

	"braid/market"
	"braid/markettest"
	"braid/router/graph"
	"braid/venue"
)

// TestGraphFollows: whatever a market was derived from, block by block, with
// graphs of some blocks and not of others, over to other branches and back, its
// graph is that of the same pools and tokens on a clean sheet, and stays so.
func TestGraphFollows(t *testing.T) {
	shared, blocks := 0, 0
	for seed := range uint64(8) {
		b := markettest.NewEvolving(t, seed)
		branches := []*market.Snapshot{b.Open()}
		shown, was := branches[0], branches[0].Graph()
		for range 60 {
			s := b.Block(branches[b.IntN(len(branches))])
			if branches = append(branches, s); len(branches) > 4 {
				branches = branches[1:]
			}
			clean := b.Clean(s.Block().Number, s.Tokens(), s.Pools()).Graph()
			before := shown.Graph()
			if shown = s.After(shown); !reflect.DeepEqual(shown.Graph(), clean) {
				t.Fatalf("seed %d, block %d: another graph after one of any branch", seed, s.Block().Number)
			}
			if !reflect.DeepEqual(before, was) {
				t.Fatalf("seed %d, block %d: the graph before it has changed", seed, s.Block().Number)
			}
			if b.IntN(2) == 0 && !reflect.DeepEqual(s.Graph(), clean) {
				t.Fatalf("seed %d, block %d: another graph after that of a parent", seed, s.Block().Number)
			}
			if blocks++; &shown.Graph().Sources[0] == &before.Sources[0] {
				shared++
			}
			was = clean
		}
	}
	if shared < blocks/10 || shared > blocks*9/10 {
		t.Errorf("%d of %d graphs stand on the ground of the one before", shared, blocks)
	}
}

// TestUnchangedBlockKeepsGraph: a block that changes neither pools nor tokens has the
// graph of the one before, and any other has its own.
func TestUnchangedBlockKeepsGraph(t *testing.T) {
	b := markettest.NewEvolving(t, 3)
	s := b.Open()
	g := s.Graph()
	next := func(pools []venue.Pool, tokens []market.Token) *market.Graph {
		n, err := s.Next(market.Block{Number: s.Block().Number + 1}, pools, tokens)
		if err != nil {
			t.Fatal(err)
		}
		return n.After(s).Graph()
	}
	if next(nil, nil) != g {
		t.Error("a block without changes has another graph")
	}
	if next(s.Pools()[:1], nil) != g {
		t.Error("the same pools in another slice have another graph")
	}
	if next([]venue.Pool{b.Change(s.Pools()[0])}, nil) == g || next(nil, []market.Token{b.Token()}) == g {
		t.Error("a changed market has the old graph")
	}
}

// TestGraph: every direction that takes anything is an link, in its place by
// its value and by where one can go from its end, and can be found from both.
func TestGraph(t *testing.T) {
	for seed := range uint64(20) {
		b := markettest.NewEvolving(t, seed)
		s := b.Open()
		for range 40 {
			s = b.Block(s)
		}
		g := graph.Of(s)
		count := 0
		for _, p := range s.Pools() {
			for i, n := 0, len(p.Info().Tokens); i < n*n; i++ {
				if i/n != i%n && venue.SupplyOf(p, i/n, i%n) != nil {
					count++
				}
			}
		}
		if len(g.Links) != count {
			t.Fatalf("seed %d: %d links of %d directions that take anything", seed, len(g.Links), count)
		}
		for token := range s.Tokens() {
			checkLinks(t, s, token)
		}
	}
}

func checkLinks(t *testing.T, s *market.Snapshot, token int) {
	t.Helper()
	g, into := graph.Of(s), 0
	g.Into(token, func(from int, a *graph.Link) {
		into++
		info := s.Pools()[a.Pool].Info()
		if info.Tokens[a.In] != s.Tokens()[from].Address || int(a.To) != token {
			t.Errorf("token %d: an link of others leads into it", token)
		}
	})
	for i := range g.Links {
		if int(g.Links[i].To) == token {
			into--
		}
	}
	if into != 0 {
		t.Errorf("token %d: %+d links lead into it than there are", token, into)
	}
	bounds, hubs, start := g.Bounds(token, math.MaxInt)
	if len(g.ToHubs(token)) != hubs || len(g.ToHubs(token))+len(g.ToOthers(token)) != len(bounds) {
		t.Errorf("token %d: bounds are not those of hubs and others", token)
	}
	links := g.All(token)
	for i := range links {
		a := &links[i]
		p, to := s.Pools()[a.Pool], int(a.To)
		if info := p.Info(); info.Tokens[a.In] != s.Tokens()[token].Address || info.Tokens[a.Out] != s.Tokens()[to].Address ||
			g.Sources[int(a.Source)%len(g.Sources)] != info.Source || a.Spot != venue.SupplyOf(p, int(a.In), int(a.Out)).Spot() {
			t.Errorf("token %d: link %d is none of pool %s", token, i, info.ID)
		}
		if ratio := min(graph.MaxRatio, a.Spot*g.Ref[to]/g.Ref[token]); !near(a.Ratio, ratio) {
			t.Errorf("token %d: link %d raises by %g, not %g", token, i, a.Ratio, ratio)
		}
		if onward := min(graph.MaxRatio, a.Spot*g.Ref[to]/g.Ref[token]*best(g, to, token)); i >= hubs && !near(a.Onward, onward) {
			t.Errorf("token %d: link %d has %g behind it, not %g", token, i, a.Onward, onward)
		}
		if i > 0 && i != hubs && i < len(bounds) && a.Onward > links[i-1].Onward*(1+1e-6) {
			t.Errorf("token %d: link %d is better than the one before", token, i)
		}
		if i < len(bounds) && (bounds[i].To != a.To || &g.Links[start+i] != a || !near(float64(bounds[i].Back), back(g, token, a))) {
			t.Errorf("token %d: bound %d is not that of its link", token, i)
		}
		if (i < hubs) != g.IsHub(to) || i < len(bounds) && best(g, to, -1) == 0 || i >= len(bounds) && best(g, to, token) > 0 {
			t.Errorf("token %d: link %d is in a wrong part of the hubs", token, i)
		}
	}
}

// best is the highest ratio of an link out of a token that does not lead to another one.
func best(g *graph.Graph, token, but int) (ratio float64) {
	for _, a := range g.All(token) {
		if int(a.To) != but {
			ratio = max(ratio, a.Spot*g.Ref[a.To]/g.Ref[token])
		}
	}
	return ratio
}

// back is the ratio of the link the other bound; 0 if there is none.
func back(g *graph.Graph, token int, a *graph.Link) float64 {
	links := g.All(int(a.To))
	for i := range links {
		if b := &links[i]; b.Pool == a.Pool && int(b.To) == token {
			return b.Ratio
		}
	}
	return 0
}

// near allows for what 32-bit floats lose.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b)+1e-37 }
