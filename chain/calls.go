package chain

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"golang.org/x/sync/errgroup"

	"braid/contracts"
)

const (
	// maxCallGas is the gas limit of each eth_call. A Monad node executes about
	// 1,000 calls of up to 8.1M gas at the same time, but only 20 larger ones.
	maxCallGas = 8_100_000

	// defaultCallGas is assumed for a Call that names no gas: it pays for 8 cold
	// storage slots at Monad's prices.
	defaultCallGas = 80_000
)

// Call is a read of a contract: eth_call without sender or value.
type Call struct {
	To   common.Address
	Data []byte
	Gas  uint64 // most gas it may use; 0: defaultCallGas, enough for a getter

	overrideLens bool // the request must supply the code of the Lens
}

// Lens is the address at which calls find the Lens, our contract for reading in
// bulk. It is not deployed: its code is sent with the call, as a state override.
var Lens = common.HexToAddress("0x00000000000000000000000000000000001e25")

// usesLens tells whether a call is of the Lens.
func usesLens(c Call) bool { return c.To == Lens }

// splitByGas splits the calls, in order, into batches of at most maxCallGas.
func splitByGas(calls []Call) (list [][]Call) {
	first, gas := 0, uint64(0)
	for i, call := range calls {
		need := cmp.Or(call.Gas, defaultCallGas)
		if i > first && gas+need > maxCallGas {
			list, first, gas = append(list, calls[first:i]), i, 0
		}
		gas += need
	}
	if first < len(calls) {
		list = append(list, calls[first:])
	}
	return list
}

// Result is what a Call returned. OK is false, and Data empty, if it reverted or
// ran out of gas.
type Result struct {
	OK   bool
	Data []byte
}

// Calls reads contracts in the state after one block; the results are in the
// order of the calls. Reads are batched with Multicall3. One that fails within a
// batch is made again in a request of its own, so that a contract that uses up
// all gas affects no other result.
func (c *Client) Calls(ctx context.Context, block common.Hash, calls []Call) ([]Result, error) {
	list := splitByGas(calls)
	results := make([][]Result, len(list))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(maxConcurrent)
	for i, batch := range list {
		g.Go(func() (err error) {
			results[i], err = askQuorum(ctx, c, slowHedgeDelay, func(ctx context.Context, n *node) ([]Result, error) {
				return n.callBatch(ctx, block, batch)
			}, sameResults)
			return err
		})
	}
	err := g.Wait()
	return slices.Concat(results...), err
}

func sameResults(a, b []Result) bool {
	return slices.EqualFunc(a, b, func(a, b Result) bool { return a.OK == b.OK && bytes.Equal(a.Data, b.Data) })
}

// callBatch makes the reads of one batch.
func (n *node) callBatch(ctx context.Context, block common.Hash, calls []Call) ([]Result, error) {
	results, err := n.aggregate(ctx, block, calls)
	if err != nil && !isRPCError(err) {
		return nil, err
	}
	if err != nil {
		results = make([]Result, len(calls))
	}
	for i, call := range calls {
		if !results[i].OK {
			if results[i], err = n.callAlone(ctx, block, call); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// callAlone makes one read. A JSON-RPC error counts as a failure of the
// contract, unless it is ErrLimited: if it counted as a failure of the node it
// would be retried for ever, and any contract could stop the indexer. A call that the node aborted by its own time limit is made up to three times.
func (n *node) callAlone(ctx context.Context, block common.Hash, call Call) (Result, error) {
	call.overrideLens = usesLens(call)
	data, err := n.ethCall(ctx, block, call)
	for tries := 1; err != nil && isNodeTimeout(err) && tries < 3; tries++ {
		data, err = n.ethCall(ctx, block, call)
	}
	if err != nil {
		if isRPCError(err) {
			return Result{}, nil
		}
		return Result{}, err
	}
	return Result{OK: true, Data: data}, nil
}

// multicallABI is the one function of Multicall3 that is used.
var multicallABI = func() abi.ABI {
	a, err := abi.JSON(strings.NewReader(`[{"type":"function","name":"aggregate3","stateMutability":"payable",
		"inputs":[{"name":"calls","type":"tuple[]","components":[
			{"name":"target","type":"address"},{"name":"allowFailure","type":"bool"},{"name":"callData","type":"bytes"}]}],
		"outputs":[{"name":"returnData","type":"tuple[]","components":[
			{"name":"success","type":"bool"},{"name":"returnData","type":"bytes"}]}]}]`))
	if err != nil {
		panic(err)
	}
	return a
}()

// errNoMulticall is the error for a chain without Multicall3. It counts as an
// rpc.Error: the node answered, and the reads are made one by one.
type errNoMulticall struct{ error }

// ErrorCode makes it an rpc.Error.
func (errNoMulticall) ErrorCode() int { return 0 }

// aggregate makes several reads in one request, by Multicall3.
func (n *node) aggregate(ctx context.Context, block common.Hash, calls []Call) ([]Result, error) {
	type call3 struct {
		Target       common.Address
		AllowFailure bool
		CallData     []byte
	}
	args := make([]call3, len(calls))
	for i, call := range calls {
		args[i] = call3{call.To, true, call.Data}
	}
	data, err := multicallABI.Pack("aggregate3", args)
	if err != nil {
		return nil, fmt.Errorf("aggregate3: %w", err)
	}
	if data, err = n.ethCall(ctx, block, Call{To: contracts.Multicall3, Data: data, overrideLens: slices.ContainsFunc(calls, usesLens)}); err != nil {
		return nil, err
	}
	return decodeAggregate(data, len(calls))
}

// decodeAggregate decodes what aggregate3 returned for n calls, or errNoMulticall.
func decodeAggregate(data []byte, n int) ([]Result, error) {
	var out struct {
		ReturnData []struct {
			Success    bool
			ReturnData []byte
		}
	}
	if err := multicallABI.UnpackIntoInterface(&out, "aggregate3", data); err != nil {
		return nil, errNoMulticall{err}
	}
	if len(out.ReturnData) != n {
		return nil, errNoMulticall{errors.New("aggregate3: wrong number of results")}
	}
	results := make([]Result, n)
	for i, r := range out.ReturnData {
		results[i] = Result{OK: r.Success, Data: r.ReturnData}
	}
	return results, nil
}

// ethCall makes one request, in the state after a block.
func (n *node) ethCall(ctx context.Context, block common.Hash, call Call) ([]byte, error) {
	var out hexutil.Bytes
	args := []any{
		struct {
			To   common.Address `json:"to"`
			Data hexutil.Bytes  `json:"data"`
			Gas  *hexutil.Big   `json:"gas"`
		}{call.To, call.Data, (*hexutil.Big)(big.NewInt(maxCallGas))},
		struct {
			BlockHash common.Hash `json:"blockHash"`
		}{block},
	}
	if call.overrideLens {
		args = append(args, map[common.Address]any{Lens: map[string]any{"code": hexutil.Bytes(contracts.Lens.Code)}})
	}
	err := n.call(ctx, longTimeout, &out, "eth_call", args...)
	return out, err
}
