package chain

import (
	"bytes"
	"context"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"braid/u256"
)

// MaxExecutionGas is the most gas that an Execution may be given: see maxCallGas.
const MaxExecutionGas = maxCallGas

// Execution is an eth_call from a sender of choice, before which accounts are
// changed.
type Execution struct {
	From, To common.Address
	Data     []byte
	Gas      uint64
	GasPrice u256.Int // wei; without one BASEFEE is 0, which contracts can tell
	Accounts map[common.Address]Account
}

// Account is what is changed of an account; zero values change nothing.
type Account struct {
	Balance u256.Int // wei
	Code    []byte
	Storage map[common.Hash]common.Hash // slots that are changed; all others stay
}

// override is the account as a node expects it.
func (a Account) override() map[string]any {
	fields := map[string]any{}
	if !a.Balance.IsZero() {
		fields["balance"] = (*hexutil.Big)(a.Balance.Big())
	}
	if a.Code != nil {
		fields["code"] = hexutil.Bytes(a.Code)
	}
	if a.Storage != nil {
		fields["stateDiff"] = a.Storage
	}
	return fields
}

// Execute is what the call returns in the state after a block, as a quorum of nodes
// says.
func (c *Client) Execute(ctx context.Context, block common.Hash, e Execution) ([]byte, error) {
	accounts := make(map[common.Address]any, len(e.Accounts))
	for at, a := range e.Accounts {
		accounts[at] = a.override()
	}
	call := struct {
		From     common.Address `json:"from"`
		To       common.Address `json:"to"`
		Data     hexutil.Bytes  `json:"data"`
		Gas      *hexutil.Big   `json:"gas"`
		GasPrice *hexutil.Big   `json:"gasPrice,omitempty"`
	}{e.From, e.To, e.Data, (*hexutil.Big)(new(big.Int).SetUint64(e.Gas)), nil}
	if !e.GasPrice.IsZero() {
		call.GasPrice = (*hexutil.Big)(e.GasPrice.Big())
	}
	at := struct {
		BlockHash common.Hash `json:"blockHash"`
	}{block}
	return askQuorum(ctx, c, slowHedgeDelay, func(ctx context.Context, n *node) ([]byte, error) {
		var out hexutil.Bytes
		err := n.call(ctx, longTimeout, &out, "eth_call", call, at, accounts)
		return out, err
	}, bytes.Equal)
}

// IsRefusal tells whether the node understood a request and refused it, whatever the
// reason, as opposed to being out of reach, overloaded or without the block.
func IsRefusal(err error) bool { return err != nil && isRPCError(err) }
