package chain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
)

// maxBackendLag is by how many blocks the backends of one provider are taken to
// differ at most. 128 blocks of 300 ms are more than half a minute.
const maxBackendLag = 128

// reached records the number of the node's head.
func (n *node) reached(height uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.height = height
}

// logsUpTo are the logs of a range that ends with block upTo. A node whose head is
// below it would leave out logs without saying so: that is ErrUnknownBlock.
func (n *node) logsUpTo(ctx context.Context, q logFilter, upTo uint64) ([]types.Log, error) {
	n.mu.Lock()
	height := n.height
	n.mu.Unlock()
	if height >= upTo+maxBackendLag {
		return n.logs(ctx, longTimeout, q)
	}
	logs, height, err := n.logsAndHeight(ctx, q)
	if err != nil {
		return nil, err
	}
	if n.reached(height); height < upTo {
		return nil, fmt.Errorf("node %s: eth_getLogs up to block %d: its head is block %d: %w", n.host, upTo, height, ErrUnknownBlock)
	}
	return logs, nil
}

// logsAndHeight are logs, and the number of the head of the node that gave them. A
// provider may have several nodes behind one URL: both are asked for in one batch,
// which one of them answers, the height first. Where a batch is not answered they
// are asked for one after the other.
func (n *node) logsAndHeight(ctx context.Context, q logFilter) (logs []types.Log, height uint64, err error) {
	const numberMethod, logsMethod = "eth_blockNumber", "eth_getLogs"
	var number hexutil.Uint64
	var batchErr error
	err = n.request(ctx, longTimeout, logsMethod, func(ctx context.Context) error {
		batch := []rpc.BatchElem{{Method: numberMethod, Args: []any{}, Result: &number}, {Method: logsMethod, Args: []any{q}, Result: &logs}}
		if batchErr = n.batch(ctx, batch); batchErr != nil {
			return batchErr
		}
		for _, b := range batch {
			if b.Error != nil {
				return b.Error
			}
		}
		return nil
	})
	if batchErr != nil && !errors.Is(err, ErrLimited) && ctx.Err() == nil {
		if err = n.call(ctx, shortTimeout, &number, numberMethod); err == nil {
			err = n.call(ctx, longTimeout, &logs, logsMethod, q)
		}
	}
	if err == nil {
		err = n.checkLogs(logs)
	}
	return logs, uint64(number), err
}

// batch makes requests in one batch. Unlike the rpc package it reads the error of a
// node that refuses the whole batch, which may be overloaded only.
func (n *node) batch(ctx context.Context, batch []rpc.BatchElem) error {
	if n.httpURL == "" {
		return n.rpc.BatchCallContext(ctx, batch)
	}
	asked := make([]question, len(batch))
	for i, b := range batch {
		asked[i] = question{"2.0", i, b.Method, b.Args}
	}
	text, err := n.post(ctx, asked)
	if err != nil {
		return err
	}
	type answer struct {
		ID     *int
		Result json.RawMessage
		Error  *rpcError
	}
	var all answer
	if json.Unmarshal(text, &all) == nil && all.Error != nil {
		return all.Error
	}
	var answers []answer
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&answers); err != nil {
		return err
	}
	for i := range batch {
		batch[i].Error = rpc.ErrMissingBatchResponse
	}
	for _, a := range answers {
		switch {
		case a.ID == nil || *a.ID < 0 || *a.ID >= len(batch):
			return fmt.Errorf("%d answers to a batch of %d, one without its ID", len(answers), len(batch))
		case a.Error != nil:
			batch[*a.ID].Error = a.Error
		default:
			batch[*a.ID].Error = json.Unmarshal(a.Result, batch[*a.ID].Result)
		}
	}
	return nil
}
