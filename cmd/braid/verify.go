package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"braid/api"
	"braid/calldata"
	"braid/contracts"
	"braid/families"
	"braid/monad"
	"braid/u256"
)

const verifyHelp = `Without a file the answer is fetched from the URL of --request. With a file, or with data piped
to the standard input, that is the answer; - always means the standard input.

Deadlines are measured by this machine's clock. Where the answer's block is more than 60 s ahead
of it, nothing is verified without --chain-clock: an answer with a false block time could
otherwise have any deadline. --chain-clock trusts the block time of a fetched answer;
--chain-clock=SECONDS gives the chain's time, as for a saved answer, which has none.
`

// parameters of a request that verify reads, and takes as flags too.
var parameters = []string{"tokenIn", "tokenOut", "amount", "amountOut", "recipient", "slippageBps", "minAmountOut", "deadlineSeconds", "feeBps", "feeRecipient", "feeSide"}

// verify is the command that checks an answer of /swap against its request and
// explains its transaction step by step:
//
//	braid verify --request 'http://…/swap?tokenIn=…'
func verify(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	f := flags("verify", stdout)
	request := f.String("request", "", "the `URL` that was asked, or its query alone")
	var clock chainClock
	f.Var(&clock, "chain-clock", "measure deadlines by the chain's clock where it is ahead: that of the answer's block, or =`seconds`")
	given := url.Values{}
	for _, name := range parameters {
		f.Func(name, "what was asked, instead of the request's `"+name+"`", func(v string) error {
			given.Set(name, v)
			return nil
		})
	}
	rest, err := arguments(f, args)
	if err != nil {
		return err
	}
	if len(rest) > 1 {
		return misuse("verify takes one answer, not %d: a file, or - for the standard input", len(rest))
	}
	asked, query, err := readRequest(*request)
	if err != nil {
		return err
	}
	for name, v := range given {
		query[name] = v
	}
	text, block, err := readAnswer(ctx, rest, asked, stdin, stdout, stderr)
	if err != nil {
		return err
	}
	var a answer
	if err := errors.Join(checkNames(json.NewDecoder(bytes.NewReader(text))), json.Unmarshal(text, &a)); err != nil {
		return fmt.Errorf("the answer: %w", err)
	}
	if a.Code != "" {
		return fmt.Errorf("the answer is an error and no swap: %s: %s", plainText(a.Code), plainText(a.Detail))
	}
	now, err := clock.read(time.Now(), block, stdout)
	if err != nil {
		return err
	}
	return a.verify(query, now, stdout)
}

// checkNames refuses a JSON value with an object in which two names are the same
// but for their case: encoding/json and a wallet could then read different values.
func checkNames(d *json.Decoder) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	open, nested := token.(json.Delim)
	seen := map[string]bool{}
	for nested && d.More() {
		if open == '{' {
			name, err := d.Token()
			if err != nil {
				return err
			}
			folded := strings.ToLower(strings.ToUpper(name.(string))) // as encoding/json folds them
			if seen[folded] {
				return fmt.Errorf("it has %q twice", name)
			}
			seen[folded] = true
		}
		if err := checkNames(d); err != nil {
			return err
		}
	}
	if nested {
		_, err = d.Token()
	}
	return err
}

// answer is what verify reads of an answer of /swap. Amounts are in raw units.
type answer struct {
	TokenIn, TokenOut   common.Address
	AmountIn, AmountOut string
	Routes              []struct{ Pool, AmountIn, AmountOut string }
	Tx                  call
	Approval            *call
	Calls               *batch
	Permit              *permits

	Code, Detail string // of an error
}

// verify prints what the transaction does, and reports all that differs from the
// request or from the rest of the answer.
func (a *answer) verify(query url.Values, now clockReading, stdout io.Writer) error {
	router, executor := contracts.Addresses(monad.WrappedNative)
	known := calldata.Contracts{Router: router, Executor: executor, WrappedNative: monad.WrappedNative, Permit2: contracts.Permit2, Kinds: families.Steps()}
	claim, faults := a.claim(query, now)
	value, err := u256.FromDecimal(a.Tx.Value)
	if err != nil {
		faults = append(faults, fmt.Errorf("tx.value: %w", err))
	}
	swap, err := known.Verify(calldata.Tx{To: a.Tx.To, Data: a.Tx.Data, Value: value}, claim)
	if len(swap.Steps) > 0 {
		for _, line := range swap.Words(listedSymbol) {
			fmt.Fprintln(stdout, line)
		}
		if claim.NativeIn {
			fmt.Fprintf(stdout, "paid with the value of the transaction: %s wei of %s, which the Router wraps\n", plainText(a.Tx.Value), native.Symbol)
		}
	}
	if swap.Deadline > claim.Deadline && !now.chain {
		faults = append(faults, errors.New("the deadline is too late by this machine's clock: if the chain's is ahead of it, give the answer's X-Block-Timestamp as --chain-clock=SECONDS"))
	}
	faults = append(append(faults, err), a.checkApproval(claim, router)...)
	faults = append(faults, a.checkPermits(claim, query, known)...)
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("the transaction is not what was asked for:\n%w", err)
	}
	fmt.Fprintln(stdout, "the transaction does what was asked for and what the answer says")
	return nil
}

