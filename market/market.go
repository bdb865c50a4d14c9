// Package market is the whole market at one block: pools, tokens, prices. It never changes.
//
// A block gives the next market, which shares what did not change. Whatever
// can be derived is a function of the snapshot and may be kept inside it, so
// there is no cache to clear.
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

// Block names the block a snapshot belongs to.
type Block struct {
	Number  uint64
	Hash    common.Hash
	Parent  common.Hash
	Time    uint64 // seconds
	BaseFee u256.Int
}

// Snapshot is the market after one block.
type Snapshot struct {
	block   Block
	chain   Chain
	pools   []venue.Pool
	poolNo  index[venue.ID]
	tokens  list[Token]
	tokenNo index[common.Address]

	graphOnce sync.Once
	graph     atomic.Pointer[Graph]
	older     atomic.Pointer[Graph] // of an older snapshot, until graph is made from it
}

// Chain is what the market has to know of the chain it stands on.
type Chain struct {
	WrappedNative common.Address
	Stables       []common.Address // worth one dollar each: the anchors of all prices
	MinBaseFee    u256.Int         // the least the chain charges for gas, wei
	Tip           u256.Int         // what is added to the base fee, wei
}

// New is a market without pools, before the first block.
func New(chain Chain) *Snapshot {
	return &Snapshot{chain: chain}
}

func (s *Snapshot) Block() Block { return s.block }
func (s *Snapshot) Chain() Chain { return s.chain }

// Pools and Tokens are in the order of their numbers; callers only read them.
func (s *Snapshot) Pools() []venue.Pool { return s.pools }
func (s *Snapshot) Tokens() []Token     { return slices.Clip(s.tokens.all) }

func (s *Snapshot) Pool(id venue.ID) (venue.Pool, bool) {
	i, ok := s.poolNo.of(id)
	if !ok {
		return nil, false
	}
	return s.pools[i], true
}

// PoolNo is the number of a pool.
func (s *Snapshot) PoolNo(id venue.ID) (int, bool) {
	return s.poolNo.of(id)
}

// Token is the number of a token.
func (s *Snapshot) Token(a common.Address) (int, bool) {
	return s.tokenNo.of(a)
}

// GasPrice is what a unit of gas costs in wei.
func (s *Snapshot) GasPrice() u256.Int {
	fee := s.block.BaseFee
	if fee.Lt(s.chain.MinBaseFee) {
		fee = s.chain.MinBaseFee
	}
	return fee.Add(s.chain.Tip)
}

// Next is the market after a block that changed or added these pools and made
// these tokens known. A pool is matched by its ID; the last of several wins.
// Every token of a new pool must be known by then.
func (s *Snapshot) Next(block Block, pools []venue.Pool, tokens []Token) (*Snapshot, error) {
	n := s.After(s)
	n.block = block
	n.addTokens(tokens)
	if len(pools) == 0 {
		return n, nil
	}
	n.pools = slices.Clone(n.pools)
	var fresh []venue.Pool
	for _, p := range pools {
		if i, ok := n.poolNo.of(p.Info().ID); ok {
			n.pools[i] = p
		} else {
			fresh = append(fresh, p)
		}
	}
	return n, n.addPools(fresh)
}

// After is the same market, for readers: what it derives it takes over from an
// older market of any branch, if there is one, as far as pools are the same.
// It goes with its readers, while s may be kept.
func (s *Snapshot) After(old *Snapshot) *Snapshot {
	n := &Snapshot{block: s.block, chain: s.chain, pools: s.pools, poolNo: s.poolNo, tokens: s.tokens, tokenNo: s.tokenNo}
	n.older.Store(old.newestGraph())
	return n
}

// newestGraph is that of s or else of an older snapshot, if there is any.
func (s *Snapshot) newestGraph() *Graph {
	if s == nil {
		return nil
	}
	older := s.older.Load() // first: it leaves when graph is there
	if g := s.graph.Load(); g != nil {
		return g
	}
	return older
}

func (n *Snapshot) addTokens(tokens []Token) {
	if len(tokens) == 0 {
		return
	}
	n.tokenNo = n.tokenNo.open(len(tokens))
	var fresh []Token
	for _, t := range tokens {
		if _, known := n.tokenNo.of(t.Address); !known {
			n.tokenNo.late[t.Address] = len(n.tokens.all) + len(fresh)
			fresh = append(fresh, t.fit())
		}
	}
	n.tokens = n.tokens.and(fresh...)
}

func (n *Snapshot) addPools(fresh []venue.Pool) error {
	if len(fresh) == 0 {
		return nil
	}
	n.poolNo = n.poolNo.open(len(fresh))
	for _, p := range fresh {
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
		n.poolNo.late[info.ID] = len(n.pools)
		n.pools = append(n.pools, p)
	}
	return nil
}
