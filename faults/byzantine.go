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

// forgery is a block that never was: one that follows the true head, or one
// with the head's own hash and other contents. It hangs together: its logs are
// changed, and its receipts make its root.
type forgedBlock struct {
	header, receipts json.RawMessage
	hash, number     string
	parent           common.Hash // whose state is taken for its own
}

// forge makes one up now and then.
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
	fake := maps.Clone(header)
	fake["receiptsRoot"] = types.DeriveSha(receipts, trie.NewStackTrie(nil))
	if p.randomBelow(3) > 0 {
		fake["hash"] = crypto.Keccak256Hash(parent[:], []byte{byte(p.randomBelow(256))}).Hex()
		fake["parentHash"] = parent
		fake["number"] = hexutil.Uint64(hexutil.MustDecodeUint64(header["number"].(string)) + 1).String()
	}
	f := &forgedBlock{hash: fake["hash"].(string), number: fake["number"].(string), parent: parent}
	f.header, _ = json.Marshal(fake)
	f.receipts, _ = json.Marshal(receipts)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forged[f.hash], p.forged[f.number] = f, f
	return f
}

// lie is the answer to a question about what was made up; nil if the truth
// will do.
func (p *Proxy) forgedAnswer(ctx context.Context, ask message) json.RawMessage {
	var which []json.RawMessage
	if json.Unmarshal(ask.Params, &which); !p.config.Byzantine || len(which) == 0 {
		return nil
	}
	p.mu.Lock()
	f := p.forged[strings.Trim(string(which[0]), `"`)]
	p.mu.Unlock()
	switch {
	case ask.Method == "eth_call" && len(which) > 1:
		return p.forgedCall(ctx, which)
	case asksForHead(ask):
		if f = p.forgeBlock(ctx); f != nil {
			return f.header
		}
	case f == nil:
	case ask.Method == "eth_getBlockByNumber" || ask.Method == "eth_getBlockByHash":
		return f.header
	case ask.Method == "eth_getBlockReceipts":
		return f.receipts
	}
	return nil
}

// lieCall reads the state of a forgery from its parent, and changes the last
// byte of every third read.
func (p *Proxy) forgedCall(ctx context.Context, which []json.RawMessage) json.RawMessage {
	var at struct{ BlockHash common.Hash }
	json.Unmarshal(which[1], &at)
	p.mu.Lock()
	f := p.forged[at.BlockHash.Hex()]
	p.mu.Unlock()
	args := []any{which[0], which[1]}
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
	p.count("false read")
	text, _ := json.Marshal(data)
	return text
}
