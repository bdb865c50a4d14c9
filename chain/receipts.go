package chain

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/rpc"
)

// receipts are those of one block, with the fields that the receipts root is
// computed from (types.DeriveSha) and no others.
type receipts []receipt

// receipt is the outcome of one transaction.
type receipt struct {
	txType        byte
	postState     []byte // state root instead of the status, before the Byzantium fork of Ethereum
	status        uint64
	cumulativeGas uint64 // of the block up to and including this transaction
	bloom         types.Bloom
	logs          []receiptLog
}

// receiptLog has the fields of a log that are RLP-encoded, in their order.
type receiptLog struct {
	Address common.Address
	Topics  []common.Hash
	Data    []byte
}

// Len and EncodeIndex make receipts a types.DerivableList.
func (r receipts) Len() int { return len(r) }

// EncodeIndex writes the consensus encoding of one receipt: its transaction type
// if not 0, then the RLP list of status, cumulative gas, Bloom filter and logs.
func (r receipts) EncodeIndex(i int, w *bytes.Buffer) {
	outcome := r[i].postState
	if len(outcome) == 0 && r[i].status == types.ReceiptStatusSuccessful {
		outcome = []byte{1}
	}
	if r[i].txType != types.LegacyTxType {
		w.WriteByte(r[i].txType)
	}
	// Writing to memory cannot fail.
	rlp.Encode(w, []any{outcome, r[i].cumulativeGas, r[i].bloom, r[i].logs})
}

// receipts are those of a block; nil if the node does not have the block. Over
// HTTP the answer is scanned without being decoded by the rpc package first.
func (n *node) receipts(ctx context.Context, block common.Hash) (list receipts, err error) {
	const method = "eth_getBlockReceipts"
	err = n.request(ctx, shortTimeout, method, func(ctx context.Context) error {
		if n.httpURL == "" {
			var result json.RawMessage
			if err := n.rpc.CallContext(ctx, &result, method, block); err != nil {
				return err
			}
			s := &jsonScanner{text: result}
			list = s.receipts()
			return s.err
		}
		answer, err := n.postRPC(ctx, method, block)
		if err == nil {
			list, err = scanReceiptsAnswer(answer)
		}
		return err
	})
	return list, err
}

// scanReceiptsAnswer reads a JSON-RPC answer to eth_getBlockReceipts. Bytes
// after the answer are ignored.
func scanReceiptsAnswer(answer []byte) (list receipts, err error) {
	var refusal *rpcError
	s := &jsonScanner{text: answer}
	s.object(func(name []byte) {
		switch from := s.pos; string(name) {
		case "result":
			list = s.receipts()
		case "error":
			if s.skip(); s.err == nil {
				s.err = json.Unmarshal(s.text[from:s.pos], &refusal)
			}
		default:
			s.skip()
		}
	})
	if s.err == nil && refusal != nil {
		return list, refusal
	}
	return list, s.err
}

// postRPC makes a JSON-RPC request over HTTP and gives the undecoded answer.
func (n *node) postRPC(ctx context.Context, method string, args ...any) ([]byte, error) {
	return n.post(ctx, question{"2.0", 1, method, args})
}

// question is a JSON-RPC request.
type question struct {
	Version string `json:"jsonrpc"`
	ID      int    `json:"id"`
	Method  string `json:"method"`
	Params  []any  `json:"params"`
}

// post sends a question, or a batch of them, over HTTP and gives the undecoded answer.
func (n *node) post(ctx context.Context, asked any) ([]byte, error) {
	question, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.httpURL, bytes.NewReader(question))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	answer, err := n.httpClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		reason, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
		return nil, rpc.HTTPError{StatusCode: answer.StatusCode, Status: answer.Status, Body: reason}
	}
	// The content length is claimed by the node: it sizes the first buffer, up
	// to 4 MiB, and is not relied upon.
	text := bytes.NewBuffer(make([]byte, 0, min(max(answer.ContentLength, 64<<10), 4<<20)))
	_, err = io.Copy(text, answer.Body)
	return text.Bytes(), err
}

// rpcError is the error member of a JSON-RPC answer; it implements rpc.Error.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error is the message of the node.
func (r *rpcError) Error() string { return r.Message }

// ErrorCode is the JSON-RPC error code.
func (r *rpcError) ErrorCode() int { return r.Code }

func (s *jsonScanner) receipts() (list receipts) {
	if !s.null() {
		list = receipts{}
		s.array(func() { list = append(list, s.receipt()) })
	}
	return list
}

func (s *jsonScanner) receipt() (r receipt) {
	s.object(func(name []byte) {
		switch {
		case s.null():
		case string(name) == "type":
			r.txType = byte(s.hexUint())
		case string(name) == "root":
			r.postState = s.hexBytes()
		case string(name) == "status":
			r.status = s.hexUint()
		case string(name) == "cumulativeGasUsed":
			r.cumulativeGas = s.hexUint()
		case string(name) == "logsBloom":
			s.hexFixed(r.bloom[:])
		case string(name) == "logs":
			s.array(func() { r.logs = append(r.logs, s.log()) })
		default:
			s.skip()
		}
	})
	return r
}

func (s *jsonScanner) log() (l receiptLog) {
	s.object(func(name []byte) {
		switch string(name) {
		case "address":
			s.hexFixed(l.Address[:])
		case "topics":
			s.array(func() {
				var t common.Hash
				s.hexFixed(t[:])
				l.Topics = append(l.Topics, t)
			})
		case "data":
			l.Data = s.hexBytes()
		default:
			s.skip()
		}
	})
	return l
}
