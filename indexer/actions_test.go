package indexer_test

import (
	"math"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/devchain"
	"braid/monad"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
	"braid/venue/balancer"
	"braid/venue/univ2"
	"braid/venue/univ3"
	"braid/venue/univ4"
)

// Actions of liquidity providers and makers, by family, as calls of the venues' own
// contracts. What they add is removed again later, by b.undo.

// pairs adds and removes liquidity, transfers tokens to the pair with and without a
// sync, or creates a pair.
func (b *busyChain) pairs(p venue.Pool) []action {
	pair := common.HexToAddress(string(p.Info().ID))
	tokens := p.Info().Tokens
	part := b.part(200, 20)
	r0, r1 := p.(*univ2.Pool).Reserves()
	gift := func(token int, reserve u256.Int) action {
		amount := u256.From(1e9) // to a new pair
		if !reserve.IsZero() {
			amount = reserve.Div(part).Add(u256.One)
		}
		return b.do("V2 gift", tokens[token], pack("transfer(address,uint256)", pair[:], word(amount)))
	}
	switch b.random.IntN(6) {
	case 0:
		return []action{gift(0, r0), b.do("V2 sync", pair, pack("sync()"))}
	case 1:
		return []action{gift(1, r1)}
	case 2:
		return []action{b.do("V2 skim", pair, pack("skim(address)", devchain.DevAccount[:]))}
	case 3:
		factory, x, y := b.unpaired()
		return []action{b.do("V2 create", factory, pack("createPair(address,address)", x[:], y[:]))}
	}
	b.undo = append(b.undo, func() []action {
		shares := b.balance(pair).Div(u256.From(1 + b.random.Uint64N(3)))
		return []action{
			b.do("V2 burn", pair, pack("transfer(address,uint256)", pair[:], word(shares))),
			b.do("V2 burn", pair, pack("burn(address)", devchain.DevAccount[:])),
		}
	})
	return []action{gift(0, r0), gift(1, r1), b.do("V2 mint", pair, pack("mint(address)", devchain.DevAccount[:]))}
}

// ticks3 adds and removes liquidity in ranges near the price, or swaps exactly to a
// tick.
func (b *busyChain) ticks3(p venue.Pool) []action {
	pool, tokens := common.HexToAddress(string(p.Info().ID)), p.Info().Tokens
	actor := common.BytesToAddress(crypto.Keccak256([]byte("braid univ3 actor")))
	spacing := int32(b.ask(pool, pack("tickSpacing()")).Uint64())
	at := p.(*univ3.Pool).At()
	r, ok := b.someRange(p, at.Tick, spacing)
	if !ok {
		return nil
	}
	allow := append(b.approve(tokens[0], actor), b.approve(tokens[1], actor)...)
	if b.random.IntN(3) == 0 {
		down := r.Lower < at.Tick
		limit, in := ticks.GetSqrtRatioAtTick(r.Lower), 0
		if !down {
			limit, in = ticks.GetSqrtRatioAtTick(r.Upper), 1
		}
		amount := u256.FromFloat(p.Depth(in) / 4)
		return append(allow, b.do("V3 swap to a tick", actor, pack("swap(address,bool,int256,uint160)", pool[:], yes(down), word(amount), word(limit))))
	}
	lower, upper := venue.Signed(r.Lower), venue.Signed(r.Upper)
	b.undo = append(b.undo, func() []action {
		burnt := r.Liquidity.Div(u256.From(b.random.Uint64N(3))) // of nothing, all, half
		return []action{b.do("V3 burn", pool, pack("burn(int24,int24,uint128)", lower, upper, word(burnt)))}
	})
	return append(allow, b.do("V3 mint", actor, pack("mint(address,int24,int24,uint128)", pool[:], lower, upper, word(r.Liquidity))))
}

// ticks4 does the same in the PoolManager; the pool key is taken from Pool.Call.
func (b *busyChain) ticks4(p venue.Pool) []action {
	tokens := slices.Clone(p.Info().Tokens)
	manager := p.Info().Source.Factory
	actor := common.BytesToAddress(crypto.Keccak256([]byte("braid univ4 actor"), manager[:]))
	key := p.Call(0, 1).Body
	key = key[len(key)-7:] // native, fee, spacing
	spacing := int32(key[4])<<16 | int32(key[5])<<8 | int32(key[6])
	r, ok := b.someRange(p, p.(*univ4.Pool).At().Tick, spacing)
	if !ok {
		return nil
	}
	var value u256.Int
	var allow []action
	for i, token := range tokens {
		if token == monad.WrappedNative && key[0] == 1 {
			tokens[i], value = common.Address{}, u256.FromFloat(p.Depth(i)+1e18)
		} else {
			allow = append(allow, b.approve(token, actor)...)
		}
	}
	modify := func(what string, value, delta u256.Int) action {
		data := pack("modify((address,address,uint24,int24,address),(int24,int24,int256,bytes32))", tokens[0][:], tokens[1][:],
			key[1:4], key[4:7], nil, venue.Signed(r.Lower), venue.Signed(r.Upper), word(delta), nil)
		d := b.do(what, actor, data)
		d.tx.Value = value
		return d
	}
	b.undo = append(b.undo, func() []action {
		return []action{modify("V4 remove", u256.Zero, u256.Zero.Sub(r.Liquidity.Div(u256.From(1+b.random.Uint64N(2)))))}
	})
	return append(allow, modify("V4 add", value, r.Liquidity))
}

