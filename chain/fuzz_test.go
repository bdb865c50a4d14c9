package chain

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"
)

// The files in testdata are answers of the local chain to a real block's
// eth_getBlockByNumber, eth_getLogs and eth_getBlockReceipts, and to an eth_call
// of Multicall3 with one read that succeeds and one that fails.

// answer is a JSON-RPC answer of testdata, and the result in it.
func answer(f *testing.F, name string) (whole, result []byte) {
	f.Helper()
	whole, err := os.ReadFile("testdata/" + name)
	if err != nil {
		f.Fatal(err)
	}
	var m struct{ Result json.RawMessage }
	if err := json.Unmarshal(whole, &m); err != nil {
		f.Fatal(err)
	}
	return whole, m.Result
}

// FuzzHeader: a header that is accepted has the fields that the answer has.
func FuzzHeader(f *testing.F) {
	_, header := answer(f, "header.json")
	f.Add(header)
	for _, field := range []string{"number", "hash", "parentHash", "timestamp", "logsBloom"} {
		f.Add(bytes.Replace(header, []byte(`"`+field+`"`), []byte(`"other"`), 1))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var h Header
		if json.Unmarshal(text, &h) != nil || string(bytes.TrimSpace(text)) == "null" {
			return
		}
		again, err := json.Marshal(map[string]any{
			"number": hexutil.Uint64(h.Number), "hash": h.Hash, "parentHash": h.Parent, "timestamp": hexutil.Uint64(h.Time),
			"baseFeePerGas": (*hexutil.Big)(h.BaseFee.Big()), "receiptsRoot": h.ReceiptsRoot, "logsBloom": h.Bloom,
		})
		if err != nil {
			t.Fatal(err)
		}
		var same Header
		if err := json.Unmarshal(again, &same); err != nil || same != h {
			t.Fatalf("%+v, then %+v: %v", h, same, err)
		}
	})
}

// FuzzLogs: logs that are accepted are of the block, in order, none twice and none
// removed.
func FuzzLogs(f *testing.F) {
	_, list := answer(f, "logs.json")
	f.Add(list)
	f.Add(bytes.ReplaceAll(list, []byte(`"removed":false`), []byte(`"removed":true`)))
	_, block := answer(f, "header.json")
	var h Header
	if err := json.Unmarshal(block, &h); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var logs []types.Log
		n := &node{host: "fuzz"}
		if json.Unmarshal(text, &logs) != nil || n.checkLogs(logs) != nil || n.checkBlock(h, logs) != nil {
			return
		}
		for i, l := range logs {
			if l.Removed || l.BlockHash != h.Hash || l.BlockTimestamp != h.Time || i > 0 && logs[i-1].Index >= l.Index {
				t.Fatalf("log %d of %d: %+v", i, len(logs), l)
			}
		}
	})
}

// FuzzReceipts: receipts that go-ethereum accepts are accepted in its own encoding,
// and hash to the same root.
func FuzzReceipts(f *testing.F) {
	whole, _ := answer(f, "receipts.json")
	f.Add(whole)
	f.Add(bytes.ReplaceAll(whole, []byte(`"status":"0x1"`), []byte(`"status":"0x0"`)))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"header not found"}}`))
	f.Add([]byte(`{"id":1,"result":null}`))
	var h Header
	_, header := answer(f, "header.json")
	if err := json.Unmarshal(header, &h); err != nil {
		f.Fatal(err)
	}
	if got, err := scanReceiptsAnswer(whole); err != nil || types.DeriveSha(got, trie.NewStackTrie(nil)) != h.ReceiptsRoot {
		f.Fatalf("%d receipts: %v", len(got), err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, err := scanReceiptsAnswer(text); err == nil && len(got) > len(text) {
			t.Fatalf("%d receipts in %d bytes", len(got), len(text))
		}
		var theirs struct{ Result types.Receipts }
		if json.Unmarshal(text, &theirs) != nil || slices.ContainsFunc(theirs.Result, func(r *types.Receipt) bool {
			return r == nil || r.Status > 1 || r.Type > types.SetCodeTxType || slices.Contains(r.Logs, nil)
		}) {
			return
		}
		canonical, err := json.Marshal(theirs)
		if err != nil {
			t.Fatal(err)
		}
		s := &jsonScanner{text: canonical}
		var ours receipts
		s.object(func([]byte) { ours = s.receipts() })
		if s.err != nil || types.DeriveSha(ours, trie.NewStackTrie(nil)) != types.DeriveSha(theirs.Result, trie.NewStackTrie(nil)) {
			t.Fatalf("%s: %v", canonical, s.err)
		}
	})
}

// FuzzAggregate: what aggregate3 returns gives as many results as there were
// calls, or an error.
func FuzzAggregate(f *testing.F) {
	_, result := answer(f, "aggregate3.json")
	var data hexutil.Bytes
	if err := json.Unmarshal(result, &data); err != nil {
		f.Fatal(err)
	}
	results, err := decodeAggregate(data, 2)
	if err != nil || !results[0].OK || common.BytesToHash(results[0].Data).Big().Uint64() != 6 || results[1].OK {
		f.Fatalf("%v: %v", results, err)
	}
	f.Add([]byte(data), 2)
	f.Add([]byte(data), 3)
	f.Add([]byte(data[:len(data)-32]), 2)
	f.Fuzz(func(t *testing.T, data []byte, calls int) {
		results, err := decodeAggregate(data, calls)
		if err == nil && len(results) != calls {
			t.Fatalf("%d results of %d calls", len(results), calls)
		}
		for _, r := range results {
			if len(r.Data) > len(data) {
				t.Fatalf("%d bytes in %d", len(r.Data), len(data))
			}
		}
	})
}

// FuzzRetryAfter: no header makes us wait for longer than a minute.
func FuzzRetryAfter(f *testing.F) {
	for _, text := range []string{"", "1", "0.5", "-1", "1e300", "Inf", "NaN", "Thu, 01 Jan 2099 00:00:00 GMT"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if pause := retryAfter(text); pause > time.Minute {
			t.Fatalf("%q: %v", text, pause)
		}
	})
}
