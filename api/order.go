package api

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"braid/monad"
	"braid/router"
	"braid/u256"
)

// lastPrecompile: up to here stand, or may come to stand, contracts of the
// chain itself.
var lastPrecompile = common.HexToAddress("0xffff")

// Defaults and limits of request parameters, for clients that check an answer.
const (
	DefaultSlippageBps     = 50     // slippageBps, in 1/10000 of the quoted amount
	MaxSlippageBps         = 10_000 // slippageBps: no lower limit but 1 raw unit
	DefaultDeadlineSeconds = 600    // deadlineSeconds, from now or from the block's time, whichever is later
)

const maxExclusions = 64

var (
	quoteParameters = []string{"tokenIn", "tokenOut", "amount", "slippageBps", "excludeSources", "include", "chainId"}
	swapParameters  = append([]string{
		"recipient", "minAmountOut", "deadlineSeconds", "maxPriceImpactBps", "owner", "permit", "permitNonce", "permitVersion",
	}, quoteParameters...)
)

// ask is what a caller of /quote or /swap wants.
type ask struct {
	router.Order
	excluded            []string
	nativeIn, nativeOut bool
	slippageBps         uint64
	deadlineSeconds     uint64
	meta, why, viz      bool
	approval            bool

	// Of /swap alone.
	recipient    common.Address
	minAmountOut u256.Int
	maxImpactBps int
	signing      signing
}

func (s *server) askQuote(x *exchange) (ask, error) {
	q := read(x, quoteParameters)
	a := s.askOrder(q, "meta", "why", "viz")
	return a, q.err()
}

func (s *server) askSwap(x *exchange) (ask, error) {
	q := read(x, swapParameters)
	a := s.askOrder(q, "meta", "why", "viz", "approval", "permit", "calls")
	s.askRecipient(q, &a)
	s.askSigning(q, &a)
	if v, ok := q.optional("minAmountOut"); ok {
		if a.minAmountOut, ok = decimal(v); !ok {
			q.fault("minAmountOut", invalidParameter, whole(v, "0"))
		}
	}
	a.deadlineSeconds = q.integer("deadlineSeconds", DefaultDeadlineSeconds, 30, 3600, " in seconds from now", invalidParameter)
	a.maxImpactBps = int(q.integer("maxPriceImpactBps", uint64(s.MaxImpactBps), 0, 10000, " in basis points: 100 is 1 %", invalidParameter))
	return a, q.err()
}

func (s *server) askOrder(q *query, includes ...string) ask {
	a := s.askPair(q)
	a.AmountIn = q.amount("amount")
	a.slippageBps = q.integer("slippageBps", DefaultSlippageBps, 0, MaxSlippageBps, " in basis points: 50 is 0.5 %", invalidSlippage)
	for _, item := range q.list("include") {
		switch {
		case !slices.Contains(includes, item):
			q.fault("include", invalidParameter, fmt.Sprintf("asks for %.32q, which is none of %s; separate several by commas", item, strings.Join(includes, ", ")))
			return a
		case item == "meta":
			a.meta = true
		case item == "why":
			a.why = true
		case item == "viz":
			a.viz = true
		case item == "approval":
			a.approval = true
		case item == "permit":
			a.signing.wanted = true
		case item == "calls":
			a.signing.calls = true
		}
	}
	return a
}

// askPair is what is to be traded for what, and where not.
func (s *server) askPair(q *query) ask {
	a := ask{deadlineSeconds: DefaultDeadlineSeconds}
	a.MaxSteps, a.VerifiedHops = s.MaxSteps, s.VerifiedHops
	var okIn, okOut bool
	a.TokenIn, a.nativeIn, okIn = s.askToken(q, "tokenIn")
	a.TokenOut, a.nativeOut, okOut = s.askToken(q, "tokenOut")
	if okIn && okOut && a.TokenIn == a.TokenOut {
		q.fault("tokenOut", sameToken, "is the token of tokenIn; give another. Native and wrapped native count as one: to wrap or unwrap, call WMON's deposit or withdraw")
	}
	s.askExclusions(q, &a)
	q.chain()
	return a
}

// chain refuses requests that are meant for another chain. Callers of other
// aggregators name theirs with every request, in decimal or in hex.
func (q *query) chain() {
	v, given := q.optional("chainId")
	if !given {
		return
	}
	digits, base := v, 10
	if hex, ok := strings.CutPrefix(strings.ToLower(v), "0x"); ok {
		digits, base = hex, 16
	}
	if n, err := strconv.ParseUint(digits, base, 64); err != nil || n != monad.ChainID {
		q.fault("chainId", wrongChain, "is not 143: this service trades on Monad (chain ID 143) alone; send 143 or leave it out")
	}
}

// askToken folds the native names into wrapped native, and remembers them.
func (s *server) askToken(q *query, name string) (token common.Address, native, ok bool) {
	token, ok = q.address(name)
	if ok && monad.IsNative(token) {
		return s.Contracts.WrappedNative, true, true
	}
	return token, false, ok
}

// askExclusions refuses ids that were never registered: a slip of the pen
// must not route through a venue that the caller avoids.
func (s *server) askExclusions(q *query, a *ask) {
	a.excluded = q.list("excludeSources")
	if len(a.excluded) > maxExclusions {
		q.fault("excludeSources", invalidParameter, fmt.Sprintf("has %d ids; give at most %d", len(a.excluded), maxExclusions))
		return
	}
	a.Exclude = make(map[string]bool, len(a.excluded))
	for _, id := range a.excluded {
		a.Exclude[id] = true
		if s.known[id] {
			continue
		}
		if !q.faulty["excludeSources"] {
			q.fault("excludeSources", unknownSource, fmt.Sprintf("names %.32q, which is no source; /api/v1/liquidity-sources lists them, case matters", id))
		}
		for _, meant := range nearest(id, s.ids) {
			if !slices.Contains(q.hints.DidYouMean, meant) {
				q.hints.DidYouMean = append(q.hints.DidYouMean, meant)
			}
		}
	}
}

const lostThere = ", where the output would be lost; give the address of an account or contract that is to keep it"

// askRecipient refuses addresses at which the output would be lost. Contracts
// are fine. Pools of the route are refused once there is one.
func (s *server) askRecipient(q *query, a *ask) {
	to, ok := q.address("recipient")
	if !ok {
		return
	}
	a.recipient = to
	if given := q.values["recipient"]; mixedCase(given) && to.Hex() != given {
		q.fault("recipient", invalidChecksum, "has a wrong EIP-55 checksum; check it, or write it in lower case")
		return
	}
	why := ""
	switch {
	case to.Cmp(lastPrecompile) <= 0:
		why = "is the zero address or a precompile"
	case monad.IsNative(to):
		why = "is the placeholder of the native currency"
	case to == s.Contracts.Router || to == s.Contracts.Executor:
		why = "is a contract of the aggregator"
	case to == s.Contracts.WrappedNative:
		why = "is the wrapped native token"
	case to == a.TokenIn || to == a.TokenOut:
		why = "is a token of the swap"
	}
	if why != "" {
		q.fault("recipient", invalidRecipient, why+lostThere)
	}
}