// someRange is 0.2 to 5% of the liquidity of a pool, in a range near its price.
func (b *busyChain) someRange(p venue.Pool, tick, spacing int32) (ticks.Position, bool) {
	part := b.part(500, 20).Float()
	a0, a1 := u256.FromFloat(p.Depth(0)/part), u256.FromFloat(p.Depth(1)/part)
	if a0.IsZero() || a1.IsZero() {
		return ticks.Position{}, false
	}
	_, ranges := ticks.Spread(spacing, a0, a1)
	r := ranges[b.random.IntN(3)]
	middle := tick - tick%spacing + spacing*(b.random.Int32N(11)-5)
	width := spacing * (1 + b.random.Int32N(8))
	return ticks.Position{Lower: middle - width, Upper: middle + width, Liquidity: r.Liquidity}, !r.Liquidity.IsZero()
}

// vault adds liquidity in any proportion, and removes it in the pool's own or in
// one token.
func (b *busyChain) vault(p venue.Pool) []action {
	pool, tokens := common.HexToAddress(string(p.Info().ID)), p.Info().Tokens
	desk := balancer.WeightedFactory
	var txs []action
	var most, least []*big.Int
	for i, balance := range p.(*balancer.Pool).Balances() {
		txs = append(txs, b.approve(tokens[i], desk)...)
		most = append(most, balance.Div(b.part(500, 30)).Big())
		least = append(least, new(big.Int))
	}
	const unbalanced, proportional, singleIn = 1, 0, 1
	b.undo = append(b.undo, func() []action {
		held := b.ask(pool, pack("balanceOf(address)", desk[:]))
		shares, kind := held.Div(u256.From(2+b.random.Uint64N(5))).Big(), uint8(proportional)
		if b.random.IntN(2) == 0 {
			kind, least[0] = singleIn, common.Big1
		}
		return []action{b.do("Balancer remove", desk, b.abi("BalancerDesk", "remove", pool, tokens, least, shares, kind))}
	})
	return append(txs, b.do("Balancer add", desk, b.abi("BalancerDesk", "add", pool, tokens, most, new(big.Int), uint8(unbalanced))))
}

// kuru places orders of all kinds near the price, some of which trade at once.
func (b *busyChain) kuru(p venue.Pool) []action {
	market, tokens := common.HexToAddress(string(p.Info().ID)), slices.Clone(p.Info().Tokens)
	margin := venue.Custody(p)
	if p.Spot(0, 1) == 0 || p.Spot(1, 0) == 0 {
		return nil
	}
	params := b.reads(market, pack("getMarketParams()"))
	digits := func(i int) float64 { return math.Pow10(int(params[i].Uint64())) }
	price := math.Sqrt(p.Spot(0, 1)/p.Spot(1, 0)) * digits(3) / digits(5) * params[0].Float()
	at := func(side int) uint32 { // within 1%, at times beyond the middle
		return uint32(price * (1 + float64(side)*(0.01*b.random.Float64()-0.001)))
	}
	amount := p.Depth(0) / b.part(200, 10).Float()
	size := u256.FromFloat(amount / digits(3) * params[1].Float()).Add(u256.One).Big()
	var txs []action
	for i := range tokens {
		deposit := u256.FromFloat(p.Depth(i) / 4).Add(u256.One)
		var value u256.Int
		if p.Call(i, 1-i).Body[40]&2 != 0 {
			tokens[i], value = common.Address{}, deposit
		} else {
			txs = append(txs, b.approve(tokens[i], margin)...)
		}
		d := b.do("Kuru deposit", margin, b.abi("KuruMargin", "deposit", devchain.DevAccount, tokens[i], deposit.Big()))
		d.tx.Value = value
		txs = append(txs, d)
	}
	book := func(method string, args ...any) action {
		return b.do("Kuru "+method, market, b.abi("KuruOrderBook", method, args...))
	}
	const bid, ask = -1, 1
	switch b.random.IntN(5) {
	case 0:
		return append(txs, book("addBuyOrder", at(bid), size, b.random.IntN(2) == 0))
	case 1:
		return append(txs, book("addSellOrder", at(ask), size, b.random.IntN(2) == 0))
	case 2:
		return append(txs, book("addFlipBuyOrder", at(bid), at(ask), size, false))
	case 3:
		return append(txs, book("addFlipSellOrder", at(ask), at(bid), size, false))
	}
	return append(txs, book("addPairedLiquidity", at(bid), at(ask), size, size))
}

