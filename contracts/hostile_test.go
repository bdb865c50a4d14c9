package contracts

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/u256"
)

// hostile deploys a Puppet: a contract that does what program says.
func (r *rig) hostile() common.Address { return r.deploy(r.artifact("Puppet").Init()) }

type act struct {
	Target common.Address
	Value  *big.Int
	Data   []byte
}

func call(target common.Address, data []byte) act { return act{target, new(big.Int), data} }

// program makes a Puppet do the acts, and return answer, when selector is called.
func (r *rig) program(puppet common.Address, selector [4]byte, answer []byte, acts ...act) {
	r.t.Helper()
	r.must(user, puppet, nil, pack(r.artifact("Puppet"), "teach", selector, acts, answer))
}

// hostileExecutor is a Puppet in the place of the Executor: it does the acts, and
// holds some of every token to pay with.
func (r *rig) hostileExecutor(acts func(self common.Address) []act) common.Address {
	r.t.Helper()
	p := r.hostile()
	for _, token := range []common.Address{r.a, r.b, r.c, r.wrapped} {
		r.must(user, token, nil, pack(Token, "transfer", p, e18(100)))
	}
	r.program(p, selector(Executor, "execute"), nil, acts(p)...)
	return p
}

func (r *rig) pull(to common.Address, amount *big.Int) act {
	return call(r.router, pack(Router, "pull", to, amount))
}

func give(token, to common.Address, amount *big.Int) act {
	return call(token, pack(Token, "transfer", to, amount))
}

var swapSelector = [4]byte(crypto.Keccak256([]byte("swap(uint256,uint256,address,bytes)")))

// fakePair is a Puppet that reports reserves and does not pay.
func (r *rig) fakePair(reserve *big.Int) pair {
	at, code := r.hostile(), r.artifact("UniswapV2Pair-30")
	answer, err := code.ABI.Methods["getReserves"].Outputs.Pack(reserve, reserve, uint32(now))
	if err != nil {
		r.t.Fatal(err)
	}
	r.program(at, selector(code, "getReserves"), answer)
	return pair{at, 30}
}

// donate sends some of the tokens and of native currency to both contracts.
func (r *rig) donate(tokens ...common.Address) {
	for _, to := range []common.Address{r.router, r.exec} {
		for _, token := range tokens {
			r.must(victim, token, nil, pack(Token, "transfer", to, e18(7)))
		}
		r.Fund(to, u256.From(1e18)) // as selfdestruct would
	}
}
