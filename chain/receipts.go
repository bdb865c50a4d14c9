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

// receipts are what the receipts root is made of, and no more.
type receipts []receipt

type receipt struct {
	kind    byte
	root    []byte // instead of the status, in the first years of Ethereum
	status  uint64
	gasUsed uint64 // by the block so far
	bloom   types.Bloom
	logs    []receiptLog
}

type receiptLog struct {
	Address common.Address
	Topics  []common.Hash
	Data    []byte
}

func (r receipts) Len() int { return len(r) }

func (r receipts) EncodeIndex(i int, w *bytes.Buffer) {
	outcome := r[i].root
	if len(outcome) == 0 && r[i].status == types.ReceiptStatusSuccessful {
		outcome = []byte{1}
	}
	if r[i].kind != types.LegacyTxType {
		w.WriteByte(r[i].kind)
	}
	// Writing to memory cannot fail.
	rlp.Encode(w, []any{outcome, r[i].gasUsed, r[i].bloom, r[i].logs})
}

// receipts are those of a block; nil if the node does not have it.
func (n *node) receipts(ctx context.Context, block common.Hash) (list receipts, err error) {
	const method = "eth_getBlockReceipts"
	err = n.ask(ctx, quick, method, func(ctx context.Context) error {
		var answer []byte
		if n.post == "" {
			var result json.RawMessage
			if err := n.rpc.CallContext(ctx, &result, method, block); err != nil {
				return err
			}
			s := &scan{text: result}
			list = s.receipts()
			return s.err
		}
		if answer, err = n.fetch(ctx, method, block); err != nil {
			return err
		}
		var refusal *refusal
		s := &scan{text: answer}
		s.object(func(name []byte) {
			switch from := s.at; string(name) {
			case "result":
				list = s.receipts()
			case "error":
				if s.skip(); s.err == nil {
					s.err = json.Unmarshal(s.text[from:s.at], &refusal)
				}
			default:
				s.skip()
			}
		})
		if s.err == nil && refusal != nil {
			return refusal
		}
		return s.err
	})
	return list, err
}

// fetch is the answer to a question over HTTP, unread.
func (n *node) fetch(ctx context.Context, method string, args ...any) ([]byte, error) {
	question, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": args})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.post, bytes.NewReader(question))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	answer, err := n.web.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, rpc.HTTPError{StatusCode: answer.StatusCode, Status: answer.Status}
	}
	// The length is the node's word: it saves copies, and no more is staked on it.
	text := bytes.NewBuffer(make([]byte, 0, min(max(answer.ContentLength, 64<<10), 4<<20)))
	_, err = io.Copy(text, answer.Body)
	return text.Bytes(), err
}

// refusal is the error in a node's answer; it is an rpc.Error.
type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (r *refusal) Error() string  { return r.Message }
func (r *refusal) ErrorCode() int { return r.Code }

func (s *scan) receipts() (list receipts) {
	if !s.null() {
		list = receipts{}
		s.array(func() { list = append(list, s.receipt()) })
	}
	return list
}

func (s *scan) receipt() (r receipt) {
	s.object(func(name []byte) {
		switch {
		case s.null():
		case string(name) == "type":
			r.kind = byte(s.number())
		case string(name) == "root":
			r.root = s.bytes()
		case string(name) == "status":
			r.status = s.number()
		case string(name) == "cumulativeGasUsed":
			r.gasUsed = s.number()
		case string(name) == "logsBloom":
			s.fixed(r.bloom[:])
		case string(name) == "logs":
			s.array(func() { r.logs = append(r.logs, s.log()) })
		default:
			s.skip()
		}
	})
	return r
}

func (s *scan) log() (l receiptLog) {
	s.object(func(name []byte) {
		switch string(name) {
		case "address":
			s.fixed(l.Address[:])
		case "topics":
			s.array(func() {
				var t common.Hash
				s.fixed(t[:])
				l.Topics = append(l.Topics, t)
			})
		case "data":
			l.Data = s.bytes()
		default:
			s.skip()
		}
	})
	return l
}
