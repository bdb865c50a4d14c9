package calldata_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/calldata"
	"braid/contracts"
	"braid/plan"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

// read takes a route apart: its table, and each step in words.
func read(t *testing.T, route []byte) (table []common.Address, steps []string) {
	t.Helper()
	n := int(route[0])
	route = route[1:]
	for range n {
		table = append(table, common.BytesToAddress(route[:20]))
		route = route[20:]
	}
	for len(route) > 0 {
		share := "all"
		if s := binary.BigEndian.Uint32(route[3:7]); s != 0 {
			share = fmt.Sprint(s)
		}
		steps = append(steps, fmt.Sprintf("%02x %d>%d %s", route[0], route[1], route[2], share))
		if fee := binary.BigEndian.Uint16(route[27:29]); fee != 25 {
			t.Errorf("fee %d in the body", fee)
		}
		route = route[29:]
	}
	return table, steps
}

// inside is a pool in a shared contract that keeps accounts by token.
type inside struct {
	venue.Pool
	mark byte
}

func (p inside) Call(in, out int) venue.Call {
	tokens := p.Info().Tokens
	return venue.Call{Kind: 5, Body: []byte{1, p.mark}, JoinIn: tokens[in].Hex(), JoinOut: tokens[out].Hex()}
}

// TestJoined: steps that follow each other inside one contract are one step,
// and what passes between them is in no table. A split in between parts them.
func TestJoined(t *testing.T) {
	chain := run(t,
		plan.Step{Pool: inside{pool(1, a, b), 0xa1}, In: 0, Out: 1},
		plan.Step{Pool: inside{pool(2, b, c), 0xa2}, In: 0, Out: 1},
		plan.Step{Pool: pool(3, c, d), In: 0, Out: 1},
	)
	want := slices.Concat([]byte{1}, c[:],
		[]byte{5, 0, 2, 0, 0, 0, 0, 2, 0xa1}, b[:], []byte{0xa2},
		[]byte{0x81, 2, 1, 0, 0, 0, 0}, address(3).Bytes(), []byte{0, 25})
	if got := routeOf(t, chain); !bytes.Equal(got, want) {
		t.Errorf("joined:\n%x\nwant\n%x", got, want)
	}
	split := run(t,
		plan.Step{Pool: inside{pool(1, a, b), 0xa1}, In: 0, Out: 1},
		plan.Step{Pool: inside{pool(2, b, d), 0xa2}, In: 0, Out: 1, Share: 1 << 31},
		plan.Step{Pool: inside{pool(3, b, d), 0xa3}, In: 0, Out: 1},
	)
	want = slices.Concat([]byte{1}, b[:],
		[]byte{5, 0, 2, 0, 0, 0, 0, 1, 0xa1}, []byte{5, 2, 1, 128, 0, 0, 0, 1, 0xa2}, []byte{5, 2, 1, 0, 0, 0, 0, 1, 0xa3})
	if got := routeOf(t, split); !bytes.Equal(got, want) {
		t.Errorf("parted:\n%x\nwant\n%x", got, want)
	}
}

func routeOf(t *testing.T, p *plan.Plan) []byte {
	t.Helper()
	tx, err := at.Encode(p, calldata.Terms{Recipient: address(0x99), MinOut: u256.One})
	if err != nil {
		t.Fatal(err)
	}
	args, err := contracts.Router.ABI.Methods["swap"].Inputs.Unpack(tx.Data[4:])
	if err != nil {
		t.Fatal(err)
	}
	return args[7].([]byte)
}

// TestFullTable: a token's number is a byte, so a route has room for 256, and
// what it burns still adds up.
func TestFullTable(t *testing.T) {
	chain := func(tokens int) *plan.Plan {
		token := func(i int) common.Address { return common.Address{0: 1, 18: byte(i >> 8), 19: byte(i)} }
		source := &venue.Source{ID: "Fork", Type: venue.V2, Family: univ2.Name, Params: univ2.Fee(25)}
		var steps []plan.Step
		for i := range tokens - 1 {
			at := common.Address{0: 2, 18: byte(i >> 8), 19: byte(i)}
			steps = append(steps, plan.Step{Pool: univ2.NewPool(source, at, [2]common.Address{token(i), token(i + 1)}, u256.From(1e15), u256.From(2e15)), In: 0, Out: 1})
		}
		p, err := plan.Run(token(0), token(tokens-1), u256.From(1e9), steps)
		if err != nil {
			t.Fatal(err)
		}
		return &p
	}
	full := chain(129)
	table, steps := read(t, routeOf(t, full))
	if len(table) != 127 || len(steps) != 128 || steps[126] != "81 127>128 all" || steps[127] != "81 128>1 all" {
		t.Errorf("a table of %d, %d steps, the last %v", len(table), len(steps), steps[126:])
	}
	tx, err := at.Encode(full, calldata.Terms{})
	if err != nil || tx.Gas < full.Gas || tx.Gas > 2*full.Gas {
		t.Errorf("%d gas in the pools, a limit of %d: %v", full.Gas, tx.Gas, err)
	}
	if _, err := at.Encode(chain(130), calldata.Terms{}); err == nil {
		t.Error("130 tokens were encoded")
	}
}
