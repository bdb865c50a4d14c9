package nadfun

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/contracts"
	"braid/u256"
	"braid/venue"
)

// site is a machine as a family finds it that sets itself up.
type site struct {
	*contract
	logs []*types.Log
}

func (s *site) Founder() common.Address { return owner }

func (s *site) Init(name string, args ...any) ([]byte, error) {
	c, err := contracts.Read("../../build/artifacts/" + name + ".json")
	if err != nil {
		return nil, err
	}
	return c.Init(args...), nil
}

func (s *site) Etch(at common.Address, init []byte) error {
	_, err := s.machine.Etch(owner, at, init)
	return err
}

func (s *site) Send(txs []venue.Tx) (logs [][]*types.Log, err error) {
	for _, tx := range txs {
		r, err := s.machine.Call(owner, tx.To, tx.Value, tx.Data)
		if err != nil {
			return nil, err
		}
		logs, s.logs = append(logs, r.Logs), append(s.logs, r.Logs...)
	}
	return logs, nil
}

// TestStage: curves stand at the heights they should, and the holder has what
// each sold.
func TestStage(t *testing.T) {
	c, err := newContract()
	if err != nil {
		t.Fatal(err)
	}
	s := &site{contract: c}
	c.machine.Fund(owner, u256.One.Lsh(100))
	if err := c.family.Etch(s); err != nil {
		t.Fatal(err)
	}
	if err := c.family.Open(s, nil); err != nil {
		t.Fatal(err)
	}
	curves := map[venue.ID][]*types.Log{}
	var ids []venue.ID
	for _, log := range s.logs {
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
		p, err := c.heard(nil, curves[id])
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
		r, err := c.machine.Call(owner, p.address, u256.Zero, pack(contracts.Token, "balanceOf", holder))
		if err != nil || u256.FromBytes(r.Return).IsZero() {
			t.Errorf("the holder has no %s: %v", l.symbol, err)
		}
	}
}
