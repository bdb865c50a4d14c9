package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// coin is a token as the service lists it.
type coin struct {
	Address  string `json:"address"`
	Symbol   string `json:"symbol"`
	Decimals int    `json:"decimals"`
}

// offer is a quote as the service gives it.
type offer struct {
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
		GasCostWei       string  `json:"gasCostWei"`
		OptimalityGapBps float64 `json:"optimalityGapBps"`
	} `json:"meta"`
}

// quote asks a running service for the best swap and prints its route as a
// tree: braid quote WMON USDC 1000.
func quote(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	f := flags("quote", stderr)
	addr := f.String("addr", envOr(getenv, "BRAID_ADDR", "127.0.0.1:8080"), "where the service listens (`host:port`; BRAID_ADDR)")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() != 3 {
		return errors.New("quote takes two tokens and an amount, as in `braid quote WMON USDC 1000`")
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	api := "http://" + *addr + "/api/v1"
	in, err := lookUp(ctx, api, f.Arg(0))
	if err != nil {
		return err
	}
	out, err := lookUp(ctx, api, f.Arg(1))
	if err != nil {
		return err
	}
	amount, ok := new(big.Rat).SetString(f.Arg(2))
	if !ok || amount.Sign() <= 0 {
		return fmt.Errorf("%.40q is no amount", f.Arg(2))
	}
	raw := new(big.Rat).Mul(amount, unit(in.Decimals))
	if !raw.IsInt() {
		return fmt.Errorf("%s has %d decimals only", in.Symbol, in.Decimals)
	}
	var o offer
	query := url.Values{"tokenIn": {in.Address}, "tokenOut": {out.Address}, "amount": {raw.Num().String()}, "include": {"meta"}}
	if err := get(ctx, api+"/quote?"+query.Encode(), &o); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s %s for %s %s\n", whole(o.AmountOut, out.Decimals), out.Symbol, whole(o.AmountIn, in.Decimals), in.Symbol)
	o.print(stdout, strings.ToLower(in.Address), "", map[string]bool{})
	fmt.Fprintf(stdout, "impact %d bps, gas %s MON, at most %g bps below the optimum\n", o.PriceImpactBps, whole(o.Meta.GasCostWei, 18), o.Meta.OptimalityGapBps)
	return nil
}

// print shows what leaves a token, and below it what goes on from there; a
// token on which branches meet goes on once.
func (o *offer) print(w io.Writer, token, indent string, seen map[string]bool) {
	if seen[token] {
		return
	}
	seen[token] = true
	for i := range o.Routes {
		if r := &o.Routes[i]; r.TokenIn == token {
			fmt.Fprintf(w, "%s  %6.2f%%  %s  %s\n", indent, float64(r.Weight)/100, r.TokenOutSymbol, r.Factory)
			o.print(w, r.TokenOut, indent+"    ", seen)
		}
	}
}

// lookUp finds a token by its symbol, whatever its case, or its address.
func lookUp(ctx context.Context, api, name string) (coin, error) {
	var list struct {
		Tokens []coin `json:"tokens"`
	}
	if err := get(ctx, api+"/tokens?"+url.Values{"search": {name}, "limit": {"1"}}.Encode(), &list); err != nil {
		return coin{}, err
	}
	if len(list.Tokens) == 0 || !strings.EqualFold(list.Tokens[0].Symbol, name) && !strings.EqualFold(list.Tokens[0].Address, name) {
		return coin{}, fmt.Errorf("no token %.50q on the market", name)
	}
	return list.Tokens[0], nil
}

// get reads an answer of the service, or the reason it gives.
func get(ctx context.Context, address string, v any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("no service there: %w: start one, or choose it with --addr or BRAID_ADDR", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		var reason struct{ Code, Detail string }
		_ = json.NewDecoder(resp.Body).Decode(&reason) // what cannot be read stays empty
		return fmt.Errorf("the service says %d %s: %s", resp.StatusCode, reason.Code, reason.Detail)
	}
	return json.NewDecoder(resp.Body).Decode(v)
}

func unit(decimals int) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil))
}

// whole writes raw units as whole tokens.
func whole(raw string, decimals int) string {
	n, ok := new(big.Rat).SetString(raw)
	if !ok {
		return raw
	}
	s := n.Quo(n, unit(decimals)).FloatString(decimals)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}
