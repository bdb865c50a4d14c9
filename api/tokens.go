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
	defaultLimit = 100
	maxLimit     = 500
	maxSearch    = 64
)

type tokenBody struct {
	Address    string `json:"address"`
	Symbol     string `json:"symbol"`
	Name       string `json:"name"`
	Decimals   uint8  `json:"decimals"`
	LogoURI    string `json:"logoURI"`
	IsVerified bool   `json:"isVerified"`
}

type listedToken struct {
	tokenBody
	address      common.Address
	lowerSymbol  string // the symbol without regard to case
	liquidityUSD float64
}

// list is the tokens of a snapshot that can be routed now, in the order in
// which they are shown: verified, then liquidity, symbol and address.
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

func routable(snap *market.Snapshot, token int) bool {
	for e := range snap.Edges(token) {
		if p := snap.Pools()[e.Pool]; p.Spot(e.In, e.Out) > 0 || p.Spot(e.Out, e.In) > 0 {
			return true
		}
	}
	return false
}

// tokens lists from the last market there was, however old it is.
func (s *server) tokens(w *response) error {
	q := readQuery(w, []string{"search", "limit"})
	search, limit := q.search(), q.limit()
	if err := q.err(); err != nil {
		return err
	}
	snap := s.Head()
	if snap == nil {
		return &problem{code: stateStale, detail: "the market is being loaded", retryAfter: time.Second}
	}
	found := s.matchTokens(s.cacheOf(snap).listedTokens(), search)
	body := make([]tokenBody, 0, min(len(found), limit))
	for _, t := range found[:cap(body)] {
		body = append(body, t.tokenBody)
	}
	return w.writeCached(map[string][]tokenBody{"tokens": body})
}

func (q *query) search() string {
	v, _ := q.optional("search")
	v = strings.TrimSpace(v)
	if utf8.RuneCountInString(v) > maxSearch {
		q.reject("search", invalidParameter, "is longer than 64 characters; give a symbol, a part of one, or an address")
	}
	return v
}

// limit is at most maxLimit: callers that ask for more get that.
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

// match finds an address exactly, and symbols that equal, begin with or hold
// what is looked for, in that order; inside each the order of the list.
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
	var exact, begin, hold []listedToken
	for _, t := range tokens {
		switch {
		case t.lowerSymbol == search:
			exact = append(exact, t)
		case strings.HasPrefix(t.lowerSymbol, search):
			begin = append(begin, t)
		case strings.Contains(t.lowerSymbol, search):
			hold = append(hold, t)
		}
	}
	return slices.Concat(exact, begin, hold)
}

// sources lists the venues in the order of the deployments.
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

// tokenlist is the verified tokens as tokenlists.org has it. Wallets read such
// a list as a recommendation, so others are not on it, nor are tokens whose
// names its schema refuses. Its version changes when it does.
func (s *server) tokenlist(w *response) error {
	snap := s.Head()
	if snap == nil {
		return &problem{code: stateStale, detail: "the market is being loaded", retryAfter: time.Second}
	}
	next := &publishedList{firstBlock: snap.Block(), tokens: []tokenListEntry{}}
	for _, t := range s.cacheOf(snap).listedTokens() {
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

// issue is a token list and the block that first had it.
type publishedList struct {
	firstBlock market.Block
	tokens     []tokenListEntry
}

type tokenListEntry struct {
	ChainID  int    `json:"chainId"`
	Address  string `json:"address"`
	Symbol   string `json:"symbol"`
	Name     string `json:"name"`
	Decimals uint8  `json:"decimals"`
	LogoURI  string `json:"logoURI,omitempty"`
}

func fitsTokenlist(symbol, name string) bool {
	return symbol != "" && name != "" && !strings.ContainsAny(symbol, " \u00a0") &&
		utf8.RuneCountInString(symbol) <= 20 && utf8.RuneCountInString(name) <= 60
}
