package main

import (
	"context"
	"strings"

	"braid/chain"
	"braid/devchain"
)

// verifiedHops says whether only tokens of the list may stand in mid-route.
// On a real chain anybody can make a token that takes trades and keeps the
// money; on a local chain of ours nobody does.
func (s *service) verifiedHops(ctx context.Context, node *chain.Client) (bool, error) {
	if s.hops != "" {
		return s.hops == "verified", nil
	}
	software, err := node.Version(ctx)
	return !strings.HasPrefix(software, devchain.Software), err
}
