package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
)

const quoteHelp = `TOKEN_IN and TOKEN_OUT are symbols, in any case, or addresses. MON is the native currency
(so are the zero address and 0xEeee…EEeE), WMON the wrapped one. A symbol means the verified
token of that name; others are named by their address. AMOUNT is in whole tokens: 10 or 0.5.
`

// quoteAnswer is what quote prints of an answer of /quote.
type quoteAnswer struct {
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

// quote is the command that asks a running service for the best swap and prints
// its route as a tree.
func quote(ctx context.Context, args []string, getenv func(string) string, stdout io.Writer) error {
	f := flags("quote", stdout)
	addr := f.String("addr", or(getenv("BRAID_ADDR"), "127.0.0.1:8080"), "where the service is: `host:port` or a URL (BRAID_ADDR)")
	maxSteps := f.Uint("max-steps", 0, "most `steps` (pool swaps) of the route; 0: as many as the service allows")
	maxHops := f.Uint("max-hops", 0, "most `steps` one after the other; 0: as many as the service allows")
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
	in, err := findToken(ctx, api, rest[0])
	if err != nil {
		return err
	}
	out, err := findToken(ctx, api, rest[1])
	if err != nil {
		return err
	}
	if err := checkDistinct(in, out); err != nil {
		return err
	}
	amount, err := parseAmount(rest[2], in)
	if err != nil {
		return err
	}
	var o quoteAnswer
	query := url.Values{"tokenIn": {in.Address}, "tokenOut": {out.Address}, "amount": {amount.String()}, "include": {"meta"}}
	for name, limit := range map[string]uint{"maxSteps": *maxSteps, "maxHops": *maxHops} {
		if limit > 0 {
			query.Set(name, strconv.FormatUint(uint64(limit), 10))
		}
	}
	if err := getJSON(ctx, api+"/quote?"+query.Encode(), &o); err != nil {
		return err
	}
	o.print(stdout, in, out)
	return nil
}

// print writes the amounts, the route and what it costs.
func (o *quoteAnswer) print(w io.Writer, in, out coin) {
	fmt.Fprintf(w, "%s %s for %s %s\n", formatAmount(o.AmountOut, out.Decimals), plainText(out.Symbol), formatAmount(o.AmountIn, in.Decimals), plainText(in.Symbol))
	for i := range o.Routes {
		if r := &o.Routes[i]; out.native && strings.EqualFold(r.TokenOut, o.TokenOut) {
			r.TokenOutSymbol = out.Symbol
		}
	}
	o.branch(w, o.TokenIn, "", map[string]bool{})
	fmt.Fprintf(w, "price impact %d bps, gas %s MON\n%s\n", o.PriceImpactBps, formatAmount(o.Meta.GasCostWei, 18), plainText(o.gap()))
}

// branch prints the steps that start at a token, and indented below each the
// steps from its output on. A token that several steps lead to is continued once.
func (o *quoteAnswer) branch(w io.Writer, token, indent string, seen map[string]bool) {
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

// gap says by how much any route could pay more at most, or why that is not known.
func (o *quoteAnswer) gap() string {
	const unknown = "how far this is from the best possible is not known"
	reason := o.Meta.BoundReason
	switch gap := o.Meta.OptimalityGapBps; {
	case strings.HasPrefix(reason, "market holds arbitrage"):
		return unknown + ": the " + reason + ", more than one swap can take"
	case reason != "":
		return reason
	case gap == nil:
		return unknown
	default:
		return fmt.Sprintf("at most %g bps below the best possible", *gap)
	}
}
