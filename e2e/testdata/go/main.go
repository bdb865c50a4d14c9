// A swap with a Go client that oapi-codegen makes of /openapi.json:
//
//	curl -O http://127.0.0.1:8080/openapi.json
//	go tool oapi-codegen -generate client,models -package braid -o braid/braid.go openapi.json
//	go run . http://127.0.0.1:8080
//
// It asks for a quote, for the swap, and for one with a mistake in it, and
// prints the swap as JSON for whoever signs it.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"client/braid"
)

const recipient = "0x00000000000000000000000000000000c0ffee01"

func main() {
	c, err := braid.NewClientWithResponses(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	in, out := token(ctx, c, "WMON"), token(ctx, c, "USDC")
	amount, fraction := "1000000000000000000000", "1.5"
	extras, slippage := "meta,why,approval,calls,permit", 50

	quote, err := c.QuoteWithResponse(ctx, &braid.QuoteParams{TokenIn: in, TokenOut: out, Amount: &amount})
	if err != nil || quote.JSON200 == nil {
		log.Fatalf("quote: %v %s", err, quote.Status())
	}
	swap, err := c.SwapWithResponse(ctx, &braid.SwapParams{TokenIn: in, TokenOut: out, Amount: &amount, Recipient: recipient, SlippageBps: &slippage, Include: &extras})
	if err != nil || swap.JSON200 == nil {
		log.Fatalf("swap: %v %s", err, swap.Status())
	}
	if quote.JSON200.AmountOut != swap.JSON200.AmountOut || swap.JSON200.Meta == nil || swap.JSON200.Approval == nil {
		log.Fatalf("quote %s, swap %s", quote.Body, swap.Body)
	}

	wrong, err := c.QuoteWithResponse(ctx, &braid.QuoteParams{TokenIn: in, TokenOut: out, Amount: &fraction})
	if err != nil {
		log.Fatal(err)
	}
	p := wrong.ApplicationproblemJSON400
	if p == nil || p.Code != braid.INVALIDAMOUNT || len(p.Errors) != 1 || p.Errors[0].Parameter != "amount" {
		log.Fatalf("a wrong amount: %s", wrong.Body)
	}
	json.NewEncoder(os.Stdout).Encode(swap.JSON200)
}

// token is the address of a verified token.
func token(ctx context.Context, c *braid.ClientWithResponses, symbol string) string {
	list, err := c.TokensWithResponse(ctx, &braid.TokensParams{Search: &symbol})
	if err != nil || list.JSON200 == nil {
		log.Fatalf("tokens: %v %s", err, list.Status())
	}
	for _, t := range list.JSON200.Tokens {
		if t.Symbol == symbol && t.IsVerified {
			return t.Address
		}
	}
	log.Fatalf("no %s", symbol)
	return ""
}