// claim is what the transaction must do, by the request and by the answer's own
// fields, with the faults that reading them showed.
func (a *answer) claim(query url.Values, now clockReading) (c calldata.Claim, faults []error) {
	token := func(name string, says common.Address) (common.Address, bool) {
		t, native := common.HexToAddress(query.Get(name)), false
		if !common.IsHexAddress(query.Get(name)) {
			faults = append(faults, fmt.Errorf("the request has no %s", name))
		}
		if monad.IsNative(t) {
			t, native = monad.WrappedNative, true
		}
		if t != says {
			faults = append(faults, fmt.Errorf("the answer's %s is %s", name, says))
		}
		return t, native
	}
	number := func(name, v string) u256.Int {
		n, err := u256.FromDecimal(v)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
		return n
	}
	c.TokenIn, c.NativeIn = token("tokenIn", a.TokenIn)
	c.TokenOut, c.NativeOut = token("tokenOut", a.TokenOut)
	if query.Has("amountOut") { // then the answer says what is paid
		c.AmountIn = number("amountIn", a.AmountIn).String()
	} else {
		c.AmountIn = number("amount", query.Get("amount")).String()
	}
	if !common.IsHexAddress(query.Get("recipient")) {
		faults = append(faults, errors.New("the request has no recipient"))
	}
	c.Recipient = common.HexToAddress(query.Get("recipient"))
	c.MinOut = number("minAmountOut", or(query.Get("minAmountOut"), "0"))
	slippage, err := strconv.ParseUint(or(query.Get("slippageBps"), strconv.Itoa(api.DefaultSlippageBps)), 10, 14)
	if err != nil || slippage > api.MaxSlippageBps {
		faults = append(faults, fmt.Errorf("slippageBps %q", query.Get("slippageBps")))
		slippage = 0
	}
	floor, _ := number("amountOut", a.AmountOut).MulDiv(u256.From(api.MaxSlippageBps-slippage), u256.From(api.MaxSlippageBps))
	if query.Has("amountOut") {
		floor = number("amountOut", query.Get("amountOut"))
	}
	if c.MinOut.Lt(floor) {
		c.MinOut = floor
	}
	if query.Has("feeBps") {
		var fault error
		if c.Fee, fault = feeOf(query); fault != nil {
			faults = append(faults, fault)
		}
	}
	seconds, err := strconv.ParseUint(or(query.Get("deadlineSeconds"), strconv.Itoa(api.DefaultDeadlineSeconds)), 10, 32)
	if err != nil {
		faults = append(faults, err)
	}
	c.Now, c.Deadline = now.earliest, now.latest+seconds
	if query.Has("permit") {
		signed, err := hexutil.Decode(query.Get("permit"))
		if err == nil {
			c.Permit, err = calldata.ParsePermit(signed)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("permit: %w", err))
		}
	}
	for _, r := range a.Routes {
		c.Legs = append(c.Legs, calldata.Leg{Pool: r.Pool, In: number("routes", r.AmountIn), Out: number("routes", r.AmountOut)})
	}
	return c, faults
}

// feeOf is the fee that was asked for.
func feeOf(query url.Values) (*calldata.Fee, error) {
	bps, err := strconv.ParseUint(query.Get("feeBps"), 10, 16)
	if err != nil || !common.IsHexAddress(query.Get("feeRecipient")) {
		return nil, errors.New("the request's feeBps or feeRecipient cannot be read")
	}
	fee := &calldata.Fee{Recipient: common.HexToAddress(query.Get("feeRecipient")), Bps: bps}
	switch query.Get("feeSide") {
	case "", "in":
	case "out":
		fee.Side = calldata.FeeOut
	default:
		return nil, fmt.Errorf("feeSide %q", query.Get("feeSide"))
	}
	return fee, nil
}

// or is s, or otherwise if s is empty.
func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// listedSymbol is the symbol of a token of the token list; empty if it is not on
// it.
func listedSymbol(a common.Address) string {
	for _, t := range monad.Tokens() {
		if t.Address == a {
			return t.Symbol
		}
	}
	return ""
}
