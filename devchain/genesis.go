package devchain

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/contracts"
	"braid/evm"
	"braid/monad"
)

// create2Deployer is the runtime code of the deterministic deployment proxy at
// contracts.Deployer, which has no constructor.
var create2Deployer = hexutil.MustDecode("0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3")

// newSite is a genesis with funded accounts and what chain 143 has besides venues:
// the canonical contracts and the listed tokens.
func newSite(artifacts string) (*site, error) {
	s := &site{artifacts: artifacts, alloc: core.SystemContractAllocs(), scratch: evm.New(rules)}
	s.alloc[deployer] = types.Account{Balance: ether(1e15)}
	s.alloc[DevAccount] = types.Account{Balance: ether(1e9)}
	s.alloc[contracts.Deployer] = types.Account{Code: create2Deployer, Balance: new(big.Int), Nonce: 1}

	if err := cmp.Or(s.etch(contracts.Multicall3, "Multicall3"), s.etch(contracts.Permit2, "Permit2")); err != nil {
		return nil, err
	}
	for _, t := range monad.Tokens() {
		if t.Address == monad.WrappedNative {
			continue
		}
		init := contracts.Token.Init(t.Name, t.Symbol, t.Decimals, deployer, amountFor(t, supplyUSD).Big())
		if err := s.Etch(t.Address, init); err != nil {
			return nil, fmt.Errorf("token %s: %w", t.Symbol, err)
		}
	}
	return s, s.etchWrapped()
}

// etchWrapped places WETH9 as wrapped native. Its name and symbol are in its first
// two storage slots.
func (s *site) etchWrapped() error {
	if err := s.etch(monad.WrappedNative, "WETH9"); err != nil {
		return err
	}
	storage := s.alloc[monad.WrappedNative].Storage
	storage[common.Hash{}] = shortString("Wrapped MON")
	storage[common.Hash{31: 1}] = shortString("WMON")
	return nil
}

// etch places a contract of the artifacts, without constructor arguments.
func (s *site) etch(at common.Address, name string) error {
	init, err := s.Init(name)
	if err != nil {
		return err
	}
	return s.Etch(at, init)
}

// Init is the creation code of a contract of the artifacts, with arguments.
func (s *site) Init(name string, args ...any) ([]byte, error) {
	contract, err := contracts.Read(filepath.Join(s.artifacts, name+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no %s.json in %s: run `make artifacts`, or name the right folder with --artifacts", name, s.artifacts)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: run `make artifacts`", err)
	}
	return contract.Init(args...), nil
}

// Etch runs creation code in a scratch EVM, and places the code and the storage that
// result at an address of the genesis.
func (s *site) Etch(at common.Address, init []byte) error {
	if s.chain != nil {
		return fmt.Errorf("etch at %s: only possible before the chain runs", at)
	}
	account, err := s.scratch.Etch(deployer, at, init)
	if err != nil {
		return err
	}
	s.alloc[at] = account
	return nil
}

// shortString is a string of up to 31 bytes as Solidity stores it.
func shortString(text string) (slot common.Hash) {
	copy(slot[:31], text)
	slot[31] = byte(2 * len(text))
	return slot
}
