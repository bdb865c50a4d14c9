package chain

import (
	"context"
	"errors"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
)

// Transaction is one that was sent, with its receipt once it is in a block.
type Transaction struct {
	From        common.Address  `json:"from"`
	To          *common.Address `json:"to"` // nil: it makes a contract
	Data        hexutil.Bytes   `json:"input"`
	Value       *hexutil.Big    `json:"value"`
	Gas         hexutil.Uint64  `json:"gas"`         // limit
	BlockNumber *hexutil.Big    `json:"blockNumber"` // nil: it is pending
	Receipt     *types.Receipt  `json:"-"`
}

// Transaction is the transaction with a hash, as a quorum of nodes knows it; nil if
// they know none.
func (c *Client) Transaction(ctx context.Context, hash common.Hash) (*Transaction, error) {
	return askQuorum(ctx, c, slowHedgeDelay, func(ctx context.Context, n *node) (*Transaction, error) {
		var tx *Transaction
		if err := n.call(ctx, longTimeout, &tx, "eth_getTransactionByHash", hash); err != nil || tx == nil || tx.BlockNumber == nil {
			return tx, err
		}
		err := n.call(ctx, longTimeout, &tx.Receipt, "eth_getTransactionReceipt", hash)
		if tx.Receipt == nil {
			tx.BlockNumber = nil
		}
		return tx, err
	}, sameTransaction)
}

// sameTransaction says whether two nodes tell the same of one hash.
func sameTransaction(a, b *Transaction) bool {
	if a == nil || b == nil || a.Receipt == nil || b.Receipt == nil {
		return (a == nil) == (b == nil) && (a == nil || (a.Receipt == nil) == (b.Receipt == nil))
	}
	x, y := a.Receipt, b.Receipt
	return x.BlockHash == y.BlockHash && x.Status == y.Status && x.GasUsed == y.GasUsed && slices.EqualFunc(x.Logs, y.Logs, func(a, b *types.Log) bool {
		return a.Address == b.Address && slices.Equal(a.Topics, b.Topics) && slices.Equal(a.Data, b.Data)
	})
}

// RevertData executes a transaction that failed once more, in the state before its
// block, and returns with what it reverts; false if it does not, or if the first node
// does not have that state.
func (c *Client) RevertData(ctx context.Context, tx *Transaction) (data []byte, ok bool) {
	call := map[string]any{"from": tx.From, "to": tx.To, "data": tx.Data, "value": tx.Value, "gas": tx.Gas}
	parent := tx.BlockNumber.ToInt().Uint64() - 1
	n := c.byExpectedLatency()[0]
	var out hexutil.Bytes
	n.request(ctx, longTimeout, "eth_call", func(ctx context.Context) error {
		err := n.rpc.CallContext(ctx, &out, "eth_call", call, hexutil.Uint64(parent))
		var reverted rpc.DataError
		if errors.As(err, &reverted) {
			if text, isText := reverted.ErrorData().(string); isText {
				data, err = hexutil.Decode(text)
				ok = err == nil
			}
			return nil // a revert is no failure of the node
		}
		return err
	})
	return data, ok
}
