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

// Header is a block with the two fields that commit to its logs. The hash is as
// the node gave it: chains extend the header in ways of their own, so it cannot
// be computed here.
type Header struct {
	market.Block
	ReceiptsRoot common.Hash // root of the Merkle trie of the receipts; zero if the node gave none
	Bloom        types.Bloom // Bloom filter of the logs
}

// UnmarshalJSON reads the answer of eth_getBlockByNumber or a newHeads
// notification. Number, hash, parentHash and timestamp must be there.
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
		return errors.New("header without number, hash, parentHash or timestamp")
	}
	h.Block = market.Block{Number: uint64(*f.Number), Hash: *f.Hash, Parent: *f.ParentHash, Time: uint64(*f.Timestamp)}
	if f.BaseFeePerGas != nil {
		h.BaseFee = u256.FromBig(f.BaseFeePerGas.ToInt())
	}
	h.ReceiptsRoot, h.Bloom = f.ReceiptsRoot, f.LogsBloom
	return nil
}
