package api

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/venue"
)

type marketBody struct {
	Block   blockBody         `json:"block"`
	Sources []sourceBody      `json:"sources"`
	Tokens  []marketTokenBody `json:"tokens"`
}

type blockBody struct {
	Number    uint64      `json:"number"`
	Hash      common.Hash `json:"hash"`
	Timestamp uint64      `json:"timestamp"`
	AgeMs     *int64      `json:"ageMs"` // since it was known to be the newest
}

// sourceBody is how a venue stands.
type sourceBody struct {
	ID           string     `json:"id"`
	Name         string     `json:"name"`
	Type         venue.Type `json:"type"`
	Pools        int        `json:"pools"`
	UsablePools  int        `json:"usablePools"`
	LiquidityUsd string     `json:"liquidityUsd"`
	Status       status     `json:"status"`
	Reason       string     `json:"reason"`
}

type status string

const (
	statusLive   status = "live"
	statusPaused status = "paused" // no pool takes anything now
	statusOff    status = "off"    // not routed
)

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

// market shows the last market there was, however old it is.
func (s *server) market(w *response) error {
	snap := s.Head()
	if snap == nil {
		return &problem{code: stateStale, detail: "the market is being loaded", retryAfter: time.Second}
	}
	c, block := s.cacheOf(snap), snap.Block()
	body := marketBody{
		Block:   blockBody{Number: block.Number, Hash: block.Hash, Timestamp: block.Time},
		Sources: c.sourceBodies(),
		Tokens:  c.tokenBodies(),
	}
	if age := s.snapshotAge(); age < math.MaxInt64 {
		body.Block.AgeMs = new(age.Milliseconds())
	}
	return w.writeUncached(body)
}

// venues counts the pools of each source: those that are routed in their
// order, then those that are not.
func (s *server) sourceBodies(c *snapshotCache) []sourceBody {
	type tally struct {
		pools, usable int
		worth         float64
		idle          map[string]int // by reason
	}
	by := map[string]*tally{}
	for _, p := range c.Pools() {
		info := p.Info()
		t := by[info.Source.ID]
		if t == nil {
			t = &tally{idle: map[string]int{}}
			by[info.Source.ID] = t
		}
		t.pools++
		if why := venue.Idle(p); why != "" {
			t.idle[why]++
			continue
		}
		t.usable++
		for i, a := range info.Tokens {
			t.worth += c.USD(a) * p.Depth(i)
		}
	}
	list := make([]sourceBody, 0, len(s.Sources)+len(s.Retired))
	for _, row := range s.Sources {
		b := sourceBody{ID: row.ID, Name: displayName(row.ID), Type: row.Type, Status: statusLive, LiquidityUsd: formatDollars(0)}
		if t := by[row.ID]; t == nil {
			b.Status, b.Reason = statusPaused, "no pools yet"
		} else {
			b.Pools, b.UsablePools, b.LiquidityUsd = t.pools, t.usable, formatDollars(t.worth)
			if t.usable == 0 {
				b.Status, b.Reason = statusPaused, mostFrequent(t.idle)
			}
		}
		list = append(list, b)
	}
	for _, row := range s.Retired {
		list = append(list, sourceBody{ID: row.ID, Name: displayName(row.ID), Type: row.Type, LiquidityUsd: formatDollars(0), Status: statusOff, Reason: cmp.Or(row.Unproved, "retired")})
	}
	return list
}

func mostFrequent(count map[string]int) (best string) {
	for word, n := range count {
		if n > count[best] || n == count[best] && word < best {
			best = word
		}
	}
	return best
}

var versionSuffix = regexp.MustCompile(`^(.*[a-z])(V[0-9])$`)

// named is an id as people write it.
func displayName(id string) string { return versionSuffix.ReplaceAllString(id, "$1 $2") }

// assets are the first tokens of the listing with what they are worth.
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

// unitPrice is that of a whole token, with six digits that count.
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
