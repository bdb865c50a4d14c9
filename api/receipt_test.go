package api

import (
	"context"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/google/go-cmp/cmp"

	"braid/u256"
)

// testReceipts are the transactions of the tests, by the first digit of their hashes.
func testReceipts(_ context.Context, hash common.Hash) (*Receipt, error) {
	r := &Receipt{To: testContracts.Router, Block: 19_000_120, GasUsed: 180_000, GasLimit: 200_000}
	switch hash[0] >> 4 {
	case 0xb:
		r.To = alice
	case 0xc:
	case 0xe:
		r.Failed, r.Revert = true, "the price moved"
	case 0xf:
		r.Pending = true
	case 0x2: // two swaps by another contract
		r.To = alice
		r.Logs = []*types.Log{swappedLog(testContracts.Router, 500), swappedLog(addr(7), 1), swappedLog(testContracts.Router, 990)}
	default:
		return nil, nil
	}
	return r, nil
}

// swappedLog is the Router's event.
func swappedLog(at common.Address, out uint64) *types.Log {
	word := func(a common.Address) common.Hash { return common.BytesToHash(a[:]) }
	l := &types.Log{Address: at, Topics: []common.Hash{swappedTopic, word(alice), word(wmon), word(usdc)}}
	for _, n := range []u256.Int{u256.From(1000), u256.From(out), u256.From(400)} {
		b := n.Bytes()
		l.Data = append(l.Data, b[:]...)
	}
	to := word(integrator)
	l.Data = append(l.Data, to[:]...)
	return l
}

func txHash(digit string) string {
	hash := "0x"
	for range 64 {
		hash += digit
	}
	return hash
}

func TestReceipt(t *testing.T) {
	s := serve(t)
	ask := func(digit, more string) (b receiptBody) {
		t.Helper()
		s.get("/api/v1/receipt?tx="+txHash(digit)+more).into(t, &b)
		return b
	}
	block, used, why, gain := uint64(19_000_120), "180000", "the price moved", -100.0
	swap := receivedBody{
		Sender: lowerHex(alice), TokenIn: lowerHex(wmon), TokenOut: lowerHex(usdc),
		AmountIn: "1000", AmountOut: "500", MinAmountOut: "400", Recipient: lowerHex(integrator),
	}
	second := swap
	second.AmountOut = "990"
	want := receiptBody{"swapped", &block, &used, "200000", []receivedBody{swap, second}, nil}
	if d := cmp.Diff(want, ask("2", "")); d != "" {
		t.Error(d)
	}
	second.Quoted, second.GainBps = "1000", &gain
	if d := cmp.Diff(second, ask("2", "&quoted=1000").Swaps[1]); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(receiptBody{"failed", &block, &used, "200000", []receivedBody{}, &why}, ask("e", "")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(receiptBody{"pending", nil, nil, "200000", []receivedBody{}, nil}, ask("f", "")); d != "" {
		t.Error(d)
	}
}

// TestReceiptBudget: no more requests than maxNodeCalls ask nodes at the same time.
func TestReceiptBudget(t *testing.T) {
	waiting, leave := make(chan struct{}), make(chan struct{})
	s := serve(t, func(c *Config) {
		c.Receipts = func(context.Context, common.Hash) (*Receipt, error) {
			waiting <- struct{}{}
			<-leave
			return nil, nil
		}
	})
	var g sync.WaitGroup
	for range maxNodeCalls {
		g.Go(func() { s.raw("GET", "/api/v1/receipt?tx="+txHash("a")) })
		<-waiting
	}
	var p problemBody
	if s.get("/api/v1/receipt?tx="+txHash("a")).into(t, &p); p.Code != overloaded {
		t.Errorf("%+v", p)
	}
	close(leave)
	g.Wait()
	go func() { <-waiting }()
	if s.get("/api/v1/receipt?tx="+txHash("a")).into(t, &p); p.Code != unknownTransaction {
		t.Errorf("after the others: %+v", p)
	}
}
