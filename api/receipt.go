package api

import (
	"context"
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/u256"
	"braid/venue"
)

// Receipt is what became of a transaction, for /receipt.
type Receipt struct {
	To       common.Address
	Pending  bool // it is in no block yet: only To and GasLimit are known
	Failed   bool
	Block    uint64
	GasUsed  uint64
	GasLimit uint64
	Logs     []*types.Log
	Revert   string // why it failed, in words; empty: not known
}

// maxNodeCalls is how many requests may ask nodes at the same time. Others are
// rejected, so that nodes are never busy with requests alone.
const maxNodeCalls = 8

var receiptParameters = []string{"tx", "quoted", "chainId"}

// receiptBody is the JSON of /receipt.
type receiptBody struct {
	Status      string         `json:"status"` // pending, failed or swapped
	BlockNumber *uint64        `json:"blockNumber"`
	GasUsed     *string        `json:"gasUsed"`
	GasLimit    string         `json:"gasLimit"`
	Swaps       []receivedBody `json:"swaps"`
	Revert      *string        `json:"revert"`
}

// receivedBody is one swap of a transaction, by the Router's own event.
type receivedBody struct {
	Sender       string   `json:"sender"`
	TokenIn      string   `json:"tokenIn"`
	TokenOut     string   `json:"tokenOut"`
	AmountIn     string   `json:"amountIn"`
	AmountOut    string   `json:"amountOut"`
	MinAmountOut string   `json:"minAmountOut"`
	Recipient    string   `json:"recipient"`
	Quoted       string   `json:"quoted,omitempty"`
	GainBps      *float64 `json:"gainBps,omitempty"`
}

// receipt is the endpoint /receipt.
func (s *server) receipt(w *response) error {
	q := readQuery(w, receiptParameters)
	q.chain()
	hash, quoted := q.hash("tx"), u256.Zero
	if _, given := q.optional("quoted"); given {
		quoted = q.amount("quoted")
	}
	if err := q.err(); err != nil {
		return err
	}
	if s.Receipts == nil {
		return &problem{code: notFound, detail: "this service does not read receipts; ask a node for eth_getTransactionReceipt"}
	}
	select {
	case s.nodeCalls <- struct{}{}:
		defer func() { <-s.nodeCalls }()
	default:
		return errOverloaded
	}
	ctx, cancel := context.WithDeadline(w.r.Context(), w.started.Add(s.Timeout))
	defer cancel()
	r, err := s.Receipts(ctx, hash)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		s.Log.Warn("receipt", "id", w.id, "error", err)
		return &problem{code: nodeUnavailable, detail: "no node answered as to the transaction; ask again", retryAfter: nodeRetry}
	case r == nil:
		return &problem{code: unknownTransaction, detail: "no node knows a transaction with this hash; check it, or ask again when it was sent"}
	}
	body, err := s.receiptBody(r, quoted)
	if err != nil {
		return err
	}
	return w.writeUncached(body)
}

// hash reads a required hash of 32 bytes.
func (q *query) hash(name string) (h common.Hash) {
	v, ok := q.required(name)
	if !ok {
		return h
	}
	b, err := hex.DecodeString(strings.TrimPrefix(v, "0x"))
	if err != nil || len(b) != len(h) || !strings.HasPrefix(v, "0x") {
		q.reject(name, invalidParameter, "is not the hash of a transaction; give 0x and 64 hex digits")
	}
	return common.BytesToHash(b)
}

var swappedTopic = crypto.Keccak256Hash([]byte("Swapped(address,address,address,uint256,uint256,uint256,address)"))

// receiptBody is the JSON of a receipt, or the reason why it is none of a swap here.
func (s *server) receiptBody(r *Receipt, quoted u256.Int) (receiptBody, error) {
	body := receiptBody{Status: "swapped", GasLimit: strconv.FormatUint(r.GasLimit, 10), Swaps: []receivedBody{}}
	for _, l := range r.Logs {
		if l.Address == s.Contracts.Router && len(l.Topics) == 4 && l.Topics[0] == swappedTopic && len(l.Data) == 4*32 {
			body.Swaps = append(body.Swaps, received(l, quoted))
		}
	}
	// Another contract may have called the Router, so a swap is known by its event; one
	// that made none, by whom it was sent to.
	switch {
	case len(body.Swaps) == 0 && r.To != s.Contracts.Router:
		return body, &problem{code: unknownTransaction, detail: "the transaction is not one of the aggregator: it was sent to another contract, and none of its events is a swap here"}
	case r.Pending:
		body.Status = "pending"
		return body, nil
	case r.Failed:
		body.Status = "failed"
		if r.Revert != "" {
			body.Revert = &r.Revert
		}
	case len(body.Swaps) == 0:
		return body, &problem{code: unknownTransaction, detail: "the transaction succeeded without a swap; it called another function of the aggregator"}
	}
	used := strconv.FormatUint(r.GasUsed, 10)
	body.BlockNumber, body.GasUsed = &r.Block, &used
	return body, nil
}

// received reads the Router's event.
func received(l *types.Log, quoted u256.Int) receivedBody {
	w := venue.NewWords(l.Data)
	address := func(topic common.Hash) string { return lowerHex(common.BytesToAddress(topic[:])) }
	out := w.Number(1)
	b := receivedBody{
		Sender: address(l.Topics[1]), TokenIn: address(l.Topics[2]), TokenOut: address(l.Topics[3]),
		AmountIn: w.Number(0).String(), AmountOut: out.String(), MinAmountOut: w.Number(2).String(), Recipient: lowerHex(w.Address(3)),
	}
	if !quoted.IsZero() {
		gain := math.Round(1e8*(out.Float()/quoted.Float()-1)) / 1e4
		b.Quoted, b.GainBps = quoted.String(), &gain
	}
	return b
}