// hanji places orders near the price, some of which trade at once.
func (b *busyChain) hanji(p venue.Pool) []action {
	market, tokens := common.HexToAddress(string(p.Info().ID)), p.Info().Tokens
	if p.Spot(0, 1) == 0 || p.Spot(1, 0) == 0 {
		return nil
	}
	unit := func(token int) float64 { return u256.FromBytes(p.Call(token, 1-token).Body[21:]).Float() }
	price := math.Sqrt(p.Spot(0, 1)/p.Spot(1, 0)) * unit(0) / unit(1)
	side := b.random.IntN(2) // 0 brings X: an ask
	price *= 1 + (0.01*b.random.Float64()-0.001)*float64(1-2*side)
	shares := u256.FromFloat(p.Depth(0) / b.part(200, 10).Float() / unit(0)).Add(u256.One)
	data := pack("placeOrder(bool,uint128,uint72,uint128,bool,bool,bool,uint256)", yes(side == 0), word(shares), word(u256.FromFloat(price)),
		word(u256.Max.Rsh(128)), nil, yes(b.random.IntN(2) == 0), yes(true), word(u256.Max))
	return append(b.approve(tokens[side], market), b.do("Hanji order", market, data))
}

// curves launches a token, buys it up to its target, or graduates one at its
// target.
func (b *busyChain) curves(p venue.Pool) []action {
	factory, token := p.Info().Source.Factory, p.Info().Tokens[1]
	switch {
	case p.Spot(0, 1) == 0:
		return []action{b.do("NadFun graduate", factory, pack("graduate(address)", token[:]))}
	case b.random.IntN(3) > 0:
		type params struct {
			Creator                common.Address
			Name, Symbol, TokenURI string
			Salt                   common.Hash
			ActionId               uint8
		}
		salt := common.Hash(word(u256.From(b.random.Uint64())))
		return []action{b.do("NadFun create", factory, b.abi("NadFunCurve", "create", params{devchain.DevAccount, "Nad", "NAD", "", salt, 0}))}
	}
	low, high := u256.Zero, u256.One.Lsh(90) // of native, what it takes to the target
	for low.Add(u256.One).Lt(high) {
		middle := low.Add(high).Rsh(1)
		if _, err := p.Quote(0, 1, middle); err == nil || middle.Lt(u256.From(1e9)) {
			low = middle
		} else {
			high = middle
		}
	}
	return append(b.approve(monad.WrappedNative, b.at.Router), b.swap("NadFun lock", p, 0, 1, low))
}

// rememberOrders remembers the orders that were placed, to cancel them later.
func (b *busyChain) rememberOrders(receipts types.Receipts) {
	placed := crypto.Keccak256Hash([]byte("OrderPlaced(address,address,uint64,bool,uint128,uint72,uint128,uint128,uint128,uint128,uint128,bool,bool)"))
	created := crypto.Keccak256Hash([]byte("OrderCreated(uint40,address,uint96,uint32,bool)"))
	flip := crypto.Keccak256Hash([]byte("FlipOrderCreated(uint40,uint40,address,uint96,uint32,uint32,bool)"))
	for _, r := range receipts {
		for _, log := range r.Logs {
			id := func() *big.Int { return new(big.Int).SetBytes(log.Data[:32]) }
			switch log.Topics[0] {
			case placed:
				data := pack("claimOrder(address,uint64,bool,bool,bool,uint256)", devchain.DevAccount[:], log.Data[:32],
					yes(b.random.IntN(4) == 0), nil, nil, word(u256.Max))
				b.undo = append(b.undo, func() []action { return []action{b.do("Hanji claim", log.Address, data)} })
			case created:
				data := b.abi("KuruOrderBook", "batchCancelOrders", []*big.Int{id()})
				b.undo = append(b.undo, func() []action { return []action{b.do("Kuru cancel", log.Address, data)} })
			case flip:
				data := b.abi("KuruOrderBook", "batchCancelFlipOrders", []*big.Int{id()})
				b.undo = append(b.undo, func() []action { return []action{b.do("Kuru cancel flip", log.Address, data)} })
			}
		}
	}
}
