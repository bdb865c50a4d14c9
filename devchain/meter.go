package devchain

import (
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"braid/gas"
	"braid/u256"
)

// Need executes transactions in one block on top of the head, and returns for each
// schedule the least gas limit with which the last of them would do the same. The
// chain does not change.
func (c *Chain) Need(schedules []*gas.Schedule, txs ...*types.Transaction) ([]uint64, error) {
	head := c.Head()
	db, err := c.eth.BlockChain().StateAt(head.Root, head.Number, head.Time)
	if err != nil {
		return nil, err
	}
	block := core.NewEVMBlockContext(&types.Header{
		ParentHash: head.Hash(), Number: new(big.Int).Add(head.Number, common.Big1), Time: head.Time + 1,
		GasLimit: head.GasLimit, BaseFee: head.BaseFee, Difficulty: new(big.Int),
	}, c.eth.BlockChain(), &common.Address{})
	block.Random = &common.Hash{}
	for i, tx := range txs {
		msg, err := core.TransactionToMessage(tx, signer, head.BaseFee)
		if err != nil {
			return nil, err
		}
		if i == len(txs)-1 {
			return need(schedules, block, db, msg)
		}
		if _, err := apply(block, db, msg, nil); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("devchain: no transaction to measure")
}

func apply(block vm.BlockContext, db *state.StateDB, msg *core.Message, hooks *tracing.Hooks) (*core.ExecutionResult, error) {
	result, err := core.ApplyMessage(vm.NewEVM(block, db, rules, vm.Config{Tracer: hooks}), msg, core.NewGasPool(block.GasLimit))
	if err == nil {
		err = result.Err
	}
	db.Finalise(rules.Rules(block.BlockNumber, true, block.Time))
	return result, err
}

func need(schedules []*gas.Schedule, block vm.BlockContext, db *state.StateDB, msg *core.Message) ([]uint64, error) {
	warm := append([]common.Address{msg.From, *msg.To, block.Coinbase},
		vm.ActivePrecompiles(rules.Rules(block.BlockNumber, true, block.Time))...)
	m := &meter{state: db, machine: gas.NewTracker(gas.Ethereum, warm...)}
	for _, s := range schedules {
		m.books = append(m.books, &ledger{tracker: gas.NewTracker(s, warm...)})
	}
	if _, err := apply(block, db, msg, m.hooks()); err != nil {
		return nil, err
	}
	needs := make([]uint64, len(m.books))
	for i, b := range m.books {
		needs[i] = uint64(max(gas.Intrinsic(msg.Data)+b.need, gas.Floor(msg.Data)))
	}
	return needs, nil
}

// meter traces an execution by the EVM, which charges Ethereum's schedule, and keeps
// a ledger for each schedule: the EVM's own costs and, wherever the schedules
// differ, the difference.
type meter struct {
	state   tracing.StateDB
	machine *gas.Tracker // what the machine has warm
	frames  []call
	books   []*ledger
}

// call is a call frame of the EVM.
type call struct {
	to    common.Address
	given int64 // gas
	words int64 // of memory, 32 bytes each
	mark  int   // of the machine's tracker, when it began
	ran   bool  // it has executed opcodes: it is no precompile or account without code
}

// ledger is the gas of an execution on one schedule.
type ledger struct {
	tracker *gas.Tracker
	frames  []frame
	need    int64 // of the outermost frame, known when that has ended
}

// frame is a call frame in a ledger: the gas it has used, and the least gas that it
// must be given to get this far.
type frame struct {
	used, need int64
	mark       int   // of the tracker, when it began
	stipend    int64 // gas that the EVM added because of the value of the call
}

func (b *ledger) top() *frame { return &b.frames[len(b.frames)-1] }

func (m *meter) hooks() *tracing.Hooks {
	return &tracing.Hooks{OnEnter: m.enter, OnExit: m.exit, OnOpcode: m.opcode}
}

func (m *meter) enter(depth int, typ byte, _, to common.Address, _ []byte, given uint64, value *big.Int) {
	var stipend, passed int64
	creates := typ == byte(vm.CREATE) || typ == byte(vm.CREATE2)
	if depth > 0 && !creates {
		if typ != byte(vm.DELEGATECALL) && value != nil && value.Sign() > 0 {
			stipend = int64(params.CallStipend)
		}
		passed = int64(given) - stipend // the cost of the opcode includes it
	}
	m.frames = append(m.frames, call{to: to, given: int64(given), mark: m.machine.Snapshot()})
	for _, b := range m.books {
		if depth > 0 {
			b.top().used -= passed
		}
		b.frames = append(b.frames, frame{mark: b.tracker.Snapshot(), stipend: stipend})
	}
	if creates {
		m.touch(func(t *gas.Tracker) int64 { t.Account(to); return 0 })
	}
}

func (m *meter) exit(_ int, _ []byte, used uint64, err error, reverted bool) {
	done := m.frames[len(m.frames)-1]
	m.frames = m.frames[:len(m.frames)-1]
	if reverted {
		m.machine.Revert(done.mark)
	}
	for _, b := range m.books {
		f := *b.top()
		b.frames = b.frames[:len(b.frames)-1]
		switch {
		case err != nil && !errors.Is(err, vm.ErrExecutionReverted):
			f.used = done.given // such an error uses all gas
		case !done.ran:
			f.used = b.tracker.Schedule().Precompile(done.to, int64(used))
		}
		f.need = max(f.need, f.used)
		if reverted {
			b.tracker.Revert(f.mark)
		}
		if len(b.frames) == 0 {
			b.need = f.need
			continue
		}
		up := b.top()
		up.need = max(up.need, up.used+gas.Passing(f.need-f.stipend))
		up.used += f.used - f.stipend
	}
}

func (m *meter) opcode(_ uint64, code byte, _, cost uint64, scope tracing.OpContext, _ []byte, _ int, err error) {
	if err != nil {
		return // exit handles it
	}
	at := &m.frames[len(m.frames)-1]
	at.ran = true
	if words := int64(len(scope.MemoryData())) / 32; words > at.words {
		before := at.words
		at.words = words
		grown := func(s *gas.Schedule) int64 { return s.Memory(words) - s.Memory(before) }
		for _, b := range m.books {
			b.top().used += grown(b.tracker.Schedule()) - grown(gas.Ethereum)
		}
	}
	for _, b := range m.books {
		if f := b.top(); vm.OpCode(code) == vm.SSTORE {
			f.need = max(f.need, f.used+int64(params.SstoreSentryGasEIP2200)+1)
		}
		b.top().used += int64(cost)
	}
	if touch := m.touches(vm.OpCode(code), scope); touch != nil {
		m.touch(touch)
	}
}

// touch replaces in every ledger the EVM's price of an access by the schedule's.
func (m *meter) touch(what func(*gas.Tracker) int64) {
	charged := what(m.machine)
	for _, b := range m.books {
		b.top().used += what(b.tracker) - charged
	}
}

// touches is the access of an opcode on whose price schedules differ; nil if there
// is none.
func (m *meter) touches(op vm.OpCode, scope tracing.OpContext) func(*gas.Tracker) int64 {
	stack := scope.StackData()
	arg := func(i int) *uint256.Int { return &stack[len(stack)-1-i] }
	account := func(i int) func(*gas.Tracker) int64 {
		a := common.Address(arg(i).Bytes20())
		return func(t *gas.Tracker) int64 { return t.Account(a) }
	}
	switch op {
	case vm.BALANCE, vm.EXTCODESIZE, vm.EXTCODECOPY, vm.EXTCODEHASH, vm.SELFDESTRUCT:
		return account(0)
	case vm.CALL, vm.CALLCODE, vm.DELEGATECALL, vm.STATICCALL:
		return account(1)
	case vm.SLOAD, vm.SSTORE:
		key := arg(0).Bytes32()
		slot := gas.Slot{At: scope.Address(), Key: u256.FromBytes(key[:])}
		if op == vm.SLOAD {
			return func(t *gas.Tracker) int64 { return t.Load(slot) }
		}
		now, value := m.state.GetState(slot.At, key), arg(1).Bytes32()
		return func(t *gas.Tracker) int64 { return t.Store(slot, u256.FromBytes(now[:]), u256.FromBytes(value[:])) }
	}
	return nil
}
