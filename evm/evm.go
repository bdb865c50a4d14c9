// Package evm is a bare EVM in memory: contracts run in it without a chain around them.
//
// Tests compare our arithmetic with the contracts' own in it, and the local
// chain builds the accounts of its genesis with it.
package evm

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"braid/u256"
)

// gasLimit is the gas limit of a call at first: the most a transaction has on
// Monad.
const gasLimit = 30_000_000

// Rules are Osaka's, whose opcodes are Monad's, under the given chain ID.
func Rules(chainID int64) *params.ChainConfig {
	c := *params.AllDevChainProtocolChanges
	c.ChainID = big.NewInt(chainID)
	c.BogotaTime = nil
	return &c
}

// Machine holds accounts and runs calls on them, one after the other.
type Machine struct {
	Time, Number uint64         // of the block that all calls are in
	Gas          uint64         // limit of a call
	Tracer       *tracing.Hooks // of all calls, if any

	config  *params.ChainConfig
	state   *state.StateDB
	undoing bool
}

// New is a machine without accounts.
func New(config *params.ChainConfig) *Machine {
	db, err := state.New(types.EmptyRootHash, state.NewDatabaseForTesting())
	if err != nil {
		panic(err) // an empty state in memory
	}
	return &Machine{Time: 1_760_000_000, Number: 1, Gas: gasLimit, config: config, state: db}
}

// Result is what a call returned and did.
type Result struct {
	Return []byte
	Gas    uint64 // used, before refunds; without that of a transaction itself
	Logs   []*types.Log
}

// Call runs one call; what it changed stays unless it failed.
func (m *Machine) Call(from, to common.Address, value u256.Int, data []byte) (Result, error) {
	defer m.settle()
	return m.run(m.state, from, func(e *vm.EVM) ([]byte, vm.GasBudget, error) {
		return e.Call(from, to, data, vm.NewGasBudget(m.Gas, 0), native(value))
	})
}

// Transact is Call as a whole transaction, with its intrinsic gas, limited to
// gasLimit; without to it deploys creation code. The nonce of the sender rises.
func (m *Machine) Transact(from common.Address, to *common.Address, value u256.Int, data []byte, gasLimit uint64) (Result, error) {
	defer m.settle()
	e := vm.NewEVM(m.block(), m.state, m.config, vm.Config{Tracer: m.Tracer})
	logged := len(m.state.Logs())
	out, err := core.ApplyMessage(e, &core.Message{
		From: from, To: to, Nonce: m.state.GetNonce(from), Value: native(value), Data: data,
		GasLimit: gasLimit, GasPrice: new(uint256.Int), GasFeeCap: new(uint256.Int), GasTipCap: new(uint256.Int),
	}, nil)
	if err != nil {
		return Result{}, err
	}
	r := Result{Return: out.ReturnData, Gas: out.MaxUsedGas, Logs: m.state.Logs()[logged:]}
	if out.Err != nil {
		return r, &Reverted{Data: out.ReturnData, cause: out.Err}
	}
	return r, nil
}

// Create deploys creation code where the sender's nonce says.
func (m *Machine) Create(from common.Address, init []byte) (common.Address, error) {
	defer m.settle()
	at := crypto.CreateAddress(from, m.state.GetNonce(from))
	_, err := m.run(m.state, from, func(e *vm.EVM) ([]byte, vm.GasBudget, error) {
		ret, _, left, err := e.Create(from, init, vm.NewGasBudget(m.Gas, 0), new(uint256.Int))
		return ret, left, err
	})
	return at, err
}

// Create2 deploys creation code where sender, salt and code say.
func (m *Machine) Create2(from common.Address, init []byte, salt common.Hash) (common.Address, error) {
	defer m.settle()
	at := crypto.CreateAddress2(from, salt, crypto.Keccak256(init))
	_, err := m.run(m.state, from, func(e *vm.EVM) ([]byte, vm.GasBudget, error) {
		ret, _, left, err := e.Create2(from, init, vm.NewGasBudget(m.Gas, 0), new(uint256.Int), new(uint256.Int).SetBytes(salt[:]))
		return ret, left, err
	})
	return at, err
}

// Undo takes back whatever do changes. The calls in it share one transaction:
// what one of them warmed is warm for the next.
func (m *Machine) Undo(do func()) {
	m.prepare(common.Address{})
	before := m.state.Snapshot()
	m.undoing = true
	do()
	m.undoing = false
	m.state.RevertToSnapshot(before)
}

