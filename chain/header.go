package chain

import (
	"encoding/json"
	"errors"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"braid/market"
	"braid/u256"
)

// header reads a block's header from JSON. The hash is the node's word: chains
// extend the header in ways of their own, and a hash computed here would be
// another one.
type header struct{ market.Block }

func (h *header) UnmarshalJSON(data []byte) error {
	var f struct {
		Number        *hexutil.Uint64
		Hash          *common.Hash
		ParentHash    *common.Hash
		Timestamp     *hexutil.Uint64
		BaseFeePerGas *hexutil.Big
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	if f.Number == nil || f.Hash == nil || f.ParentHash == nil || f.Timestamp == nil {
		return errors.New("header without number, hash, parent or time")
	}
	h.Block = market.Block{Number: uint64(*f.Number), Hash: *f.Hash, Parent: *f.ParentHash, Time: uint64(*f.Timestamp)}
	if f.BaseFeePerGas != nil {
		h.BaseFee = u256.FromBig(f.BaseFeePerGas.ToInt())
	}
	return nil
}
