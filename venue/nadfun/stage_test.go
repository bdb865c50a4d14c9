package nadfun

import (
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
	"braid/venue"
)

// TestStage: curves stand at the heights they should, and the holder has what
// each sold.
func TestStage(t *testing.T) {
	c := newContract(t)
	c.Fund(owner, u256.One.Lsh(100))
	if err := c.family.Etch(c); err != nil {
		t.Fatal(err)
	}
	if err := c.family.Open(c, nil); err != nil {
		t.Fatal(err)
	}
	curves := map[venue.ID][]*types.Log{}
	var ids []venue.ID
	for _, log := range c.Logs {
		e, err := c.family.Decode(log)
		if err != nil {
			t.Fatal(err)
		}
		if e == nil {
			continue
		}
		if curves[e.Pool()] == nil {
			ids = append(ids, e.Pool())
		}
		curves[e.Pool()] = append(curves[e.Pool()], log)
	}
	if len(ids) != len(launches) {
		t.Fatalf("%d curves, not %d", len(ids), len(launches))
	}
	for i, id := range ids {
		p, err := c.applied(nil, curves[id])
		if err != nil {
			t.Fatal(err)
		}
		l, idle := launches[i], ""
		switch {
		case l.graduates:
			idle = graduated
		case l.percent == 100:
			idle = locked
		}
		if p.Idle() != idle {
			t.Errorf("%s is idle for %q, not %q", l.symbol, p.Idle(), idle)
		}
		if open := p.Spot(mon, token) > 0; open != (idle == "") {
			t.Errorf("%s trades: %v", l.symbol, open)
		}
		if c.Holds(p.address, holder).IsZero() {
			t.Errorf("the holder has no %s", l.symbol)
		}
	}
}
