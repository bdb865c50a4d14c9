package devchain

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/holiman/uint256"

	"braid/gas"
)

var (
	alice = common.HexToAddress("0xa11ce")
	first = common.HexToAddress("0xf1")
	other = common.HexToAddress("0xf2")
)

// TestNeed compares the meter with costs computed by hand, on both schedules, and
// with the EVM: with the limit for Ethereum the code succeeds, and with one less it
// does not.
func TestNeed(t *testing.T) {
	const warm, push = 100, 3
	const sentry = 2_301 // gas that must be left before a store (EIP-2200)
	code := program.New
	store := func(p *program.Program, slot, value byte) *program.Program {
		return p.Push(value).Push(slot).Op(vm.SSTORE)
	}
	load := func(p *program.Program, slots ...byte) *program.Program {
		for _, slot := range slots {
			p.Push(slot).Op(vm.SLOAD)
		}
		return p
	}
	call := func(p *program.Program, to common.Address) *program.Program {
		return p.Push(0).Push(0).Push(0).Push(0).Push(to).Op(vm.GAS, vm.STATICCALL, vm.POP)
	}
	const calling = 5*push + 2 + 2 // and what it pops
	refuses := load(code(), 1).Push(0).Push(0).Op(vm.REVERT)

	for _, row := range []struct {
		name            string
		code            *program.Program
		ethereum, monad int64
	}{
		{"nothing", code().Op(vm.STOP), 0, 0},
		{"a slot", load(code(), 1), push + 2_100, push + 8_100},
		{"two slots of a page", load(code(), 1, 2), 2*push + 4_200, 2*push + 8_100 + warm},
		{"two slots of two pages", load(code(), 127, 128), 2*push + 4_200, 2*push + 16_200},
		{"a slot is filled", store(code(), 1, 1), 2*push + 22_100, 2*push + 8_100 + 2_800 + 17_000},
		{"two slots of a page are filled", store(store(code(), 1, 1), 2, 1), 4*push + 44_200, 4*push + 8_100 + 2_800 + 34_000 + warm},
		{"a slot is filled, emptied and filled", store(store(store(code(), 1, 1), 1, 0), 1, 2),
			6*push + 22_100 + warm + 20_000, 6*push + 8_100 + 2_800 + 17_000 + warm + sentry},
		{"a full slot is emptied for another of its page", store(store(code(), 9, 0), 1, 1),
			4*push + 5_000 + 22_100, 4*push + 8_100 + 2_800 + sentry},
		{"a full slot is changed twice", store(store(code(), 9, 1), 9, 2), 4*push + 5_000 + sentry, 4*push + 8_100 + 2_800 + sentry},
		{"nothing is changed", store(code(), 9, 9), 2*push + sentry, 2*push + 8_100},
		{"an account, twice", code().Push(0x99).Op(vm.BALANCE).Push(0x99).Op(vm.BALANCE), 2*push + 2_600 + warm, 2*push + 10_100 + warm},
		{"four words of memory", code().Push(1).Push(96).Op(vm.MSTORE, vm.STOP), 2*push + 3 + 12, 2*push + 3 + 2},
		// A call that needs n must be given n and a 63rd of it.
		{"a signature", call(code(), common.BytesToAddress([]byte{1})), calling - 2 + warm + 3_000 + 2_999/63, calling - 2 + warm + 6_000 + 5_999/63},
		{"what reverted is cold again", call(call(code(), other), other),
			2*calling + 2_600 + warm + 2*(2_100+3*push) + (2_109-1)/63 - 2,
			2*calling + 10_100 + warm + 2*(8_100+3*push) + (8_109-1)/63 - 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			schedules := []*gas.Schedule{gas.Ethereum, gas.Monad}
			got, err := need(schedules, testBlock(), testState(t, row.code, refuses), message(1_000_000))
			if err != nil {
				t.Fatal(err)
			}
			if want := uint64(21_000 + row.ethereum); got[0] != want {
				t.Errorf("ethereum: %d, want %d", got[0], want)
			}
			if want := uint64(21_000 + row.monad); got[1] != want {
				t.Errorf("monad: %d, want %d", got[1], want)
			}
			if _, err := apply(testBlock(), testState(t, row.code, refuses), message(got[0]), nil); err != nil {
				t.Errorf("with %d: %v", got[0], err)
			}
			// What it calls may fail without it.
			calls := bytes.Contains(row.code.Bytes(), []byte{byte(vm.STATICCALL)})
			if _, err := apply(testBlock(), testState(t, row.code, refuses), message(got[0]-1), nil); err == nil && !calls {
				t.Errorf("%d would do", got[0]-1)
			}
		})
	}
}

func testBlock() vm.BlockContext {
	return vm.BlockContext{
		CanTransfer: core.CanTransfer, Transfer: core.Transfer, GetHash: func(uint64) common.Hash { return common.Hash{} },
		BlockNumber: big.NewInt(1), Time: genesisTime, GasLimit: blockGas, BaseFee: new(big.Int), BlobBaseFee: new(big.Int),
		Difficulty: new(big.Int), Random: new(common.Hash),
	}
}

// testState has code at first, other code at other, and a value in slot 9 of first.
func testState(t *testing.T, code, further *program.Program) *state.StateDB {
	db, err := state.New(types.EmptyRootHash, state.NewDatabaseForTesting())
	if err != nil {
		t.Fatal(err)
	}
	db.AddBalance(alice, uint256.NewInt(1), tracing.BalanceChangeUnspecified)
	db.SetCode(first, code.Bytes(), tracing.CodeChangeUnspecified)
	db.SetState(first, common.BytesToHash([]byte{9}), common.BytesToHash([]byte{9}))
	db.SetCode(other, further.Bytes(), tracing.CodeChangeUnspecified)
	root, err := db.Commit(rules.Rules(big.NewInt(0), true, genesisTime), 0)
	if err != nil {
		t.Fatal(err)
	}
	if db, err = state.New(root, db.Database()); err != nil {
		t.Fatal(err)
	}
	return db
}

func message(limit uint64) *core.Message {
	return &core.Message{
		From: alice, To: &first, GasLimit: limit, Value: new(uint256.Int),
		GasPrice: new(uint256.Int), GasFeeCap: new(uint256.Int), GasTipCap: new(uint256.Int),
	}
}
