package contracts

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

// TestIncidents replays how aggregators were emptied, as far as our steps can
// express it. user and victim have both approved the Router without limit.
func TestIncidents(t *testing.T) {
	r := newRig(t)
	identity := common.BytesToAddress([]byte{4})
	as := func(token common.Address) []byte { return route(nil, through(pair{token, 30}, 0, 1)) }
	for name, c := range map[string]struct {
		mutate func(*order)
		fault  string
	}{
		// Transit, Sushi RouteProcessor2, Dexible: the pool is a token.
		"tokenIn as pool":        {func(o *order) { o.route = as(r.a) }, "0x"},
		"tokenOut as pool":       {func(o *order) { o.route = as(r.b) }, "0x"},
		"wrapped native as pool": {func(o *order) { o.route = as(r.wrapped) }, "0x"},
		"router as pool":         {func(o *order) { o.route = as(r.router) }, "PulledToRouter"},
		"executor as pool":       {func(o *order) { o.route = as(r.exec) }, "NotCalled"},
		"precompile as pool":     {func(o *order) { o.route = as(identity) }, "0x"},
		// Rubic, Socket, LI.FI, SwapNet: the call target is the caller's choice.
		"token as executor":          {func(o *order) { o.executor = r.a }, "0x"},
		"wrapped native as executor": {func(o *order) { o.executor = r.wrapped }, "TooLittleOut"},
		"router as executor":         {func(o *order) { o.executor = r.router }, "0x"},
		"precompile as executor":     {func(o *order) { o.executor = identity }, "NotContract"},
		// Unizen, Odos: a path that moves nothing still reaches a payout.
		"zero-amount path": {func(o *order) { o.amountIn = big.NewInt(1); o.route = route(nil, through(r.ab, 0, 1).part(1)) }, "ZeroAmount"},
		"empty path":       {func(o *order) { o.route = nil }, "Truncated"},
		// 1inch Fusion v1: lengths of the calldata reach past their end.
		"table past the end": {func(o *order) { o.route = []byte{255} }, "Truncated"},
		// ParaSwap V6: a stranger's callback or call spends the allowance.
		"value mismatch":     {func(o *order) { o.tokenIn, o.tokenOut, o.value = r.wrapped, r.a, big.NewInt(1) }, "WrongValue"},
		"recipient = router": {func(o *order) { o.recipient = r.router }, "BadRecipient"},
	} {
		t.Run(name, func(t *testing.T) {
			r.t = t
			o := r.order(r.a, r.b, e18(1), route(nil, through(r.ab, 0, 1)))
			c.mutate(&o)
			r.refuses(o, c.fault)
		})
	}
}

// Whatever a hostile executor tells the tokens, nobody has approved it, and
// nobody is left approved by our contracts.
func TestIncidentApprovalLeftBehind(t *testing.T) {
	r := newRig(t)
	r.pays(r.order(r.a, r.c, e18(1), route([]common.Address{r.b}, through(r.ab, 0, 2), through(r.bc, 2, 1))),
		r.quote(r.bc, r.b, r.c, r.quote(r.ab, r.a, r.b, e18(1))))
	r.pays(r.order(r.a, native, e18(1), route(nil, through(r.wa, 0, 1))), r.quote(r.wa, r.a, r.wrapped, e18(1)))
	for _, token := range []common.Address{r.a, r.b, r.c, r.wrapped} {
		for _, owner := range []common.Address{r.router, r.exec} {
			for _, spender := range []common.Address{r.router, r.exec, r.ab.at, r.bc.at, r.wa.at, user, recipient} {
				if left := r.must(user, token, nil, pack(Token, "allowance", owner, spender)); new(big.Int).SetBytes(left).Sign() != 0 {
					t.Errorf("%s may spend %s of %s", spender, token, owner)
				}
			}
		}
	}
}
