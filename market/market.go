// Package market is the whole market at one block: pools, tokens, prices. It never changes.
//
// A block gives the next snapshot, which shares what did not change with the one
// before. Whatever is derived, prices and the router's graph, is a function of the
// snapshot and is kept inside it, so no cache is ever invalidated.
package market

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

// Block is the header of the block that a snapshot belongs to.
type Block struct {
	Number  uint64
	Hash    common.Hash
	Parent  common.Hash
	Time    uint64   // Unix seconds
	BaseFee u256.Int // wei per unit of gas
}

// Snapshot is the market after one block: pools and tokens, each known by an ID and
// by a number that stays the same in all later snapshots. It is immutable and may
// be read by any number of goroutines.
type Snapshot struct {
	block   Block
	chain   Chain
	pools   []venue.Pool
	poolNo  index[venue.ID]
	tokens  list[Token]
	tokenNo index[common.Address]

	graphOnce sync.Once
	graph     atomic.Pointer[Graph]
	older     atomic.Pointer[Graph] // of an older snapshot, until graph is derived from it
	gas       *gasCosts             // made with graph
}

// Chain is what prices and the gas price depend on besides pools and blocks.
type Chain struct {
	WrappedNative common.Address
	Stables       []common.Address // tokens whose price is one dollar by definition; all others follow from them
	MinBaseFee    u256.Int         // lowest base fee of the chain, wei per unit of gas
	Tip           u256.Int         // priority fee, wei per unit of gas
}

// New is a snapshot without pools and tokens, before the first block.
func New(chain Chain) *Snapshot {
	return &Snapshot{chain: chain}
}

// Block is the block after which this is the market.
func (s *Snapshot) Block() Block { return s.block }

// Chain is the chain's constants, as given to New.
func (s *Snapshot) Chain() Chain { return s.chain }

// Pools are all pools, by their numbers. The caller must not change the slice.
func (s *Snapshot) Pools() []venue.Pool { return s.pools }

// Tokens are all tokens, by their numbers. The caller must not change the slice.
func (s *Snapshot) Tokens() []Token { return slices.Clip(s.tokens.all) }

// Pool is the pool with an ID, if there is one.
func (s *Snapshot) Pool(id venue.ID) (venue.Pool, bool) {
	i, ok := s.poolNo.of(id)
	if !ok {
		return nil, false
	}
	return s.pools[i], true
}

// PoolNo is the number of the pool with an ID, if there is one.
func (s *Snapshot) PoolNo(id venue.ID) (int, bool) {
	return s.poolNo.of(id)
}

// Token is the number of the token at an address, if it is known.
func (s *Snapshot) Token(a common.Address) (int, bool) {
	return s.tokenNo.of(a)
}

// GasPrice is the price of a unit of gas in wei: base fee and tip.
func (s *Snapshot) GasPrice() u256.Int {
	fee := s.block.BaseFee
	if fee.Lt(s.chain.MinBaseFee) {
		fee = s.chain.MinBaseFee
	}
	return fee.Add(s.chain.Tip)
}

// Next is the snapshot after a block that changed or added these pools and added
// these tokens. A pool replaces the one with its ID; of several with one ID the last
// counts. It is an error if a token of a new pool is neither known nor added.
func (s *Snapshot) Next(block Block, pools []venue.Pool, tokens []Token) (*Snapshot, error) {
	n := s.After(s)
	n.block = block
	n.addTokens(tokens)
	if len(pools) == 0 {
		return n, nil
	}
	n.pools = slices.Clone(n.pools)
	var added []venue.Pool
	for _, p := range pools {
		if i, ok := n.poolNo.of(p.Info().ID); ok {
			n.pools[i] = p
		} else {
			added = append(added, p)
		}
	}
	return n, n.addPools(added)
}

// After is a copy of the snapshot for readers. What it derives it takes over from an
// older snapshot of any branch (nil if there is none) as far as pools are the same.
// The derived data is freed with the copy, while s may be kept for reorgs.
func (s *Snapshot) After(old *Snapshot) *Snapshot {
	n := &Snapshot{block: s.block, chain: s.chain, pools: s.pools, poolNo: s.poolNo, tokens: s.tokens, tokenNo: s.tokenNo}
	n.older.Store(old.newestGraph())
	return n
}

// newestGraph is the graph of s, or else the one that it would be derived from; nil
// if there is neither.
func (s *Snapshot) newestGraph() *Graph {
	if s == nil {
		return nil
	}
	older := s.older.Load() // before graph: it is cleared when graph is stored
	if g := s.graph.Load(); g != nil {
		return g
	}
	return older
}

// addTokens adds the tokens that are not known yet, with text that is safe to show.
func (n *Snapshot) addTokens(tokens []Token) {
	if len(tokens) == 0 {
		return
	}
	n.tokenNo = n.tokenNo.extend(len(tokens))
	var added []Token
	for _, t := range tokens {
		if _, known := n.tokenNo.of(t.Address); !known {
			n.tokenNo.recent[t.Address] = len(n.tokens.all) + len(added)
			added = append(added, t.sanitized())
		}
	}
	n.tokens = n.tokens.with(added...)
}

// addPools adds pools; n.pools must not be shared with another snapshot.
func (n *Snapshot) addPools(added []venue.Pool) error {
	if len(added) == 0 {
		return nil
	}
	n.poolNo = n.poolNo.extend(len(added))
	for _, p := range added {
		info := p.Info()
		if i, again := n.poolNo.of(info.ID); again {
			n.pools[i] = p
			continue
		}
		for _, a := range info.Tokens {
			if _, ok := n.tokenNo.of(a); !ok {
				return fmt.Errorf("pool %s: token %s is not known", info.ID, a)
			}
		}
		n.poolNo.recent[info.ID] = len(n.pools)
		n.pools = append(n.pools, p)
	}
	return nil
}
