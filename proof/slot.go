package proof

import (
	"context"
	"crypto/rand"
	"encoding/binary"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/chain"
	"braid/u256"
	"braid/venue"
)

// A token may refuse to sell in the transaction that bought it, against bots, and be
// honest. So a sale that is refused behind the purchase is tried alone, by a trader
// that is given the token: its balance is written into the token's storage, where
// that can be found.

// slotLayout is where a token keeps the balance of a holder; nil: not found.
type slotLayout func(holder common.Address) common.Hash

// layouts are the ways in which common token contracts keep balances.
var layouts = func() (list []slotLayout) {
	mapping := func(slot common.Hash, keyFirst bool) slotLayout {
		return func(holder common.Address) common.Hash {
			key := common.BytesToHash(holder[:])
			if keyFirst { // Solidity
				return crypto.Keccak256Hash(key[:], slot[:])
			}
			return crypto.Keccak256Hash(slot[:], key[:]) // Vyper
		}
	}
	for i := range 64 {
		slot := common.BytesToHash(binary.BigEndian.AppendUint64(nil, uint64(i)))
		list = append(list, mapping(slot, true), mapping(slot, false))
	}
	// ERC-7201 storage of OpenZeppelin's upgradeable ERC-20.
	list = append(list, mapping(common.HexToHash("0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00"), true))
	return append(list, func(holder common.Address) common.Hash { // Solady
		seed := [12]byte{8: 0x87, 0xa2, 0x11, 0xa2}
		return crypto.Keccak256Hash(holder[:], seed[:])
	})
}()

// balanceSlot finds where a token keeps balances: every candidate slot of one holder
// is given another value, and the balance tells which one it is.
func (t *trial) balanceSlot(ctx context.Context, token common.Address) (slotLayout, error) {
	t.mu.Lock()
	found, known := t.slots[token]
	t.mu.Unlock()
	if known {
		return found, nil
	}
	var holder common.Address
	rand.Read(holder[:])
	const base = 1 << 40
	storage := map[common.Hash]common.Hash{}
	for i, slot := range layouts {
		storage[slot(holder)] = u256.From(base + uint64(i)).Bytes()
	}
	answer, err := t.execute(ctx, t.snapshot.Block().Hash, chain.Execution{
		From: sender, To: token, Data: venue.Calldata("balanceOf(address)", holder[:]), Gas: 1_000_000,
		Accounts: map[common.Address]chain.Account{token: {Storage: storage}},
	})
	if err != nil && !chain.IsRefusal(err) {
		return nil, err
	}
	if n := u256.FromBytes(answer); err == nil && len(answer) == 32 && n.IsUint64() && n.Uint64()-base < uint64(len(layouts)) {
		found = layouts[n.Uint64()-base]
	}
	t.mu.Lock()
	t.slots[token] = found
	t.mu.Unlock()
	return found, nil
}

// sellAlone tries the last legs of trips again without what was before them, in the
// pool of the block. Where a token's storage is not understood the refusal stands.
func (t *trial) sellAlone(ctx context.Context, unsold []*trip) error {
	var list []*trip
	for _, r := range unsold {
		last := r.legs[len(r.legs)-1]
		slot, err := t.balanceSlot(ctx, last.TokenIn)
		if err != nil {
			return err
		}
		step := last.Steps[0]
		sale := swapLeg(r.pool, step.In, step.Out, last.AmountIn)
		if slot == nil || sale == nil {
			continue
		}
		r.next = &trip{pool: r.pool, legs: []leg{*sale}, holds: func(trader common.Address) map[common.Hash]common.Hash {
			return map[common.Hash]common.Hash{slot(trader): last.AmountIn.Bytes()}
		}}
		list = append(list, r.next)
	}
	return t.run(ctx, list)
}
