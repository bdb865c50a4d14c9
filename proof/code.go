package proof

import (
	"context"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/chain"
	"braid/contracts"
	"braid/u256"
	"braid/venue"
)

// Code is the code that a pool had when it was tried: of its own contract and, if that
// is a proxy by EIP-1967, of the implementation.
type Code struct {
	Own, Implementation common.Hash
}

// implementationSlot is where a proxy keeps the address of its implementation
// (EIP-1967).
var implementationSlot = common.BigToHash(new(big.Int).Sub(crypto.Keccak256Hash([]byte("eip1967.proxy.implementation")).Big(), big.NewInt(1)))

// readSlot is code that returns implementationSlot: PUSH32, SLOAD, PUSH0, MSTORE,
// PUSH1 32, PUSH0, RETURN.
var readSlot = append(append([]byte{0x7f}, implementationSlot[:]...), 0x54, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xf3)

// inspectAtOnce is the number of accounts inspected by one request; each takes up to
// 25,000 gas at Monad's prices.
const inspectAtOnce = 100

// contractOf is the contract whose code decides what a pool pays: its own, or that of
// the source.
func contractOf(p venue.Pool) common.Address {
	info := p.Info()
	if id := info.ID.Bytes(); !info.ID.IsText() && len(id) == common.AddressLength {
		return common.Address(id)
	}
	return info.Source.Factory
}

// Codes are the codes of pools after a block.
func (p *Prover) Codes(ctx context.Context, block common.Hash, pools []venue.Pool) ([]Code, error) {
	codes := make([]Code, len(pools))
	accounts := make([]common.Address, len(pools))
	for i, pool := range pools {
		accounts[i] = contractOf(pool)
	}
	own, _, err := p.inspect(ctx, block, accounts, nil)
	if err != nil {
		return nil, err
	}
	_, slots, err := p.inspect(ctx, block, accounts, readSlot)
	if err != nil {
		return nil, err
	}
	var behind []common.Address
	var of []int
	for i := range codes {
		codes[i].Own = own[i]
		if a := common.BytesToAddress(slots[i][:]); a != (common.Address{}) {
			behind, of = append(behind, a), append(of, i)
		}
	}
	if len(behind) == 0 {
		return codes, nil
	}
	implementations, _, err := p.inspect(ctx, block, behind, nil)
	if err != nil {
		return nil, err
	}
	for k, i := range of {
		codes[i].Implementation = implementations[k]
	}
	return codes, nil
}

// inspect is the hash of the code of each account, and what a call of it returns. code,
// unless nil, replaces theirs.
func (p *Prover) inspect(ctx context.Context, block common.Hash, list []common.Address, code []byte) (codes, words []common.Hash, err error) {
	for len(list) > 0 {
		n := min(len(list), inspectAtOnce)
		data, err := contracts.Trial.ABI.Pack("inspect", list[:n])
		if err != nil {
			return nil, nil, fmt.Errorf("proof: %w", err)
		}
		accounts := map[common.Address]chain.Account{sender: {Balance: u256.One}, chain.Lens: {Code: contracts.Trial.Code}}
		for _, a := range list[:n] {
			if code != nil {
				accounts[a] = chain.Account{Code: code}
			}
		}
		answer, err := p.execute(ctx, block, chain.Execution{From: sender, To: chain.Lens, Data: data, Gas: p.gasLimit(), Accounts: accounts})
		if err != nil {
			return nil, nil, err
		}
		out, err := contracts.Trial.ABI.Unpack("inspect", answer)
		if err != nil {
			return nil, nil, fmt.Errorf("proof: %w", err)
		}
		for i, hash := range out[0].([][32]byte) {
			codes, words = append(codes, hash), append(words, out[1].([][32]byte)[i])
		}
		list = list[n:]
	}
	return codes, words, nil
}

// recordCode notes the code of the pools that are proved.
func (t *trial) recordCode(ctx context.Context, subjects []*subject) error {
	var pools []venue.Pool
	var of []*Verdict
	for _, j := range subjects {
		if j.tried && j.verdict.Status == Proved {
			pools, of = append(pools, j.pool), append(of, j.verdict)
		}
	}
	if len(pools) == 0 {
		return nil
	}
	codes, err := t.Codes(ctx, t.snapshot.Block().Hash, pools)
	if err != nil {
		return err
	}
	for i, v := range of {
		v.Code = codes[i]
	}
	return nil
}
