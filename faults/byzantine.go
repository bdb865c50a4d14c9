package faults

import (
	"context"
	"encoding/json"
	"maps"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/trie"
)

// forgedBlock is a block that the chain never had: a child of the head, or one with
// the head's own hash and other contents. Its logs are changed, and its receipts
// hash to the receipts root of its header.
type forgedBlock struct {
	header, receipts json.RawMessage
	hash, number     string
	parent           common.Hash // reads at the forged block are made at this one
}

// forgeBlock forges a block with the probability of a fault; nil: none.
func (p *Proxy) forgeBlock(ctx context.Context) *forgedBlock {
	if !p.config.Byzantine || p.nextFault("forge") == "" {
		return nil
	}
	var header map[string]any
	var receipts types.Receipts
	if p.node.CallContext(ctx, &header, "eth_getBlockByNumber", "latest", false) != nil || header == nil {
		return nil
	}
	parent := common.HexToHash(header["hash"].(string))
	if p.node.CallContext(ctx, &receipts, "eth_getBlockReceipts", parent) != nil || len(receipts) == 0 {
		return nil
	}
	for _, r := range receipts {
		for _, log := range r.Logs {
			if n := len(log.Data); n > 0 {
				log.Data[n-1] ^= 0x55
			}
		}
	}
	forged := maps.Clone(header)
	forged["receiptsRoot"] = types.DeriveSha(receipts, trie.NewStackTrie(nil))
	if p.randomBelow(3) > 0 {
		forged["hash"] = crypto.Keccak256Hash(parent[:], []byte{byte(p.randomBelow(256))}).Hex()
		forged["parentHash"] = parent
		forged["number"] = hexutil.Uint64(hexutil.MustDecodeUint64(header["number"].(string)) + 1).String()
	}
	f := &forgedBlock{hash: forged["hash"].(string), number: forged["number"].(string), parent: parent}
	f.header, _ = json.Marshal(forged)
	f.receipts, _ = json.Marshal(receipts)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forged[f.hash], p.forged[f.number] = f, f
	return f
}

// forgedAnswer is the result for a request that concerns a forged block or is to be
// forged; nil: the node answers.
func (p *Proxy) forgedAnswer(ctx context.Context, request message) json.RawMessage {
	var params []json.RawMessage
	if json.Unmarshal(request.Params, &params); !p.config.Byzantine || len(params) == 0 {
		return nil
	}
	p.mu.Lock()
	f := p.forged[strings.Trim(string(params[0]), `"`)]
	p.mu.Unlock()
	switch {
	case request.Method == "eth_call" && len(params) > 1:
		return p.forgedCall(ctx, params)
	case asksForHead(request):
		if f = p.forgeBlock(ctx); f != nil {
			return f.header
		}
	case f == nil:
	case request.Method == "eth_getBlockByNumber" || request.Method == "eth_getBlockByHash":
		return f.header
	case request.Method == "eth_getBlockReceipts":
		return f.receipts
	}
	return nil
}

// forgedCall changes the last byte of the result of an eth_call: of every call at a
// forged block, and of one in three others; nil: the node answers.
func (p *Proxy) forgedCall(ctx context.Context, params []json.RawMessage) json.RawMessage {
	var at struct{ BlockHash common.Hash }
	json.Unmarshal(params[1], &at)
	p.mu.Lock()
	f := p.forged[at.BlockHash.Hex()]
	p.mu.Unlock()
	args := []any{params[0], params[1]}
	if f != nil {
		args[1] = map[string]any{"blockHash": f.parent}
	} else if p.randomBelow(3) > 0 {
		return nil
	}
	var data hexutil.Bytes
	if p.node.CallContext(ctx, &data, "eth_call", args...) != nil || len(data) == 0 {
		return nil
	}
	data[len(data)-1]++
	p.count("forged read")
	text, _ := json.Marshal(data)
	return text
}
