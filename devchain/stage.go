package devchain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/contracts"
	"braid/evm"
	"braid/monad"
	"braid/venue"
)

// site is the chain as its venues find it: first bare ground, then running.
type site struct {
	artifacts string // a directory
	alloc     types.GenesisAlloc
	scratch   *evm.Machine // where creation code runs
	ctx       context.Context
	chain     *Chain // nil before it runs
	nonce     uint64 // of the deployer
}

// What the accounts hold of each token, in dollars.
const (
	supplyUSD = 1_000_000_000
	devUSD    = 100_000_000
)

// stage deploys our contracts, hands out the money and opens the market.
func (s *site) stage(stagers []venue.Stager, listings []venue.Listing) error {
	router, _ := contracts.Addresses(monad.WrappedNative)
	for _, init := range [][]byte{contracts.RouterInit(monad.WrappedNative), contracts.ExecutorInit(router, monad.WrappedNative)} {
		deploy := venue.Tx{To: contracts.Deployer, Data: slices.Concat(contracts.Salt[:], init), Gas: 5_000_000}
		if _, err := s.Send([]venue.Tx{deploy}); err != nil {
			return fmt.Errorf("deploy our contracts: %w", err)
		}
	}
	if err := s.fund(); err != nil {
		return fmt.Errorf("fund accounts: %w", err)
	}
	for _, stager := range stagers {
		if err := stager.Open(s, listings); err != nil {
			return err
		}
	}
	return nil
}

// fund wraps native for the deployer and gives every token to the dev account.
func (s *site) fund() error {
	var txs []venue.Tx
	for _, t := range monad.Tokens() {
		if t.Address == monad.WrappedNative {
			txs = append(txs, venue.Tx{To: t.Address, Value: amountFor(t, supplyUSD), Gas: 100_000})
		}
		data, err := contracts.Token.ABI.Pack("transfer", DevAccount, amountFor(t, devUSD).Big())
		if err != nil {
			return err
		}
		txs = append(txs, venue.Tx{To: t.Address, Data: data, Gas: 100_000})
	}
	_, err := s.Send(txs)
	return err
}

func (s *site) Deployer() common.Address { return deployer }

// Send packs blocks by the gas the transactions may burn, so none overflows.
func (s *site) Send(txs []venue.Tx) ([][]*types.Log, error) {
	if s.chain == nil {
		return nil, errors.New("the chain does not run yet")
	}
	var logs [][]*types.Log
	for len(txs) > 0 {
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		var block []*types.Transaction
		var gas uint64
		for _, tx := range txs {
			if gas += tx.Gas; gas > blockGas && len(block) > 0 {
				break
			}
			block = append(block, Sign(deployerKey, s.nonce, tx))
			s.nonce++
		}
		receipts, err := s.chain.Mine(block...)
		if err != nil {
			return nil, err
		}
		for i, r := range receipts {
			if r.Status != types.ReceiptStatusSuccessful {
				return nil, fmt.Errorf("call of %s reverted after %d gas", txs[i].To, r.GasUsed)
			}
			logs = append(logs, r.Logs)
		}
		txs = txs[len(block):]
	}
	return logs, nil
}
