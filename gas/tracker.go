package gas

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
)

// Tracker follows the accesses of one transaction: it keeps which accounts and
// pages are warm and what was written. Account, Load and Store return what the
// access costs beyond a warm one, in gas.
type Tracker struct {
	schedule  *Schedule
	accounts  map[common.Address]bool
	pages     map[Slot]page
	slots     map[Slot]slot
	snapshots bool
	undo      []func() // since the first snapshot
}

// Slot is a word of an account's storage.
type Slot struct {
	At  common.Address
	Key u256.Int
}

// page is what a transaction has done to a page of storage.
type page struct {
	warm, written bool
	filled        int // slots that were empty and are not, less those the other way
	peak          int // the most that filled has been
}

// slot is the value of a slot before the transaction, and now.
type slot struct{ original, current u256.Int }

// NewTracker begins a transaction in which the given accounts are warm.
func NewTracker(s *Schedule, warm ...common.Address) *Tracker {
	t := &Tracker{schedule: s, accounts: map[common.Address]bool{}, pages: map[Slot]page{}, slots: map[Slot]slot{}}
	for _, a := range warm {
		t.accounts[a] = true
	}
	return t
}

// Schedule is the one it charges by.
func (t *Tracker) Schedule() *Schedule { return t.schedule }

// Account is an access to an account.
func (t *Tracker) Account(a common.Address) int64 {
	if t.accounts[a] {
		return 0
	}
	t.accounts[a] = true
	if t.snapshots {
		t.undo = append(t.undo, func() { delete(t.accounts, a) })
	}
	return t.schedule.coldAccount
}

// Load is a read of a slot.
func (t *Tracker) Load(s Slot) int64 {
	return t.touch(s, t.schedule.coldLoad)
}

// Store is a write of value to a slot that held was before the transaction. Only
// the first write of a slot looks at was.
func (t *Tracker) Store(s Slot, was, value u256.Int) int64 {
	cost := t.touch(s, t.schedule.coldStore)
	old, seen := t.slots[s]
	if !seen {
		old = slot{was, was}
	}
	key := t.page(s)
	oldPage := t.pages[key]
	p := oldPage
	cost += t.schedule.store(&p, old.original, old.current, value)
	t.pages[key] = p
	t.slots[s] = slot{old.original, value}
	if t.snapshots {
		t.undo = append(t.undo, func() { t.pages[key], t.slots[s] = oldPage, old })
	}
	return cost
}

func (t *Tracker) touch(s Slot, cold int64) int64 {
	key := t.page(s)
	p := t.pages[key]
	if p.warm {
		return 0
	}
	old := p
	p.warm = true
	t.pages[key] = p
	if t.snapshots {
		t.undo = append(t.undo, func() { t.pages[key] = old })
	}
	return cold
}

// page is the key of the slot's page.
func (t *Tracker) page(s Slot) Slot {
	return Slot{s.At, s.Key.Rsh(t.schedule.pageBits)}
}

// Snapshot is a state to which Revert can return.
func (t *Tracker) Snapshot() int {
	t.snapshots = true
	return len(t.undo)
}

// Revert returns to a snapshot: what a call did that reverted is cold again, and
// unwritten.
func (t *Tracker) Revert(to int) {
	for i := len(t.undo) - 1; i >= to; i-- {
		t.undo[i]()
	}
	t.undo = t.undo[:to]
}
