package chain

import (
	"context"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// HasCode tells whether a contract stands at an address by now.
func (c *Client) HasCode(ctx context.Context, a common.Address) (bool, error) {
	return agree(ctx, c, slowHedge, func(ctx context.Context, n *node) (bool, error) {
		var code hexutil.Bytes
		err := n.call(ctx, patience, &code, "eth_getCode", a, "latest")
		return len(code) > 0, err
	}, equal)
}
