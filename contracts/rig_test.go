package contracts

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/google/go-cmp/cmp"

	"braid/evm"
	"braid/u256"
)

const now = 1_760_000_000

var (
	user      = common.HexToAddress("0x00000000000000000000000000000000000a11ce")
	recipient = common.HexToAddress("0x0000000000000000000000000000000000000b0b")
	victim    = common.HexToAddress("0x00000000000000000000000000000000000dad00")
	stranger  = common.HexToAddress("0x00000000000000000000000000000000000e111e")
	native    common.Address
)

// rig is an EVM with wrapped native, our two contracts, three tokens and pairs
// between them. user and victim hold everything and have approved the
// Router without limit; recipient holds one unit of each token.
type rig struct {
	*evm.Machine
	t       testing.TB
	builds  *Builds
	wrapped common.Address
	router  common.Address
	exec    common.Address
	a, b, c common.Address
	ab, bc  pair
	ac, wa  pair
	others  []common.Address // tokens of the venues
}

type pair struct {
	at     common.Address
	feeBps uint16
}

func newRig(t testing.TB) *rig {
	r := &rig{t: t, Machine: evm.New(evm.Rules(143)), builds: NewBuilds("../build/artifacts")}
	for _, who := range []common.Address{user, victim, stranger} {
		r.Fund(who, u256.FromBig(e18(1_000_000)))
	}
	r.wrapped = r.deploy(r.artifact("WETH9").Init())
	r.router = r.create2(RouterInit(r.wrapped))
	r.exec = r.create2(ExecutorInit(r.router, r.wrapped))

	r.a, r.b, r.c = r.token("A"), r.token("B"), r.token("C")
	for _, who := range []common.Address{user, victim} {
		r.must(who, r.wrapped, e18(100_000), nil)
		r.must(who, r.wrapped, nil, pack(Token, "approve", r.router, maxWei))
	}
	r.ab = r.pair(r.a, r.b, e18(5_000), e18(9_000), 30)
	r.bc = r.pair(r.b, r.c, e18(7_000), e18(3_000), 30)
	r.ac = r.pair(r.a, r.c, e18(4_000), e18(4_000), 25)
	r.wa = r.pair(r.wrapped, r.a, e18(2_000), e18(6_000), 30)
	return r
}

// result is what became of a transaction.
type result struct {
	ret   []byte
	gas   uint64 // before refunds
	fault string // name of the error it reverted with, or ""
}

// send is one transaction.
func (r *rig) send(from common.Address, to *common.Address, value *big.Int, data []byte) result {
	if value == nil {
		value = new(big.Int)
	}
	out, err := r.Transact(from, to, u256.FromBig(value), data, 16_000_000)
	res := result{ret: out.Return, gas: out.Gas}
	if evm.IsReverted(err) {
		res.fault = faultName(out.Return)
	} else if err != nil {
		r.t.Fatal(err)
	}
	return res
}

// faultName is the name of one of our errors, the text of a reason, or the
// bytes. A failed transfer also names why the token refused.
func faultName(revert []byte) string {
	if text, err := abi.UnpackRevert(revert); err == nil {
		return text
	}
	for _, c := range []Contract{Router, Executor, Token} {
		for _, e := range c.ABI.Errors {
			args, err := e.Unpack(revert)
			if err != nil {
				continue
			}
			if e.Name == "TransferFailed" {
				return e.Name + ": " + faultName(args.([]any)[1].([]byte))
			}
			return e.Name
		}
	}
	return hexutil.Encode(revert)
}

func (r *rig) must(from, to common.Address, value *big.Int, data []byte) []byte {
	r.t.Helper()
	res := r.send(from, &to, value, data)
	if res.fault != "" {
		r.t.Fatalf("transaction to %s: %s", to, res.fault)
	}
	return res.ret
}

func (r *rig) deploy(init []byte) common.Address {
	r.t.Helper()
	at := crypto.CreateAddress(user, r.Nonce(user))
	if res := r.send(user, nil, nil, init); res.fault != "" {
		r.t.Fatal("deployment: ", res.fault)
	}
	return at
}

// create2 does what the Deployer does with our creation code.
func (r *rig) create2(init []byte) common.Address {
	r.t.Helper()
	at, err := r.Create2(Deployer, init, Salt)
	if err != nil {
		r.t.Fatal(err)
	}
	return at
}

// etch runs creation code as the code of an account of choice.
func (r *rig) etch(from, at common.Address, init []byte) {
	r.t.Helper()
	if _, err := r.Etch(from, at, init); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) token(name string) common.Address {
	at := r.deploy(Token.Init(name, name, uint8(18), user, e18(10_000_000)))
	r.endow(at)
	return at
}

// endow gives the accounts of the rig some of a token that user holds.
func (r *rig) endow(token common.Address) {
	r.must(user, token, nil, pack(Token, "transfer", victim, e18(1_000_000)))
	r.must(user, token, nil, pack(Token, "transfer", recipient, big.NewInt(1)))
	for _, who := range []common.Address{user, victim} {
		r.must(who, token, nil, pack(Token, "approve", r.router, maxWei))
	}
}

