package api

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"braid/calldata"
	"braid/monad"
	"braid/router"
	"braid/u256"
)

// lastReserved is the highest address that is kept for precompiled contracts of
// the chain, present and future.
var lastReserved = common.HexToAddress("0xffff")

// Defaults and limits of request parameters, for clients that check an answer.
const (
	DefaultSlippageBps     = 50     // slippageBps, in 1/10000 of the quoted amount
	MaxSlippageBps         = 10_000 // slippageBps: no lower limit but 1 raw unit
	DefaultDeadlineSeconds = 600    // deadlineSeconds, from now or from the block's time, whichever is later
)

// The parameters that endpoints know.
var (
	quoteParameters = []string{"tokenIn", "tokenOut", "amount", "amountOut", "feeBps", "feeRecipient", "feeSide", "slippageBps", "excludeSources", "includeSources", "onlyVerified", "maxSteps", "maxHops", "include", "chainId"}
	swapParameters  = append([]string{
		"recipient", "minAmountOut", "deadlineSeconds", "maxPriceImpactBps", "owner", "permit", "permitNonce", "permitVersion",
	}, quoteParameters...)
)

// request is the checked parameters of /quote, /stream, /swap or /depth.
type request struct {
	router.Order                        // native currency is replaced by wrapped native
	excludedIDs, includedIDs   []string // as given; Order.Exclude is what follows from both
	onlyVerified               bool     // by the request alone; Order.VerifiedHops is what holds
	shaped                     bool     // by maxSteps or maxHops
	nativeIn, nativeOut        bool
	slippageBps                uint64
	deadlineSeconds            uint64
	wantMeta, wantWhy, wantViz bool
	wantApproval               bool

	exactIn    u256.Int // amount, of which Order.AmountIn is what is left after the fee; 0: amountOut is given
	exactOut   u256.Int // amountOut; 0: amount is given
	coveredBps uint64   // slippage after which exactOut is still paid: on /swap slippageBps, on /quote none
	fee        *calldata.Fee

	// Parameters of /swap alone.
	recipient     common.Address
	minAmountOut  u256.Int
	maxImpactBps  int
	permitOptions permitOptions
}

// parseQuote reads the parameters of /quote and /stream.
func (s *server) parseQuote(w *response) (request, error) {
	q := readQuery(w, quoteParameters)
	req := s.parseOrder(q, "meta", "why", "viz")
	return req, q.err()
}

// parseSwap reads the parameters of /swap.
func (s *server) parseSwap(w *response) (request, error) {
	q := readQuery(w, swapParameters)
	req := s.parseOrder(q, "meta", "why", "viz", "approval", "permit", "calls")
	req.recipient = s.parsePayee(q, &req, "recipient")
	if req.fee != nil && req.fee.Recipient == req.recipient && !q.rejected["feeRecipient"] {
		q.reject("feeRecipient", invalidRecipient, "is the recipient of the swap, whose least output the fee would count as; give another")
	}
	req.coveredBps = req.slippageBps
	if !req.exactOut.IsZero() && req.slippageBps == MaxSlippageBps && !q.rejected["slippageBps"] {
		q.reject("slippageBps", invalidSlippage, "is 10000, after which nothing is left of any output; with amountOut give less")
	}
	s.parsePermitOptions(q, &req)
	if v, ok := q.optional("minAmountOut"); ok {
		if req.minAmountOut, ok = parseDecimal(v); !ok {
			q.reject("minAmountOut", invalidParameter, amountMessage(v, "0"))
		}
	}
	req.deadlineSeconds = q.integer("deadlineSeconds", DefaultDeadlineSeconds, 30, 3600, " in seconds from now", invalidParameter)
	req.maxImpactBps = int(q.integer("maxPriceImpactBps", uint64(s.MaxImpactBps), 0, 10000, " in basis points: 100 is 1 %", invalidParameter))
	return req, q.err()
}

// parseOrder reads what /quote and /swap have in common; includes are the items
// that the parameter include may have.
func (s *server) parseOrder(q *query, includes ...string) request {
	req := s.parsePair(q)
	q.parseAmount(&req)
	s.parseFee(q, &req)
	req.AmountIn = req.afterFee(calldata.FeeIn, req.exactIn)
	req.slippageBps = q.integer("slippageBps", DefaultSlippageBps, 0, MaxSlippageBps, " in basis points: 50 is 0.5 %", invalidSlippage)
	for _, item := range q.includes(includes...) {
		switch item {
		case "meta":
			req.wantMeta = true
		case "why":
			req.wantWhy = true
		case "viz":
			req.wantViz = true
		case "approval":
			req.wantApproval = true
		case "permit":
			req.permitOptions.wantPermit = true
		case "calls":
			req.permitOptions.wantCalls = true
		}
	}
	return req
}

// includes reads the parameter include, whose items must be among the known.
func (q *query) includes(known ...string) []string {
	items := q.list("include")
	for _, item := range items {
		if !slices.Contains(known, item) {
			message := fmt.Sprintf("asks for %.32q, which is none of %s; separate several by commas", item, strings.Join(known, ", "))
			if len(known) == 1 {
				message = fmt.Sprintf("asks for %.32q; all that there is to include is %s", item, known[0])
			}
			q.reject("include", invalidParameter, message)
			break
		}
	}
	return items
}

