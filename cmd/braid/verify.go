package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"braid/calldata"
	"braid/contracts"
	"braid/monad"
	"braid/u256"
)

// verify holds an answer of /swap to the request it was given for, and tells in
// words what its transaction does:
//
//	braid verify --request 'http://…/swap?tokenIn=…' answer.json
func verify(_ context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	f := flags("verify", stderr)
	request := f.String("request", "", "the `URL` that was asked, or its query alone")
	query := url.Values{}
	for _, name := range []string{"tokenIn", "tokenOut", "amount", "recipient", "slippageBps", "minAmountOut", "deadlineSeconds"} {
		f.Func(name, "what was asked, instead of the request's", func(v string) error {
			query.Set(name, v)
			return nil
		})
	}
	if err := f.Parse(args); err != nil {
		return err
	}
	asked, err := url.Parse(*request)
	if err != nil {
		return err
	}
	given := asked.Query()
	if asked.RawQuery == "" {
		if given, err = url.ParseQuery(*request); err != nil {
			return err
		}
	}
	for name, v := range query {
		given[name] = v
	}
	in := stdin
	switch f.NArg() {
	case 0:
	case 1:
		file, err := os.Open(f.Arg(0))
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	default:
		return errors.New("verify takes one answer")
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	var a answer
	if err := errors.Join(plain(json.NewDecoder(bytes.NewReader(text))), json.Unmarshal(text, &a)); err != nil {
		return fmt.Errorf("the answer: %w", err)
	}
	return a.verify(given, time.Now(), stdout)
}

// plain refuses a value in which two names of an object are the same but for
// their case: what is read here and what a wallet reads could be two things.
func plain(d *json.Decoder) error {
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
		if err := plain(d); err != nil {
			return err
		}
	}
	if nested {
		_, err = d.Token()
	}
	return err
}

// answer is what of an answer of /swap the transaction must do.
type answer struct {
	TokenIn, TokenOut   common.Address
	AmountIn, AmountOut string
	Routes              []struct{ Pool, AmountIn, AmountOut string }
	Tx                  call
	Approval            *call
	Calls               *batch
	Permit              *permits
}

func (a *answer) verify(query url.Values, now time.Time, stdout io.Writer) error {
	router, executor := contracts.Addresses(monad.WrappedNative)
	known := calldata.Contracts{Router: router, Executor: executor, WrappedNative: monad.WrappedNative, Permit2: contracts.Permit2}
	claim, faults := a.claim(query, now)
	value, err := u256.FromDecimal(a.Tx.Value)
	if err != nil {
		faults = append(faults, fmt.Errorf("tx.value: %w", err))
	}
	swap, err := known.Verify(calldata.Tx{To: a.Tx.To, Data: a.Tx.Data, Value: value}, claim)
	if len(swap.Steps) > 0 {
		for _, line := range swap.Words(symbol) {
			fmt.Fprintln(stdout, line)
		}
	}
	faults = append(append(faults, err), a.consents(claim, router)...)
	faults = append(faults, a.signs(claim, query, known)...)
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("the transaction is not what was asked for:\n%w", err)
	}
	fmt.Fprintln(stdout, "the transaction does what was asked for and what the answer says")
	return nil
}

// claim reads what was asked, and holds the answer's own words to it.
func (a *answer) claim(query url.Values, now time.Time) (c calldata.Claim, faults []error) {
	token := func(name string, says common.Address) (common.Address, bool) {
		t, native := common.HexToAddress(query.Get(name)), false
		if !common.IsHexAddress(query.Get(name)) {
			faults = append(faults, fmt.Errorf("the request has no %s", name))
		}
		if t == (common.Address{}) || t == common.HexToAddress("0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE") {
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
	c.AmountIn = number("amount", query.Get("amount")).String()
	if !common.IsHexAddress(query.Get("recipient")) {
		faults = append(faults, errors.New("the request has no recipient"))
	}
	c.Recipient = common.HexToAddress(query.Get("recipient"))
	c.MinOut = number("minAmountOut", or(query.Get("minAmountOut"), "0"))
	slippage, err := strconv.ParseUint(or(query.Get("slippageBps"), "50"), 10, 14)
	if err != nil || slippage > 10_000 {
		faults = append(faults, fmt.Errorf("slippageBps %q", query.Get("slippageBps")))
		slippage = 0
	}
	floor, _ := number("amountOut", a.AmountOut).MulDiv(u256.From(10_000-slippage), u256.From(10_000))
	if c.MinOut.Lt(floor) {
		c.MinOut = floor
	}
	seconds, err := strconv.ParseUint(or(query.Get("deadlineSeconds"), "600"), 10, 32)
	if err != nil {
		faults = append(faults, err)
	}
	const ahead = 60 // that a chain's clock may be of ours
	c.Now, c.Deadline = uint64(now.Unix()), uint64(now.Unix())+seconds+ahead
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

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// symbol is a token's on the list.
func symbol(a common.Address) string {
	for _, t := range monad.Tokens() {
		if t.Address == a {
			return t.Symbol
		}
	}
	return ""
}