// Etch runs creation code as the code of an account of choice, leaves there
// what it returns, and says what it stored.
func (m *Machine) Etch(from, at common.Address, init []byte) (types.Account, error) {
	m.state.SetCode(at, init, tracing.CodeChangeUnspecified)
	m.state.SetNonce(at, 1, tracing.NonceChangeUnspecified)
	storage := map[common.Hash]common.Hash{}
	hooks := &tracing.Hooks{OnStorageChange: func(a common.Address, slot, _, now common.Hash) {
		if a == at {
			storage[slot] = now
		}
	}}
	r, err := m.run(state.NewHookedState(m.state, hooks), from, func(e *vm.EVM) ([]byte, vm.GasBudget, error) {
		return e.Call(from, at, nil, vm.NewGasBudget(m.Gas, 0), new(uint256.Int))
	})
	if err != nil {
		return types.Account{}, fmt.Errorf("etch at %s: %w", at, err)
	}
	m.state.SetCode(at, r.Return, tracing.CodeChangeUnspecified)
	m.settle()
	return types.Account{Code: r.Return, Storage: storage, Balance: new(big.Int), Nonce: 1}, nil
}

// Fund gives an account native currency.
func (m *Machine) Fund(who common.Address, amount u256.Int) {
	m.state.AddBalance(who, native(amount), tracing.BalanceChangeUnspecified)
	m.settle()
}

// Nonce is how many transactions an account has sent.
func (m *Machine) Nonce(who common.Address) uint64 { return m.state.GetNonce(who) }

// Code is the code of an account.
func (m *Machine) Code(at common.Address) []byte { return m.state.GetCode(at) }

// Logs are those of all calls so far that did not revert.
func (m *Machine) Logs() []*types.Log { return m.state.Logs() }

// ChainID is that of the rules.
func (m *Machine) ChainID() *big.Int { return m.config.ChainID }

// Balance is what an account has of native currency, in wei.
func (m *Machine) Balance(who common.Address) u256.Int {
	b := m.state.GetBalance(who).Bytes32()
	return u256.FromBytes(b[:])
}

// block is the block that all calls are in.
func (m *Machine) block() vm.BlockContext {
	return vm.BlockContext{
		CanTransfer: core.CanTransfer, Transfer: core.Transfer,
		GetHash:     func(uint64) common.Hash { return common.Hash{} },
		BlockNumber: new(big.Int).SetUint64(m.Number), Time: m.Time, GasLimit: m.Gas,
		BaseFee: new(big.Int), BlobBaseFee: new(big.Int), Difficulty: new(big.Int), Random: new(common.Hash),
	}
}

func (m *Machine) run(db vm.StateDB, from common.Address, do func(*vm.EVM) ([]byte, vm.GasBudget, error)) (Result, error) {
	e := vm.NewEVM(m.block(), db, m.config, vm.Config{Tracer: m.Tracer})
	e.SetTxContext(vm.TxContext{Origin: from, GasPrice: new(uint256.Int)})
	if !m.undoing {
		m.prepare(from)
	}
	logged := len(m.state.Logs())
	ret, left, err := do(e)
	r := Result{Return: ret, Gas: m.Gas - left.ExecutionGas, Logs: m.state.Logs()[logged:]}
	if err != nil {
		return r, &Reverted{Data: ret, cause: err}
	}
	return r, nil
}

// prepare begins a transaction: nothing is warm, nothing transient.
func (m *Machine) prepare(from common.Address) {
	rules := m.rules()
	m.state.Prepare(rules, from, common.Address{}, nil, vm.ActivePrecompiles(rules), nil)
}

// settle ends a transaction, unless it is to be undone.
func (m *Machine) settle() {
	if !m.undoing {
		m.state.Finalise(m.rules())
	}
}

func (m *Machine) rules() params.Rules {
	return m.config.Rules(new(big.Int).SetUint64(m.Number), true, m.Time)
}

func native(amount u256.Int) *uint256.Int {
	b := amount.Bytes()
	return new(uint256.Int).SetBytes(b[:])
}

// Reverted is the error of a call that failed, with the data it returned.
type Reverted struct {
	Data  []byte
	cause error
}

func (r *Reverted) Error() string {
	if text, err := abi.UnpackRevert(r.Data); err == nil {
		return "reverted: " + text
	}
	if len(r.Data) > 0 {
		return fmt.Sprintf("reverted: %#x", r.Data)
	}
	return r.cause.Error()
}

// IsReverted tells that a contract reverted, as opposed to a fault of the
// machine.
func IsReverted(err error) bool {
	var r *Reverted
	return errors.As(err, &r)
}
