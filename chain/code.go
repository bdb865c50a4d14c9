package chain

import (
	"context"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// HasCode tells whether there is a contract at an address, at the latest block.
func (c *Client) HasCode(ctx context.Context, a common.Address) (bool, error) {
	return askQuorum(ctx, c, slowHedgeDelay, func(ctx context.Context, n *node) (bool, error) {
		var code hexutil.Bytes
		err := n.call(ctx, longTimeout, &code, "eth_getCode", a, "latest")
		return len(code) > 0, err
	}, equal)
}
