package siege_test

import (
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"braid/devchain"
	"braid/monad"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
)

// ownPool is a pool of two tokens that the attacker has made, at a price of one.
func (s *siege) ownPool() *pool {
	s.Helper()
	supply := new(big.Int).Lsh(big.NewInt(1), 120)
	a := s.deploy("Token", "One", "ONE", uint8(18), s.contract, supply)
	b := s.deploy("Token", "Two", "TWO", uint8(18), s.contract, supply)
	return s.newPool(a, b, ticks.GetSqrtRatioAtTick(0))
}

// fillTicks adds positions of one spacing side by side around the price, as far as
// there are prices: n ticks.
func (s *siege) fillTicks(p *pool, n int, liquidity *big.Int) {
	s.Helper()
	lowest, highest := p.floor(ticks.MinTick)+p.spacing, p.floor(ticks.MaxTick)-int32(n)*p.spacing
	lower := min(max(p.tick-int32(n/2)*p.spacing, lowest), highest)
	s.load("ticks", n, txLadder, func(first, n int) venue.Tx {
		return s.ladder(p, lower+int32(first)*p.spacing, p.spacing, p.spacing, n, liquidity)
	})
}

// manyTicks: very many ticks in a pool of the attacker's tokens.
func (s *siege) manyTicks(r *report) {
	p := s.ownPool()
	s.burden(r, s.honest, func() { s.fillTicks(p, s.ticks, big.NewInt(1e12)) })
	r.add("ticks", "%d", s.ticks)
}

// dustTicks: very many ticks with next to no liquidity in the deepest pool of a pair.
// Orders of the pair are paid as before, and the pool still serves some.
func (s *siege) dustTicks(r *report) {
	p := s.deepest()
	var orders []order
	for i := range 20 {
		in, out := s.wrapped(p.tokens[i%2]), s.wrapped(p.tokens[1-i%2])
		usd := 10 * math.Pow(30_000, s.random.Float64())
		orders = append(orders, order{in, out, u256.FromFloat(usd / s.market.rawUSD(in))})
	}
	serves := func() (n int) {
		for _, q := range s.quotes(orders) {
			if slices.Contains(q.pools, p.id()) {
				n++
			}
		}
		return n
	}
	before := serves()
	s.burden(r, orders, func() { s.fillTicks(p, s.dust, big.NewInt(1)) })
	after := serves()
	r.add("ticks", "%d", s.dust)
	r.add("served_before", "%d", before)
	r.add("served", "%d", after)
	r.must(before > 0 && after > 0, "the pool %s served %d of %d orders, now %d", p.id(), before, len(orders), after)
}

func (s *siege) wrapped(token common.Address) common.Address {
	if token == (common.Address{}) {
		return monad.WrappedNative
	}
	return token
}

// deepest is the deepest of the pools that are the deepest of their pair and have
// ticks close enough to each other to hold as many as are wanted.
func (s *siege) deepest() (best *pool) {
	s.Helper()
	const maxSpacing = 10
	deepest := map[[2]common.Address]venue.Pool{}
	depth := map[venue.Pool]float64{}
	for _, v := range s.market.snapshot.Pools() {
		t := v.Info().Tokens
		if len(t) != 2 || !s.market.live[v.Info().Source.ID] || s.market.rawUSD(t[0]) == 0 || s.market.rawUSD(t[1]) == 0 {
			continue
		}
		pair := [2]common.Address(t)
		if pair[0].Cmp(pair[1]) > 0 {
			pair[0], pair[1] = pair[1], pair[0]
		}
		depth[v] = s.market.executable(v)
		if old := deepest[pair]; old == nil || depth[v] > depth[old] {
			deepest[pair] = v
		}
	}
	most := 0.0
	for _, v := range deepest {
		if depth[v] <= most {
			continue
		}
		if p := s.find(v); p != nil && p.spacing <= maxSpacing {
			best, most = p, depth[v]
		}
	}
	if best == nil {
		s.Fatal("no pool is the deepest of its pair and has a small tick spacing")
	}
	return best
}

// find is an honest pool with concentrated liquidity as the attacker uses it; nil if
// it has none.
func (s *siege) find(v venue.Pool) *pool {
	s.Helper()
	info := v.Info()
	switch info.Source.Family {
	case "univ3":
		return s.forkPool(common.HexToAddress(string(info.ID)))
	case "univ4":
		topic := venue.Topic("Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)")
		logs, err := s.node.FilterLogs(s.Context(), ethereum.FilterQuery{
			Addresses: []common.Address{info.Source.Factory}, Topics: [][]common.Hash{{topic}, {common.HexToHash(string(info.ID))}},
		})
		if err != nil || len(logs) != 1 {
			s.Fatalf("%d logs of the creation of pool %s: %v", len(logs), info.ID, err)
		}
		words, tokens := venue.NewWords(logs[0].Data), logs[0].Topics[2:]
		number := func(i int) int64 { return u256.FromBytes(words.Raw(i)).Big().Int64() }
		k := newKey(common.BytesToAddress(tokens[0][:]), common.BytesToAddress(tokens[1][:]), number(0), number(1))
		return poolOf(k, u256.FromBytes(words.Raw(3)))
	}
	return nil
}

