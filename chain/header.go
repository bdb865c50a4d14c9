package chain

import (
	"encoding/json"
	"errors"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/market"
	"braid/u256"
)

// Header is a block with what its logs can be held to. The hash is the node's
// word: chains extend the header in ways of their own, and a hash computed
// here would be another one.
type Header struct {
	market.Block
	Receipts common.Hash // root of the receipts
	Bloom    types.Bloom // of the logs
}

func (h *Header) UnmarshalJSON(data []byte) error {
	var f struct {
		Number        *hexutil.Uint64
		Hash          *common.Hash
		ParentHash    *common.Hash
		Timestamp     *hexutil.Uint64
		BaseFeePerGas *hexutil.Big
		ReceiptsRoot  common.Hash
		LogsBloom     types.Bloom
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
	h.Receipts, h.Bloom = f.ReceiptsRoot, f.LogsBloom
	return nil
}
