package main

import (
	"context"
	"strings"

	"braid/chain"
	"braid/devchain"
	"braid/gas"
)

// schedule is whose prices gas limits are named by: the setting, or those of
// the chain. Our own local chain has Ethereum's.
func (s *service) schedule(ctx context.Context, node *chain.Client) (*gas.Schedule, error) {
	if s.gasSchedule != "" {
		return gas.Named(s.gasSchedule), nil
	}
	software, err := node.Version(ctx)
	if strings.HasPrefix(software, devchain.Software) {
		return gas.Ethereum, err
	}
	return gas.Monad, err
}
