package main

import (
	"braid/calldata"
	"braid/contracts"
	"braid/gas"
	"braid/monad"
)

// verifiedHops says whether routes may pass only tokens of the token list. On a
// public chain anybody can make a token that can be bought and not be sold.
func (s *service) verifiedHops() bool {
	if s.hops != "" {
		return s.hops == "verified"
	}
	return !s.local
}

// contracts are Router and Executor, with the gas schedule of the setting or else
// of the chain. On a public chain tokens may be behind proxies, which costs gas.
func (s *service) contracts() calldata.Contracts {
	schedule := gas.Named(s.gasSchedule)
	if schedule == nil {
		if schedule = gas.Monad; s.local {
			schedule = gas.Ethereum
		}
	}
	router, executor := contracts.Addresses(monad.WrappedNative)
	return calldata.Contracts{Router: router, Executor: executor, WrappedNative: monad.WrappedNative, Permit2: contracts.Permit2, Schedule: schedule, Proxies: !s.local}
}