// parsePair reads the two tokens and what parseShared reads.
func (s *server) parsePair(q *query) (req request) {
	s.parseTokenPair(q, &req)
	s.parseShared(q, &req)
	return req
}

// parseShared reads what orders of one request share: which sources and tokens they
// may pass, and the chain ID.
func (s *server) parseShared(q *query, req *request) {
	req.deadlineSeconds = DefaultDeadlineSeconds
	onlyVerified := q.boolean("onlyVerified")
	req.VerifiedHops = s.VerifiedHops || onlyVerified
	req.onlyVerified = onlyVerified && !s.VerifiedHops
	s.parseSources(q, req)
	s.parseShape(q, req)
	q.chain()
}

// parseShape reads how many steps a route may have, and how many one after the other;
// neither may be more than the service allows.
func (s *server) parseShape(q *query, req *request) {
	const unit = ": no route of this service has more"
	most := uint64(cmp.Or(s.MaxSteps, router.DefaultMaxSteps))
	req.MaxSteps = int(q.integer("maxSteps", most, 1, most, unit, invalidParameter))
	req.MaxHops = int(q.integer("maxHops", 0, 1, router.DefaultMaxHops, unit, invalidParameter))
	req.shaped = req.MaxHops > 0 || uint64(req.MaxSteps) < most
}

// parseTokenPair reads the two tokens.
func (s *server) parseTokenPair(q *query, req *request) {
	var okIn, okOut bool
	req.TokenIn, req.nativeIn, okIn = s.parseToken(q, "tokenIn")
	req.TokenOut, req.nativeOut, okOut = s.parseToken(q, "tokenOut")
	if okIn && okOut && req.TokenIn == req.TokenOut {
		q.reject("tokenOut", sameToken, "is the token of tokenIn; give another. Native and wrapped native count as one: to wrap or unwrap, call WMON's deposit or withdraw")
	}
}

// chain rejects requests for another chain. Clients of other aggregators send
// the chain ID with every request, in decimal or in hex.
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
		q.reject("chainId", wrongChain, "is not 143: this service trades on Monad (chain ID 143) alone; send 143 or leave it out")
	}
}

// parseToken reads a token. An address that stands for the native currency
// becomes wrapped native, and native says so.
func (s *server) parseToken(q *query, name string) (token common.Address, native, ok bool) {
	token, ok = q.address(name)
	if ok && monad.IsNative(token) {
		return s.Contracts.WrappedNative, true, true
	}
	return token, false, ok
}

// parseSources reads excludeSources and includeSources. With the second, all sources
// but those are excluded.
func (s *server) parseSources(q *query, req *request) {
	req.excludedIDs, req.includedIDs = s.sourceList(q, "excludeSources"), s.sourceList(q, "includeSources")
	req.Exclude = make(map[string]bool, len(req.excludedIDs))
	for _, id := range req.excludedIDs {
		req.Exclude[id] = true
	}
	if len(req.includedIDs) == 0 {
		return
	}
	for id := range s.knownSources {
		if !slices.Contains(req.includedIDs, id) {
			req.Exclude[id] = true
		}
	}
}

// sourceList reads a list of sources and rejects unknown ids: because of a misspelled
// id, an order would be routed through a source that the caller avoids.
func (s *server) sourceList(q *query, name string) []string {
	ids := q.list(name)
	for _, id := range ids {
		if s.knownSources[id] {
			continue
		}
		if !q.rejected[name] {
			q.reject(name, unknownSource, fmt.Sprintf("names %.32q, which is no source; /api/v1/liquidity-sources lists them, case matters", id))
		}
		for _, meant := range Nearest(id, s.sourceIDs) {
			if !slices.Contains(q.hints.DidYouMean, meant) {
				q.hints.DidYouMean = append(q.hints.DidYouMean, meant)
			}
		}
	}
	return ids
}

const outputLost = ", where the output would be lost; give the address of an account or contract that is to keep it"

// parsePayee reads the address of an account that is to be paid, and rejects addresses
// at which the payment would be lost. Other contracts are allowed. The pools of the
// route are known only later: quote.check rejects those.
func (s *server) parsePayee(q *query, req *request, name string) (to common.Address) {
	to, ok := q.address(name)
	if !ok {
		return to
	}
	if given := q.values[name]; isMixedCase(given) && to.Hex() != given {
		q.reject(name, invalidChecksum, "has a wrong EIP-55 checksum; check it, or write it in lower case")
		return to
	}
	why := ""
	switch {
	case to.Cmp(lastReserved) <= 0:
		why = "is the zero address or a precompile"
	case monad.IsNative(to):
		why = "is the placeholder of the native currency"
	case to == s.Contracts.Router || to == s.Contracts.Executor:
		why = "is a contract of the aggregator"
	case to == s.Contracts.WrappedNative:
		why = "is the wrapped native token"
	case to == req.TokenIn || to == req.TokenOut:
		why = "is a token of the swap"
	}
	if why != "" {
		q.reject(name, invalidRecipient, why+outputLost)
	}
	return to
}
