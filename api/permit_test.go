package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/calldata"
	"braid/families"
	"braid/u256"
)

// TestPermitErrors: a permit that the contract would reject is refused before gas is
// spent on it.
func TestPermitErrors(t *testing.T) {
	s := serve(t)
	signature := strings.Repeat("07", 64) + "1b"
	written := func(p calldata.Permit) string { return fmt.Sprintf("%#x", p.Prefix()) + signature }
	good := calldata.Permit{Kind: calldata.ERC2612, Amount: units(1, 6), Deadline: uint64(now.Unix())}
	late, small := good, good
	late.Deadline, small.Amount = good.Deadline-1, units(1, 6).Sub(u256.One)
	for name, row := range map[string]struct {
		in, out common.Address
		permit  string
		status  int
	}{
		"good":      {usdc, wmon, written(good), 200},
		"late":      {usdc, wmon, written(late), 400},
		"small":     {usdc, wmon, written(small), 400},
		"native":    {common.Address{}, usdc, written(good), 400},
		"no prefix": {usdc, wmon, "0x" + signature, 400},
		"no hex":    {usdc, wmon, "0xzz", 400},
		"bare":      {usdc, wmon, written(good)[2:], 400},
		"empty":     {usdc, wmon, "", 400},
	} {
		q := params("tokenIn", row.in, "tokenOut", row.out, "amount", units(1, 6), "recipient", alice, "permit", row.permit, "include", "approval,calls")
		a := s.raw("GET", "/api/v1/swap"+q)
		if a.status != row.status {
			t.Errorf("%s: %d", name, a.status)
		}
		if row.status != 200 {
			continue
		}
		var b swapBody
		s.get("/api/v1/swap"+q).into(t, &b)
		swap, err := calldata.Decode(b.Tx.Data, families.Steps())
		if err != nil || swap.Permit == nil || b.Approval != nil || len(b.Calls.Calls) != 1 {
			t.Errorf("%s: %+v %v", name, b, err)
		}
	}
}

// TestPermitTypedData: typed data to sign is made of the request's values. (The walk,
// package walk, signs it and sends the swap.)
func TestPermitTypedData(t *testing.T) {
	s := serve(t)
	var b swapBody
	s.get("/api/v1/swap"+params("tokenIn", usdc, "tokenOut", wmon, "amount", units(1, 6), "recipient", alice, "include", "permit",
		"owner", weth, "permitNonce", "41", "permitVersion", "2")).into(t, &b)
	domain := b.Permit.ERC2612.TypedData.Domain
	message, ok := b.Permit.ERC2612.TypedData.Message.(map[string]any)
	if !ok || message["owner"] != weth.Hex() || message["nonce"] != "41" || message["spender"] != testContracts.Router.Hex() || domain.Version != "2" || domain.Name != "USDC" {
		t.Errorf("%+v %+v", domain, message)
	}
	if a := s.raw("GET", "/api/v1/swap"+params("tokenIn", usdc, "tokenOut", wmon, "amount", units(1, 6), "recipient", alice, "permitVersion", "")); a.status != 400 {
		t.Errorf("a domain without its version: %d", a.status)
	}
	var native swapBody
	s.get("/api/v1/swap"+params("tokenIn", common.Address{}, "tokenOut", usdc, "amount", units(1, 18), "recipient", alice, "include", "permit,calls")).into(t, &native)
	if native.Permit != nil || len(native.Calls.Calls) != 1 || native.Calls.Calls[0].Value != "0xde0b6b3a7640000" {
		t.Errorf("native: %+v %+v", native.Permit, native.Calls)
	}
}
