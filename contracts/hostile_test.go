package contracts

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/u256"
)

// puppet deploys a hostile actor.
func (r *rig) puppet() common.Address { return r.deploy(r.artifact("Puppet").Init()) }

type act struct {
	Target common.Address
	Value  *big.Int
	Data   []byte
}

func call(target common.Address, data []byte) act { return act{target, new(big.Int), data} }

// teach says what the puppet does when selector is called, and answers.
func (r *rig) teach(puppet common.Address, selector [4]byte, answer []byte, acts ...act) {
	r.t.Helper()
	r.must(user, puppet, nil, pack(r.artifact("Puppet"), "teach", selector, acts, answer))
}

// hire makes a puppet the executor of orders: it does what the acts say, and
// holds some of every token to pay with.
func (r *rig) hire(acts func(self common.Address) []act) common.Address {
	r.t.Helper()
	p := r.puppet()
	for _, token := range []common.Address{r.a, r.b, r.c, r.wrapped} {
		r.must(user, token, nil, pack(Token, "transfer", p, e18(100)))
	}
	r.teach(p, selector(Executor, "execute"), nil, acts(p)...)
	return p
}

func (r *rig) pull(to common.Address, amount *big.Int) act {
	return call(r.router, pack(Router, "pull", to, amount))
}

func give(token, to common.Address, amount *big.Int) act {
	return call(token, pack(Token, "transfer", to, amount))
}

var swapSelector = [4]byte(crypto.Keccak256([]byte("swap(uint256,uint256,address,bytes)")))

// fakePair is a puppet that claims reserves and does nothing when it should pay.
func (r *rig) fakePair(reserve *big.Int) pair {
	at, code := r.puppet(), r.artifact("UniswapV2Pair-30")
	answer, err := code.ABI.Methods["getReserves"].Outputs.Pack(reserve, reserve, uint32(now))
	if err != nil {
		r.t.Fatal(err)
	}
	r.teach(at, selector(code, "getReserves"), answer)
	return pair{at, 30}
}

// donate leaves some of the tokens and of native with both contracts.
func (r *rig) donate(tokens ...common.Address) {
	for _, to := range []common.Address{r.router, r.exec} {
		for _, token := range tokens {
			r.must(victim, token, nil, pack(Token, "transfer", to, e18(7)))
		}
		r.Fund(to, u256.From(1e18)) // as selfdestruct would
	}
}
