package chain

import (
	"bytes"
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
	// callGas keeps a call in the wide pool of a Monad node, which serves a
	// thousand of them at a time; above it only twenty.
	callGas = 8_100_000

	// readGas is what a read burns that does not say: eight cold slots.
	readGas = 80_000
)

// Call is a read of a contract.
type Call struct {
	To   common.Address
	Data []byte
	Gas  uint64 // it may burn; 0 for the little that a getter burns

	lens bool // calls the Lens on the way
}

// Lens is where calls find our own contract for reading in bulk. Nothing
// stands there: its code comes with the call.
var Lens = common.HexToAddress("0x00000000000000000000000000000000001e25")

func usesLens(c Call) bool { return c.To == Lens }

// batches are runs of calls that one request has gas for.
func batches(calls []Call) (list [][]Call) {
	first, gas := 0, uint64(0)
	for i, call := range calls {
		need := max(call.Gas, readGas)
		if i > first && gas+need > callGas {
			list, first, gas = append(list, calls[first:i]), i, 0
		}
		gas += need
	}
	if first < len(calls) {
		list = append(list, calls[first:])
	}
	return list
}

// Result is what a read gave. One that failed in the contract is not OK.
type Result struct {
	OK   bool
	Data []byte
}

// Calls reads contracts as they stood after one block. The reads share
// requests, but not their fate: one that fails in company is made again alone,
// so that a contract that burns all gas harms none but itself.
func (c *Client) Calls(ctx context.Context, block common.Hash, calls []Call) ([]Result, error) {
	list := batches(calls)
	results := make([][]Result, len(list))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for i, batch := range list {
		g.Go(func() (err error) {
			results[i], err = agree(ctx, c, slowHedge, func(ctx context.Context, n *node) ([]Result, error) {
				return n.calls(ctx, block, batch)
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

func (n *node) calls(ctx context.Context, block common.Hash, calls []Call) ([]Result, error) {
	results, err := n.aggregate(ctx, block, calls)
	if err != nil && (!answered(err) || limited(err)) {
		return nil, err
	}
	if err != nil {
		results = make([]Result, len(calls))
	}
	for i, call := range calls {
		if !results[i].OK {
			if results[i], err = n.alone(ctx, block, call); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// alone makes one read. An error in the node's answer is the contract's doing,
// unless it speaks of limits: taken for a fault of the node it would be tried
// for ever, and any contract could stop us. A node that was short of time is
// asked again, but not for ever either.
func (n *node) alone(ctx context.Context, block common.Hash, call Call) (Result, error) {
	call.lens = usesLens(call)
	data, err := n.ethCall(ctx, block, call)
	for tries := 1; err != nil && outOfTime(err) && tries < 3; tries++ {
		data, err = n.ethCall(ctx, block, call)
	}
	if err != nil {
		if answered(err) && !limited(err) {
			return Result{}, nil
		}
		return Result{}, err
	}
	return Result{OK: true, Data: data}, nil
}

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

// errNoMulticall answers for a chain on which Multicall3 is missing; it is
// the chain's answer, not a fault of the wire.
type errNoMulticall struct{ error }

func (errNoMulticall) ErrorCode() int { return 0 }

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
	if data, err = n.ethCall(ctx, block, Call{To: contracts.Multicall3, Data: data, lens: slices.ContainsFunc(calls, usesLens)}); err != nil {
		return nil, err
	}
	var out struct {
		ReturnData []struct {
			Success    bool
			ReturnData []byte
		}
	}
	if err := multicallABI.UnpackIntoInterface(&out, "aggregate3", data); err != nil {
		return nil, errNoMulticall{err}
	}
	if len(out.ReturnData) != len(calls) {
		return nil, errNoMulticall{errors.New("aggregate3: wrong number of results")}
	}
	results := make([]Result, len(calls))
	for i, r := range out.ReturnData {
		results[i] = Result{OK: r.Success, Data: r.ReturnData}
	}
	return results, nil
}

func (n *node) ethCall(ctx context.Context, block common.Hash, call Call) ([]byte, error) {
	var out hexutil.Bytes
	args := []any{
		struct {
			To   common.Address `json:"to"`
			Data hexutil.Bytes  `json:"data"`
			Gas  *hexutil.Big   `json:"gas"`
		}{call.To, call.Data, (*hexutil.Big)(big.NewInt(callGas))},
		struct {
			BlockHash common.Hash `json:"blockHash"`
		}{block},
	}
	if call.lens {
		args = append(args, map[common.Address]any{Lens: map[string]any{"code": hexutil.Bytes(contracts.Lens.Code)}})
	}
	err := n.call(ctx, patience, &out, "eth_call", args...)
	return out, err
}
