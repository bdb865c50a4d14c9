package api

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/monad"
	"braid/venue"
)

const (
	defaultLimit = 100 // tokens of an answer
	maxLimit     = 500
	maxSearch    = 64 // characters of the parameter search
)

// tokenBody is the JSON of a token.
type tokenBody struct {
	Address    string `json:"address"`
	Symbol     string `json:"symbol"`
	Name       string `json:"name"`
	Decimals   uint8  `json:"decimals"`
	LogoURI    string `json:"logoURI"`
	IsVerified bool   `json:"isVerified"`
}

// tokenMarketBody is what include=market adds to a token: the price of a whole one,
// and the value of all pools' holdings of it.
type tokenMarketBody struct {
	PriceUsd     string `json:"priceUsd"`
	LiquidityUsd string `json:"liquidityUsd"`
}

// listedToken is a token with what it is sorted and found by.
type listedToken struct {
	tokenBody
	address      common.Address
	lowerSymbol  string // the symbol in lower case
	liquidityUSD float64
}

// listTokens are the tokens of a snapshot that can be routed now, in the order in
// which they are shown: verified ones first, then by liquidity (highest first),
// symbol and address.
func listTokens(snap *market.Snapshot) (tokens []listedToken) {
	for i, t := range snap.Tokens() {
		if !routable(snap, i) {
			continue
		}
		tokens = append(tokens, listedToken{
			tokenBody: tokenBody{
				Address: t.Address.Hex(), Symbol: t.Symbol, Name: t.Name,
				Decimals: t.Decimals, LogoURI: t.LogoURI, IsVerified: t.Verified,
			},
			address: t.Address, lowerSymbol: strings.ToLower(t.Symbol), liquidityUSD: snap.Price(i).Liquidity,
		})
	}
	slices.SortFunc(tokens, func(a, b listedToken) int {
		if a.IsVerified != b.IsVerified {
			if a.IsVerified {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.liquidityUSD, a.liquidityUSD), cmp.Compare(a.Symbol, b.Symbol), a.address.Cmp(b.address))
	})
	return tokens
}

// routable says whether a pool of the token can be swapped in, in either direction.
func routable(snap *market.Snapshot, token int) bool {
	for e := range snap.Edges(token) {
		if p := snap.Pools()[e.Pool]; p.Spot(e.In, e.Out) > 0 || p.Spot(e.Out, e.In) > 0 {
			return true
		}
	}
	return false
}

// tokens is the endpoint /tokens. It lists the newest snapshot, however old.
func (s *server) tokens(w *response) error {
	req, err := parseTokens(w)
	if err != nil {
		return err
	}
	c, err := s.headOfAnyAge()
	if err != nil {
		return err
	}
	type listed struct {
		tokenBody
		*tokenMarketBody
	}
	found := s.matchTokens(c.listedTokens(), req.search)
	body := make([]listed, min(len(found), req.limit))
	for i := range body {
		t := &found[i]
		body[i].tokenBody = t.tokenBody
		if req.wantMarket {
			body[i].tokenMarketBody = &tokenMarketBody{unitPrice(c.USD(t.address), t.Decimals), formatDollars(t.liquidityUSD)}
		}
	}
	return w.writeCached(map[string][]listed{"tokens": body})
}

var tokensParameters = []string{"search", "limit", "include"}

// tokensRequest is the checked parameters of /tokens.
type tokensRequest struct {
	search     string
	limit      int
	wantMarket bool
}

// parseTokens reads the parameters of /tokens.
func parseTokens(w *response) (tokensRequest, error) {
	q := readQuery(w, tokensParameters)
	req := tokensRequest{q.search(), q.limit(), slices.Contains(q.includes("market"), "market")}
	return req, q.err()
}

// search reads the parameter search.
func (q *query) search() string {
	v, _ := q.optional("search")
	v = strings.TrimSpace(v)
	if utf8.RuneCountInString(v) > maxSearch {
		q.reject("search", invalidParameter, "is longer than 64 characters; give a symbol, a part of one, or an address")
	}
	return v
}

