package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"
)

const quoteHelp = `TOKEN_IN and TOKEN_OUT are symbols, in any case, or addresses. MON is the native currency
(so are the zero address and 0xEeee…EEeE), WMON the wrapped one. A symbol means the verified
token of that name; others are named by their address. AMOUNT is in whole tokens: 10 or 0.5.
`

// offer is a quote as the service gives it.
type offer struct {
	TokenIn        string `json:"tokenIn"`
	TokenOut       string `json:"tokenOut"`
	AmountIn       string `json:"amountIn"`
	AmountOut      string `json:"amountOut"`
	PriceImpactBps int    `json:"priceImpactBps"`
	Routes         []struct {
		TokenIn        string `json:"tokenIn"`
		TokenOutSymbol string `json:"tokenOutSymbol"`
		TokenOut       string `json:"tokenOut"`
		Factory        string `json:"factory"`
		Weight         int    `json:"weight"`
	} `json:"routes"`
	Meta struct {
		GasCostWei       string   `json:"gasCostWei"`
		OptimalityGapBps *float64 `json:"optimalityGapBps"`
		BoundReason      string   `json:"boundReason"`
	} `json:"meta"`
}

// quote asks a running service for the best swap and prints its route as a
// tree: braid quote MON USDC 10.
func quote(ctx context.Context, args []string, getenv func(string) string, stdout io.Writer) error {
	f := flags("quote", stdout)
	addr := f.String("addr", envOr(getenv, "BRAID_ADDR", "127.0.0.1:8080"), "where the service is: `host:port` or a URL (BRAID_ADDR)")
	rest, err := arguments(f, args)
	if err != nil {
		return err
	}
	if len(rest) != 3 {
		return misuse("quote takes two tokens and an amount, as in `braid quote MON USDC 10`: see braid quote -h")
	}
	api, err := serviceURL(*addr)
	if err != nil {
		return err
	}
	in, err := lookUp(ctx, api, rest[0])
	if err != nil {
		return err
	}
	out, err := lookUp(ctx, api, rest[1])
	if err != nil {
		return err
	}
	if err := distinct(in, out); err != nil {
		return err
	}
	amount, err := rawAmount(rest[2], in)
	if err != nil {
		return err
	}
	var o offer
	query := url.Values{"tokenIn": {in.Address}, "tokenOut": {out.Address}, "amount": {amount.String()}, "include": {"meta"}}
	if err := get(ctx, api+"/quote?"+query.Encode(), &o); err != nil {
		return err
	}
	o.print(stdout, in, out)
	return nil
}

func (o *offer) print(w io.Writer, in, out coin) {
	fmt.Fprintf(w, "%s %s for %s %s\n", whole(o.AmountOut, out.Decimals), plainText(out.Symbol), whole(o.AmountIn, in.Decimals), plainText(in.Symbol))
	for i := range o.Routes {
		if r := &o.Routes[i]; out.native && strings.EqualFold(r.TokenOut, o.TokenOut) {
			r.TokenOutSymbol = out.Symbol
		}
	}
	o.branch(w, o.TokenIn, "", map[string]bool{})
	fmt.Fprintf(w, "price impact %d bps, gas %s MON\n%s\n", o.PriceImpactBps, whole(o.Meta.GasCostWei, 18), plainText(o.gap()))
}

// branch shows what leaves a token, and below it what goes on from there; a
// token on which branches meet goes on once.
func (o *offer) branch(w io.Writer, token, indent string, seen map[string]bool) {
	if seen[token] {
		return
	}
	seen[token] = true
	for i := range o.Routes {
		if r := &o.Routes[i]; r.TokenIn == token {
			fmt.Fprintf(w, "%s  %6.2f%%  %s  %s\n", indent, float64(r.Weight)/100, plainText(r.TokenOutSymbol), plainText(r.Factory))
			o.branch(w, r.TokenOut, indent+"    ", seen)
		}
	}
}

// gap says how far the quote may be from the best there is. A bound that allows
// for a tenth more says nothing about the quote, whatever the service sends.
func (o *offer) gap() string {
	const useless = 1000 // bps
	switch gap := o.Meta.OptimalityGapBps; {
	case o.Meta.BoundReason != "":
		return o.Meta.BoundReason
	case gap == nil:
		return "how far this is from the best possible is not known"
	case *gap >= useless:
		return "how far this is from the best possible is not known: the bound is too wide"
	default:
		return fmt.Sprintf("at most %g bps below the best possible", *gap)
	}
}
