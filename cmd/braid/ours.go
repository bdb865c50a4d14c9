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

// ours says whether the node is a local chain of ours, where every source and
// token is what we think it is and gas costs what Ethereum asks.
func ours(ctx context.Context, node *chain.Client) (bool, error) {
	return node.Runs(ctx, devchain.Software)
}

// verifiedHops says whether only tokens of the list may stand in mid-route.
// On a real chain anybody can make a token that takes trades and keeps the
// money.
func (s *service) verifiedHops(ours bool) bool {
	if s.hops != "" {
		return s.hops == "verified"
	}
	return !ours
}

// contracts are ours, with limits named by the setting's gas prices or those
// of the chain.
func (s *service) contracts(ours bool) calldata.Contracts {
	schedule := gas.Named(s.gasSchedule)
	if schedule == nil {
		if schedule = gas.Monad; ours {
			schedule = gas.Ethereum
		}
	}
	router, executor := contracts.Addresses(monad.WrappedNative)
	return calldata.Contracts{Router: router, Executor: executor, WrappedNative: monad.WrappedNative, Permit2: contracts.Permit2, Schedule: schedule, Proxies: !ours}
}
