package main

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/api"
	"braid/chain"
	"braid/contracts"
)

// receiptRate is how many requests a second all clients of the API together may cause
// to each node. The follower has a limit of its own, which these do not touch.
const receiptRate = 20

// receipts reads transactions for /receipt, by connections of their own.
func receipts(node *chain.Client) func(context.Context, common.Hash) (*api.Receipt, error) {
	return func(ctx context.Context, hash common.Hash) (*api.Receipt, error) {
		tx, err := node.Transaction(ctx, hash)
		if err != nil || tx == nil {
			return nil, err
		}
		r := &api.Receipt{Pending: tx.Receipt == nil, GasLimit: uint64(tx.Gas)}
		if tx.To != nil {
			r.To = *tx.To
		}
		if r.Pending {
			return r, nil
		}
		r.Failed, r.Block = tx.Receipt.Status != types.ReceiptStatusSuccessful, tx.Receipt.BlockNumber.Uint64()
		r.GasUsed, r.Logs = tx.Receipt.GasUsed, tx.Receipt.Logs
		if r.Failed {
			if data, ok := node.RevertData(ctx, tx); ok {
				r.Revert = revertWords(data)
			}
		}
		return r, nil
	}
}

// reverts are the errors of our contracts in words; %v stands for their arguments.
var reverts = map[string]string{
	"TooLittleOut":   "the recipient would have been paid %v, less than the least of %v: the price moved",
	"Expired":        "the deadline, second %v, had passed",
	"WrongValue":     "the value of the transaction, %v, is neither 0 nor amountIn of wrapped native",
	"NativeRefused":  "the recipient %v refused native currency",
	"BadRecipient":   "the recipient %v cannot be paid",
	"TransferFailed": "the token %v refused a transfer: the sender's balance, or the allowance for the Router, is too low",
	"PartialFill":    "a pool could not take its whole part, %v, but only %v",
	"BadFee":         "the fee is above the highest, or its recipient cannot be paid",
}

// revertWords says what a revert of our contracts means; empty if it is another's.
func revertWords(data []byte) string {
	for _, c := range []contracts.Contract{contracts.Router, contracts.Executor} {
		for _, e := range c.ABI.Errors {
			args, err := e.Unpack(data)
			if err != nil {
				continue
			}
			words, known := reverts[e.Name]
			list, _ := args.([]any)
			if !known {
				return "it reverted with " + e.Name
			}
			if e.Name == "TransferFailed" {
				list = list[:1]
			}
			return fmt.Sprintf(words, list...)
		}
	}
	return ""
}