// refusedPairs: pairs of tokens that cannot be traded, in factories of honest pairs.
func (s *siege) refusedPairs(r *report) {
	_, before := s.marketOf()
	s.burden(r, s.honest, func() {
		for _, source := range monad.Sources() {
			if source.Family == "univ2" && source.Unproved == "" {
				s.hostilePairs(source)
			}
		}
	})
	s.stayLive(r, before)
}

// stayLive reports the sources that were live before and are not now.
func (s *siege) stayLive(r *report, before []sourceState) {
	s.Helper()
	_, after := s.marketOf()
	for i, was := range before {
		r.must(was.Status != "live" || after[i].Status == "live", "%s is %s: %s", was.ID, after[i].Status, after[i].Reason)
	}
}

// hostilePairs makes a pair with dollars of each kind of hostile token in a factory.
func (s *siege) hostilePairs(source venue.Source) {
	s.Helper()
	const kinds, usd = 4, 10e6 // of enum Harm; raw units of USDC
	huge := new(big.Int).Lsh(big.NewInt(1), 100)
	var tokens [kinds]common.Address
	var create, fill []venue.Tx
	for harm := range tokens {
		var deploy venue.Tx
		tokens[harm], deploy = s.deployment("HostileToken", uint8(harm), uint8(18), devchain.DevAccount, huge)
		create = append(create, deploy, venue.Tx{To: source.Factory, Data: venue.Calldata("createPair(address,address)", tokens[harm][:], monad.USDC[:])})
	}
	s.block(create...)
	for _, token := range tokens {
		pair := common.BytesToAddress(s.read(source.Factory, "getPair(address,address)", token[:], monad.USDC[:]))
		fill = append(fill,
			s.call("HostileToken", token, "transfer", pair, new(big.Int).Rsh(huge, 1)),
			s.call("Token", monad.USDC, "transfer", pair, big.NewInt(usd)),
			venue.Tx{To: pair, Data: venue.Calldata("mint(address)", s.contract[:])},
			s.call("HostileToken", token, "setLie", huge),
			venue.Tx{To: pair, Data: venue.Calldata("sync()")},
		)
	}
	s.block(fill...)
}

// codelessPools: pools whose tokens have no code, and so no decimals to be learned.
func (s *siege) codelessPools(r *report) {
	s.burden(r, s.honest, func() {
		one := ticks.GetSqrtRatioAtTick(0).Big()
		for n := range s.blocks {
			var txs []venue.Tx
			for done := 0; done < s.codeless; done += txPools {
				s.salt++
				some := min(txPools, s.codeless-done)
				txs = append(txs, s.call("Attacker", s.contract, "createCodeless", new(big.Int).SetUint64(s.salt), big.NewInt(int64(some)), one))
			}
			s.block(txs...)
			progress("%d of %d blocks of codeless pools", n+1, s.blocks)
		}
	})
	r.add("pools", "%d", s.blocks*s.codeless)
}

// newKeys is the first of n keys of new pools between two listed tokens, which differ
// in their fee, and the honest price.
func (s *siege) newKeys(n int, spacing int64) (first key, price u256.Int) {
	s.Helper()
	for pools := s.market.snapshot.Pools(); ; {
		t := pools[s.random.IntN(len(pools))].Info().Tokens
		if len(t) != 2 || s.market.rawUSD(t[0]) == 0 || s.market.rawUSD(t[1]) == 0 {
			continue
		}
		first = newKey(t[0], t[1], s.fee+1, spacing)
		s.fee += int64(n)
		return first, sqrtPrice(t[0], t[1], s.market.rawUSD(t[0])/s.market.rawUSD(t[1]))
	}
}

// emptyPools: pools between listed tokens that hold nothing.
func (s *siege) emptyPools(r *report) {
	before := 0.0
	if s.full {
		before = s.join()
	}
	rss := s.rss()
	s.standing(r, func() {
		s.load("empty pools", s.empty, txPools, func(_, n int) venue.Tx {
			k, price := s.newKeys(n, 60)
			return s.call("Attacker", s.contract, "createByFee", k, big.NewInt(int64(n)), price.Big())
		})
	})
	grown := s.rss() - rss
	r.add("pools", "%d", s.empty)
	r.add("bytes_each", "%.0f", grown/float64(s.empty))
	r.timed("grown_mb", grown/1e6, (float64(maxPoolBytes*s.empty)+rssNoise*rss)/1e6)
	if s.full {
		r.add("join_ms_before", "%.0f", before)
		r.timed("join_ms", s.join(), before+maxJoinMs)
	}
}

// join is how long another service takes to join the chain, in milliseconds. It
// reads the state of the pools if the chain is longer than what is followed by logs.
func (s *siege) join() float64 {
	s.Helper()
	began := time.Now()
	service, _ := s.serve(s.freeAddress())
	took := float64(time.Since(began).Milliseconds())
	if service != nil {
		service.Process.Kill()
	}
	return took
}
