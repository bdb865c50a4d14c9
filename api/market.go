package api

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"braid/venue"
)

// marketBody is the JSON of /market.
type marketBody struct {
	Block   blockBody         `json:"block"`
	Sources []sourceBody      `json:"sources"`
	Tokens  []marketTokenBody `json:"tokens"`
}

type blockBody struct {
	Number    uint64      `json:"number"`
	Hash      common.Hash `json:"hash"`
	Timestamp uint64      `json:"timestamp"`
	AgeMs     *int64      `json:"ageMs"` // since it was last confirmed to be the newest; null: never
}

// sourceBody is the state of a liquidity source.
type sourceBody struct {
	ID           string     `json:"id"`
	Name         string     `json:"name"`
	Type         venue.Type `json:"type"`
	Pools        int        `json:"pools"`
	UsablePools  int        `json:"usablePools"`
	LiquidityUsd string     `json:"liquidityUsd"`
	Status       status     `json:"status"`
	Reason       string     `json:"reason"`
	Proof        *Proofs    `json:"proof,omitempty"`
}

// status says whether a source is used in routes.
type status string

const (
	statusLive   status = "live"
	statusPaused status = "paused" // no pool can be swapped in now
	statusOff    status = "off"    // not used in routes by configuration
)

// marketTokenBody is a token with its price, for one whole token, and the value of
// all pools' holdings of it.
type marketTokenBody struct {
	Address      string `json:"address"`
	Symbol       string `json:"symbol"`
	Name         string `json:"name"`
	Decimals     uint8  `json:"decimals"`
	Verified     bool   `json:"verified"`
	LogoURI      string `json:"logoURI"`
	PriceUsd     string `json:"priceUsd"`
	LiquidityUsd string `json:"liquidityUsd"`
}

// market is the endpoint /market. It shows the newest snapshot, however old.
func (s *server) market(w *response) error {
	c, err := s.headOfAnyAge()
	if err != nil {
		return err
	}
	return w.writeUncached(marketBody{s.blockBody(c), c.sourceBodies(), c.tokenBodies()})
}

// blockBody is the block of a snapshot.
func (s *server) blockBody(c *snapshotCache) blockBody {
	block := c.Block()
	b := blockBody{Number: block.Number, Hash: block.Hash, Timestamp: block.Time}
	if age := s.snapshotAge(); age < math.MaxInt64 {
		b.AgeMs = new(age.Milliseconds())
	}
	return b
}

// sourceBodies counts the pools of each source: the routed ones in their order,
// then the retired ones.
func (s *server) sourceBodies(c *snapshotCache) []sourceBody {
	type count struct {
		pools, usable int
		liquidityUSD  float64
		unusable      map[string]int // by reason
	}
	counts := map[string]*count{}
	for _, p := range c.Pools() {
		info := p.Info()
		t := counts[info.Source.ID]
		if t == nil {
			t = &count{unusable: map[string]int{}}
			counts[info.Source.ID] = t
		}
		t.pools++
		if reason := venue.Idle(p); reason != "" {
			t.unusable[reason]++
			continue
		}
		t.usable++
		for i, a := range info.Tokens {
			t.liquidityUSD += c.USD(a) * p.Depth(i)
		}
	}
	proofs := s.proofs()
	list := make([]sourceBody, 0, len(s.Sources)+len(s.Retired))
	for _, row := range s.Sources {
		b := sourceBody{ID: row.ID, Name: displayName(row.ID), Type: row.Type, Status: statusLive, LiquidityUsd: formatDollars(0)}
		if t := counts[row.ID]; t == nil {
			b.Status, b.Reason = statusPaused, "no pools yet"
		} else {
			b.Pools, b.UsablePools, b.LiquidityUsd = t.pools, t.usable, formatDollars(t.liquidityUSD)
			if t.usable == 0 {
				b.Status, b.Reason = statusPaused, mostFrequent(t.unusable)
			}
		}
		if n := proofs[row.ID]; proofs != nil {
			b.Proof = &n
			if b.Reason == "no pools yet" && n.Untried+n.Refused > 0 {
				b.Reason = "no pool is proved yet"
			}
		}
		list = append(list, b)
	}
	for _, row := range s.Retired {
		list = append(list, sourceBody{ID: row.ID, Name: displayName(row.ID), Type: row.Type, LiquidityUsd: formatDollars(0), Status: statusOff, Reason: cmp.Or(row.Unproved, "retired")})
	}
	return list
}

// proofs are what trials told of pools, by source; nil if pools need no proof.
func (s *server) proofs() map[string]Proofs {
	if s.Proofs == nil {
		return nil
	}
	return s.Proofs()
}

// mostFrequent is the key with the highest count; of equals the first in order.
func mostFrequent(count map[string]int) (best string) {
	for word, n := range count {
		if n > count[best] || n == count[best] && word < best {
			best = word
		}
	}
	return best
}

var versionSuffix = regexp.MustCompile(`^(.*[a-z])(V[0-9])$`)

// displayName is an id with a space before its version: Uniswap V3.
func displayName(id string) string { return versionSuffix.ReplaceAllString(id, "$1 $2") }

// marketTokens are the first maxLimit tokens of the listing, with price and
// liquidity.
func marketTokens(c *snapshotCache) []marketTokenBody {
	tokens := c.listedTokens()
	list := make([]marketTokenBody, min(len(tokens), maxLimit))
	for i := range list {
		t := &tokens[i]
		list[i] = marketTokenBody{
			Address: t.Address, Symbol: t.Symbol, Name: t.Name, Decimals: t.Decimals, Verified: t.IsVerified, LogoURI: t.LogoURI,
			PriceUsd: unitPrice(c.USD(t.address), t.Decimals), LiquidityUsd: formatDollars(t.liquidityUSD),
		}
	}
	return list
}

// unitPrice is the price of a whole token in USD, with six significant digits and
// at least two decimals. raw is the price of a raw unit.
func unitPrice(raw float64, decimals uint8) string {
	v := raw * math.Pow10(int(decimals))
	if !(v > 1e-30) || math.IsInf(v, 0) {
		return unknownPrice
	}
	places := max(5-int(math.Floor(math.Log10(v))), 2)
	s := strconv.FormatFloat(v, 'f', places, 64)
	keep := strings.IndexByte(s, '.') + 3
	return s[:keep] + strings.TrimRight(s[keep:], "0")
}