func (r *rig) pair(a, b common.Address, amountA, amountB *big.Int, feeBps uint16) pair {
	name := fmt.Sprint("-", feeBps)
	factory, code := r.artifact("UniswapV2Factory"+name), r.artifact("UniswapV2Pair"+name)
	at := r.deploy(factory.Init(user))
	made := common.BytesToAddress(r.must(user, at, nil, pack(factory, "createPair", a, b)))
	r.must(user, a, nil, pack(Token, "transfer", made, amountA))
	r.must(user, b, nil, pack(Token, "transfer", made, amountB))
	r.must(user, made, nil, pack(code, "mint", user))
	return pair{made, feeBps}
}

// quote is what a pair pays, by its own formula.
func (r *rig) quote(p pair, in, out common.Address, amount *big.Int) *big.Int {
	code := r.artifact("UniswapV2Pair-30")
	values, err := code.ABI.Unpack("getReserves", r.must(user, p.at, nil, pack(code, "getReserves")))
	if err != nil {
		r.t.Fatal(err)
	}
	rIn, rOut := values[0].(*big.Int), values[1].(*big.Int)
	if in.Cmp(out) > 0 {
		rIn, rOut = rOut, rIn
	}
	kept := mul(amount, big.NewInt(10_000-int64(p.feeBps)))
	below := mul(rIn, big.NewInt(10_000))
	return new(big.Int).Div(mul(kept, rOut), below.Add(below, kept))
}

// order is a call of Router.swap.
type order struct {
	from              common.Address
	value             *big.Int
	tokenIn, tokenOut common.Address
	amountIn, minOut  *big.Int
	recipient         common.Address
	deadline          *big.Int
	executor          common.Address
	route             []byte
}

// order is a valid one; tests change it.
func (r *rig) order(tokenIn, tokenOut common.Address, amountIn *big.Int, route []byte) order {
	return order{user, nil, tokenIn, tokenOut, amountIn, big.NewInt(1), recipient, big.NewInt(now), r.exec, route}
}

func (o order) data() []byte {
	return pack(Router, "swap", o.tokenIn, o.amountIn, o.tokenOut, o.minOut, o.recipient, o.deadline, o.executor, o.route)
}

func (r *rig) swap(o order) result { return r.send(o.from, &r.router, o.value, o.data()) }

// pays asserts that the order goes through and gives the recipient exactly want.
func (r *rig) pays(o order, want *big.Int) {
	r.t.Helper()
	before := r.held(o.tokenOut, o.recipient)
	res := r.swap(o)
	if res.fault != "" {
		r.t.Fatalf("swap: %s", res.fault)
	}
	if got := new(big.Int).SetBytes(res.ret); got.Cmp(want) != 0 {
		r.t.Fatalf("swap says %s, want %s", got, want)
	}
	if got := before.Sub(r.held(o.tokenOut, o.recipient), before); got.Cmp(want) != 0 {
		r.t.Fatalf("recipient got %s, want %s", got, want)
	}
}

// refuses asserts that the order reverts by that name and moves nothing.
func (r *rig) refuses(o order, fault string) {
	r.t.Helper()
	before := r.ledger(user, victim, recipient, r.router, r.exec)
	if res := r.swap(o); res.fault != fault {
		r.t.Errorf("swap: %q, want %q", res.fault, fault)
	}
	r.same(before, r.ledger(user, victim, recipient, r.router, r.exec))
}

// held is a balance; of the native currency for the zero address.
func (r *rig) held(token, who common.Address) *big.Int {
	if token == native {
		return r.Balance(who).Big()
	}
	return new(big.Int).SetBytes(r.must(stranger, token, nil, pack(Token, "balanceOf", who)))
}

type entry struct{ Token, Who common.Address }

// ledger is what the accounts hold of every token of the rig.
func (r *rig) ledger(accounts ...common.Address) map[entry]string {
	book := map[entry]string{}
	for _, token := range append([]common.Address{native, r.wrapped, r.a, r.b, r.c}, r.others...) {
		for _, who := range accounts {
			book[entry{token, who}] = r.held(token, who).String()
		}
	}
	return book
}

func (r *rig) same(before, after map[entry]string) {
	r.t.Helper()
	if diff := cmp.Diff(before, after); diff != "" {
		r.t.Errorf("balances moved (-before +after):\n%s", diff)
	}
}

var maxWei = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))

func e18(n int64) *big.Int        { return mul(big.NewInt(n), big.NewInt(1e18)) }
func mul(a, b *big.Int) *big.Int  { return new(big.Int).Mul(a, b) }
func plus(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }

func selector(c Contract, method string) [4]byte { return [4]byte(c.ABI.Methods[method].ID) }

func pack(c Contract, method string, args ...any) []byte {
	data, err := c.ABI.Pack(method, args...)
	if err != nil {
		panic(err)
	}
	return data
}

// artifact is a build of build.mjs.
func (r *rig) artifact(name string) Contract {
	r.t.Helper()
	c, err := r.builds.Get(name)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}