// limit reads the parameter limit. A value above maxLimit counts as maxLimit.
func (q *query) limit() int {
	v, ok := q.optional("limit")
	if !ok {
		return defaultLimit
	}
	digits := v != "" && strings.Trim(v, "0123456789") == ""
	n, err := strconv.Atoi(v)
	if digits && err != nil {
		return maxLimit // more than an int holds
	}
	if !digits || n < 1 {
		q.reject("limit", invalidLimit, digitsMessage(v)+"; give an integer from 1 on (above 500 counts as 500)")
	}
	return min(n, maxLimit)
}

// matchTokens finds the token with an address, or the tokens whose symbol equals,
// begins with or contains the text, in that order, ignoring case. Within each of
// the three the order of the list stays.
func (s *server) matchTokens(tokens []listedToken, search string) []listedToken {
	if search == "" {
		return tokens
	}
	if len(search) == 42 && isAddress("0x"+search[2:]) && strings.EqualFold(search[:2], "0x") {
		a := common.HexToAddress(search[2:])
		if monad.IsNative(a) {
			a = s.Contracts.WrappedNative
		}
		if i := slices.IndexFunc(tokens, func(t listedToken) bool { return t.address == a }); i >= 0 {
			return tokens[i : i+1]
		}
		return nil
	}
	search = strings.ToLower(search)
	var equal, prefixed, containing []listedToken
	for _, t := range tokens {
		switch {
		case t.lowerSymbol == search:
			equal = append(equal, t)
		case strings.HasPrefix(t.lowerSymbol, search):
			prefixed = append(prefixed, t)
		case strings.Contains(t.lowerSymbol, search):
			containing = append(containing, t)
		}
	}
	return slices.Concat(equal, prefixed, containing)
}

// sources is the endpoint /liquidity-sources.
func (s *server) sources(w *response) error {
	type source struct {
		ID   string     `json:"id"`
		Type venue.Type `json:"type"`
	}
	list := make([]source, len(s.Sources))
	for i, row := range s.Sources {
		list[i] = source{row.ID, row.Type}
	}
	return w.writeCached(map[string][]source{"sources": list})
}

// tokenlist is the endpoint /tokenlist.json: the verified tokens in the format of
// tokenlists.org. Wallets take such a list as a recommendation, so other tokens are
// not on it, nor are those whose names its schema does not allow. The version and
// the timestamp are those of the block at which the list last changed.
func (s *server) tokenlist(w *response) error {
	c, err := s.headOfAnyAge()
	if err != nil {
		return err
	}
	next := &publishedList{firstBlock: c.Block(), tokens: []tokenListEntry{}}
	for _, t := range c.listedTokens() {
		if t.IsVerified && fitsTokenlist(t.Symbol, t.Name) && len(next.tokens) < 10_000 {
			next.tokens = append(next.tokens, tokenListEntry{monad.ChainID, t.Address, t.Symbol, t.Name, t.Decimals, t.LogoURI})
		}
	}
	slices.SortFunc(next.tokens, func(a, b tokenListEntry) int { return cmp.Compare(a.Address, b.Address) })
	if last := s.published.Load(); last != nil && slices.Equal(last.tokens, next.tokens) {
		next = last
	} else {
		s.published.Store(next)
	}
	return w.writeCached(map[string]any{
		"name":      "braid",
		"timestamp": time.Unix(int64(next.firstBlock.Time), 0).UTC().Format(time.RFC3339),
		"version":   map[string]uint64{"major": 1, "minor": 0, "patch": next.firstBlock.Number},
		"tokens":    next.tokens,
	})
}

// publishedList is a token list and the first block at which it was seen.
type publishedList struct {
	firstBlock market.Block
	tokens     []tokenListEntry
}

// tokenListEntry is a token in the format of tokenlists.org.
type tokenListEntry struct {
	ChainID  int    `json:"chainId"`
	Address  string `json:"address"`
	Symbol   string `json:"symbol"`
	Name     string `json:"name"`
	Decimals uint8  `json:"decimals"`
	LogoURI  string `json:"logoURI,omitempty"`
}

// fitsTokenlist says whether the schema of tokenlists.org allows the names.
func fitsTokenlist(symbol, name string) bool {
	return symbol != "" && name != "" && !strings.ContainsAny(symbol, " \u00a0") &&
		utf8.RuneCountInString(symbol) <= 20 && utf8.RuneCountInString(name) <= 60
}
