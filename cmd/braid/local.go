package main

import (
	"context"

	"braid/calldata"
	"braid/chain"
	"braid/contracts"
	"braid/devchain"
	"braid/gas"
	"braid/monad"
)

// isLocal says whether the node is that of a devchain. There the data of package
// monad holds by construction, and gas costs what it does on Ethereum.
func isLocal(ctx context.Context, node *chain.Client) (bool, error) {
	return node.Runs(ctx, devchain.Software)
}

// verifiedHops says whether routes may pass only tokens of the token list. On a
// public chain anybody can make a token that can be bought and not be sold.
func (s *service) verifiedHops(local bool) bool {
	if s.hops != "" {
		return s.hops == "verified"
	}
	return !local
}

// contracts are Router and Executor, with the gas schedule of the setting or else
// of the chain. On a public chain tokens may be behind proxies, which costs gas.
func (s *service) contracts(local bool) calldata.Contracts {
	schedule := gas.Named(s.gasSchedule)
	if schedule == nil {
		if schedule = gas.Monad; local {
			schedule = gas.Ethereum
		}
	}
	router, executor := contracts.Addresses(monad.WrappedNative)
	return calldata.Contracts{Router: router, Executor: executor, WrappedNative: monad.WrappedNative, Permit2: contracts.Permit2, Schedule: schedule, Proxies: !local}
}
