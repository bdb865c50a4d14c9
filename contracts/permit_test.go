package contracts

import (
	"bytes"
	"crypto/ecdsa"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"

	"braid/u256"
)

// Approval without a transaction of its own: permits and Permit2.

type permit struct {
	Value, Deadline *big.Int
	V               uint8
	R, S            [32]byte
}

type permit2 struct {
	Amount, Nonce, Deadline *big.Int
	Signature               []byte
}

// estate is a rig with Permit2, and somebody with a key who holds tokens and
// has approved nobody but Permit2.
type estate struct {
	*rig
	key *ecdsa.PrivateKey
	who common.Address
}

func newEstate(t *testing.T) *estate {
	r := newRig(t)
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("signer")))
	if err != nil {
		t.Fatal(err)
	}
	s := &estate{r, key, crypto.PubkeyToAddress(key.PublicKey)}
	s.etch(user, Permit2, s.artifact("Permit2").Init())
	for _, token := range []common.Address{r.a, r.b, r.c, r.wrapped} {
		s.settleIn(token)
	}
	return s
}

func (s *estate) settleIn(token common.Address) {
	s.must(user, token, nil, pack(Token, "transfer", s.who, e18(1_000)))
	s.must(s.who, token, nil, pack(Token, "approve", Permit2, maxWei))
}

func (s *estate) domain(name, version string, at common.Address) apitypes.TypedDataDomain {
	return apitypes.TypedDataDomain{Name: name, Version: version, ChainId: (*math.HexOrDecimal256)(s.ChainID()), VerifyingContract: at.Hex()}
}

// sign signs typed data as a wallet does.
func (s *estate) sign(key *ecdsa.PrivateKey, data apitypes.TypedData) []byte {
	s.t.Helper()
	data.Types["EIP712Domain"] = []apitypes.Type{{Name: "name", Type: "string"}, {Name: "version", Type: "string"}, {Name: "chainId", Type: "uint256"}, {Name: "verifyingContract", Type: "address"}}
	if data.Domain.Version == "" {
		data.Types["EIP712Domain"] = append(data.Types["EIP712Domain"][:1:1], data.Types["EIP712Domain"][2:]...)
	}
	hash, _, err := apitypes.TypedDataAndHash(data)
	if err != nil {
		s.t.Fatal(err)
	}
	sig, err := crypto.Sign(hash, key)
	if err != nil {
		s.t.Fatal(err)
	}
	sig[64] += 27
	return sig
}

func (s *estate) permit(key *ecdsa.PrivateKey, owner, token common.Address, value *big.Int, nonce, deadline int64) permit {
	s.t.Helper()
	name, err := Token.ABI.Unpack("name", s.must(user, token, nil, pack(Token, "name")))
	if err != nil {
		s.t.Fatal(err)
	}
	sig := s.sign(key, apitypes.TypedData{
		Types:       apitypes.Types{"Permit": {{Name: "owner", Type: "address"}, {Name: "spender", Type: "address"}, {Name: "value", Type: "uint256"}, {Name: "nonce", Type: "uint256"}, {Name: "deadline", Type: "uint256"}}},
		PrimaryType: "Permit", Domain: s.domain(name[0].(string), "1", token),
		Message: map[string]any{"owner": owner.Hex(), "spender": s.router.Hex(), "value": value, "nonce": big.NewInt(nonce), "deadline": big.NewInt(deadline)},
	})
	return permit{value, big.NewInt(deadline), sig[64], [32]byte(sig[:32]), [32]byte(sig[32:64])}
}

func (s *estate) permit2(key *ecdsa.PrivateKey, token common.Address, amount *big.Int, nonce, deadline int64) permit2 {
	s.t.Helper()
	sig := s.sign(key, apitypes.TypedData{
		Types: apitypes.Types{
			"PermitTransferFrom": {{Name: "permitted", Type: "TokenPermissions"}, {Name: "spender", Type: "address"}, {Name: "nonce", Type: "uint256"}, {Name: "deadline", Type: "uint256"}},
			"TokenPermissions":   {{Name: "token", Type: "address"}, {Name: "amount", Type: "uint256"}},
		},
		PrimaryType: "PermitTransferFrom", Domain: s.domain("Permit2", "", Permit2),
		Message: map[string]any{"permitted": map[string]any{"token": token.Hex(), "amount": amount}, "spender": s.router.Hex(), "nonce": big.NewInt(nonce), "deadline": big.NewInt(deadline)},
	})
	return permit2{amount, big.NewInt(nonce), big.NewInt(deadline), sig}
}

func (s *estate) data(o order, permit any) []byte {
	name := "swapWithPermit"
	if _, ok := permit.(permit2); ok {
		name = "swapWithPermit2"
	}
	return pack(Router, name, o.tokenIn, o.amountIn, o.tokenOut, o.minOut, o.recipient, o.deadline, o.executor, o.route, permit)
}

// takes asserts that the order pays want and costs the signer spent of tokenIn.
func (s *estate) takes(o order, permit any, want, spent *big.Int) {
	s.t.Helper()
	kept := s.ledger(s.router, s.exec, victim, user)
	mine, theirs := s.held(o.tokenIn, s.who), s.held(o.tokenOut, recipient)
	res := s.send(s.who, &s.router, nil, s.data(o, permit))
	if got := theirs.Sub(s.held(o.tokenOut, recipient), theirs); res.fault != "" || got.Cmp(want) != 0 {
		s.t.Errorf("the recipient got %s, want %s; %s", got, want, res.fault)
	}
	if got := mine.Sub(mine, s.held(o.tokenIn, s.who)); got.Cmp(spent) != 0 {
		s.t.Errorf("%s left the signer, want %s", got, spent)
	}
	s.same(kept, s.ledger(s.router, s.exec, victim, user))
}

// denies asserts that it reverts by that name and moves nothing.
func (s *estate) denies(from common.Address, o order, permit any, fault string) {
	s.t.Helper()
	before := s.ledger(s.who, user, victim, recipient, s.router, s.exec)
	if res := s.send(from, &s.router, o.value, s.data(o, permit)); res.fault != fault {
		s.t.Errorf("swap: %q, want %q", res.fault, fault)
	}
	s.same(before, s.ledger(s.who, user, victim, recipient, s.router, s.exec))
}

func (s *estate) allowance() *big.Int {
	return new(big.Int).SetBytes(s.must(user, s.a, nil, pack(Token, "allowance", s.who, s.router)))
}

// A permit that works lends exactly what it says. One that fails is passed
// over, and the allowance decides.
func TestPermit(t *testing.T) {
	s := newEstate(t)
	s.donate(s.a, s.b, s.wrapped)
	o := s.order(s.a, s.b, e18(5), route(nil, through(s.ab, 0, 1)))
	good := s.permit(s.key, s.who, s.a, e18(5), 0, now)
	const noAllowance = "TransferFailed: InsufficientAllowance"

	s.denies(s.who, o, s.permit(s.key, s.who, s.a, e18(5), 0, now-1), noAllowance)
	s.denies(s.who, o, s.permit(s.key, s.who, s.a, e18(5), 1, now), noAllowance)
	s.denies(s.who, o, s.permit(s.key, s.who, s.a, e18(4), 0, now), noAllowance)
	s.denies(s.who, o, permit{e18(5), big.NewInt(now), 29, good.R, good.S}, noAllowance)
	s.denies(stranger, o, good, noAllowance)

	s.takes(o, good, s.quote(s.ab, s.a, s.b, e18(5)), e18(5))
	if left := s.allowance(); left.Sign() != 0 {
		t.Errorf("%s is still allowed", left)
	}
	s.denies(s.who, o, good, noAllowance) // it is used up

	// Somebody was quicker: the allowance is there all the same.
	next := s.permit(s.key, s.who, s.a, e18(5), 1, now)
	s.must(stranger, s.a, nil, pack(Token, "permit", s.who, s.router, next.Value, next.Deadline, next.V, next.R, next.S))
	s.takes(o, next, s.quote(s.ab, s.a, s.b, e18(5)), e18(5))

	// Wrapped native has no permit, and takes the call for a deposit of nothing.
	w := s.order(s.wrapped, s.a, e18(5), route(nil, through(s.wa, 0, 1)))
	s.denies(s.who, w, good, "TransferFailed: 0x")
	s.must(s.who, s.wrapped, nil, pack(Token, "approve", s.router, e18(5)))
	s.takes(w, good, s.quote(s.wa, s.wrapped, s.a, e18(5)), e18(5))
}

// Law 1: with Permit2 too only the caller pays, by its own signature, for this
// Router, once, and no more than amountIn. What is not pulled goes back.
func TestPermit2(t *testing.T) {
	s := newEstate(t)
	s.donate(s.a, s.b, s.wrapped)
	o := s.order(s.a, s.b, e18(5), route(nil, through(s.ab, 0, 1)))
	good := s.permit2(s.key, s.a, e18(6), 7, now)
	invalidSigner := hexOf("InvalidSigner()")
	s.denies(stranger, o, good, invalidSigner)
	s.denies(victim, o, good, invalidSigner)
	s.denies(s.who, o, s.permit2(s.key, s.b, e18(6), 7, now), invalidSigner)
	s.denies(s.who, o, permit2{e18(7), good.Nonce, good.Deadline, good.Signature}, invalidSigner)
	s.denies(s.who, o, permit2{good.Amount, good.Nonce, good.Deadline, good.Signature[:63]}, hexOf("InvalidSignatureLength()"))

	s.takes(o, good, s.quote(s.ab, s.a, s.b, e18(5)), e18(5))
	s.denies(s.who, o, good, hexOf("InvalidNonce()"))

	native := s.order(s.a, native, e18(5), route(nil, through(s.wa, 0, 1)))
	s.takes(native, s.permit2(s.key, s.a, e18(5), 8, now), s.quote(s.wa, s.a, s.wrapped, e18(5)), e18(5))

	part := s.order(s.a, s.b, e18(5), nil)
	part.executor = s.hostileExecutor(func(self common.Address) []act { return []act{s.pull(self, e18(2)), give(s.b, recipient, e18(1))} })
	s.takes(part, s.permit2(s.key, s.a, e18(5), 9, now), e18(1), e18(2))
	part.executor = s.hostileExecutor(func(self common.Address) []act {
		return []act{s.pull(self, plus(e18(5), big.NewInt(1))), give(s.b, recipient, e18(1))}
	})
	s.denies(s.who, part, s.permit2(s.key, s.a, e18(5), 10, now), "PulledTooMuch")

	for name, entry := range map[string]any{"permit": s.permit(s.key, s.who, s.a, e18(5), 0, now), "Permit2": s.permit2(s.key, s.a, e18(5), 11, now)} {
		late, paid, empty := o, o, o
		late.deadline = big.NewInt(now - 1)
		s.denies(s.who, late, entry, "Expired")
		s.Fund(s.who, u256.From(1))
		paid.value = big.NewInt(1)
		s.denies(s.who, paid, entry, "0x")
		empty.minOut = new(big.Int)
		s.denies(s.who, empty, entry, "ZeroAmount")
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// Law 5: of a token that takes a fee only what arrives is lent, whatever lies
// in the Router.
func TestPermit2Taxed(t *testing.T) {
	s := newEstate(t)
	taxed := s.deploy(s.artifact("Odd").Init(uint8(2), native, user, e18(10_000_000)))
	s.others = append(s.others, taxed)
	s.settleIn(taxed)
	s.must(user, taxed, nil, pack(Token, "transfer", s.router, e18(7)))
	o := s.order(taxed, s.b, e18(100), nil)
	o.executor = s.hostileExecutor(func(self common.Address) []act { return []act{s.pull(self, e18(99)), give(s.b, recipient, e18(1))} })
	s.takes(o, s.permit2(s.key, taxed, e18(100), 0, now), e18(1), e18(100))
	o.executor = s.hostileExecutor(func(self common.Address) []act { return []act{s.pull(self, plus(e18(99), big.NewInt(1)))} })
	s.denies(s.who, o, s.permit2(s.key, taxed, e18(100), 1, now), "PulledTooMuch")
}

// Law 1: a token that says more arrived than was sent lends no more for it.
func TestPermit2Swollen(t *testing.T) {
	s := newEstate(t)
	token, puppet := s.hostile(), s.artifact("Puppet")
	s.program(token, selector(Token, "balanceOf"), words(new(big.Int)))
	s.program(token, selector(Token, "transferFrom"), nil, call(token, pack(puppet, "teach", selector(Token, "balanceOf"), []act{}, words(e18(6)))))
	o := s.order(token, s.b, e18(5), nil)
	o.executor = s.hostileExecutor(func(self common.Address) []act { return []act{s.pull(self, plus(e18(5), big.NewInt(1)))} })
	s.denies(s.who, o, s.permit2(s.key, token, e18(6), 0, now), "PulledTooMuch")
}

// Law 4: while the caller pays in, nothing can be pulled yet and nobody enters.
func TestPermitNothingPulledBefore(t *testing.T) {
	s := newEstate(t)
	token, early := s.hostile(), [4]byte{1}
	s.program(token, selector(Token, "balanceOf"), words(new(big.Int)))
	o := s.order(token, s.b, e18(5), nil)
	o.executor = s.hostileExecutor(func(common.Address) []act { return []act{give(s.b, recipient, e18(1))} })
	s.program(o.executor, early, nil, s.pull(stranger, big.NewInt(1)))
	for _, door := range []struct {
		act   act
		fault string
	}{
		{call(o.executor, early[:]), "PulledTooMuch"},
		{s.pull(stranger, new(big.Int)), "NotExecutor"},
		{call(s.router, s.order(s.a, s.b, e18(1), route(nil, through(s.ab, 0, 1))).data()), "Reentered"},
	} {
		s.program(token, selector(Token, "transferFrom"), nil, door.act)
		s.denies(s.who, o, s.permit2(s.key, token, e18(5), 0, now), "TRANSFER_FROM_FAILED")
		s.program(token, selector(Token, "transferFrom"), nil)

		// A permit that fails is passed over; so is what it tried.
		s.program(token, selector(Token, "permit"), nil, door.act)
		kept := s.ledger(s.who, user, victim, s.router, s.exec)
		if res := s.send(s.who, &s.router, nil, s.data(o, permit{Value: e18(5), Deadline: big.NewInt(now)})); res.fault != "" {
			t.Errorf("permit that tries %s: %s", door.fault, res.fault)
		}
		s.same(kept, s.ledger(s.who, user, victim, s.router, s.exec))
	}
}

// What a signature burns more than an exact allowance, the first time, beside
// the bytes it has in calldata.
func TestPermitGas(t *testing.T) {
	s := newEstate(t)
	o := s.order(s.a, s.b, e18(5), route(nil, through(s.ab, 0, 1)))
	burnt := func(data []byte) int {
		s.Time++
		res := s.send(s.who, &s.router, nil, data)
		if res.fault != "" {
			t.Fatal(res.fault)
		}
		zeros := bytes.Count(data, []byte{0})
		return int(res.gas) - 4*zeros - 16*(len(data)-zeros)
	}
	o.deadline = maxWei
	s.must(s.who, s.a, nil, pack(Token, "approve", s.router, e18(5)))
	burnt(o.data()) // the pair's price sums are new slots
	s.must(s.who, s.a, nil, pack(Token, "approve", s.router, e18(5)))
	plain := burnt(o.data())
	for name, c := range map[string]struct {
		permit any
		most   int
	}{
		"permit":  {s.permit(s.key, s.who, s.a, e18(5), 0, now+100), 50_000},
		"Permit2": {s.permit2(s.key, s.a, e18(5), 0, now+100), 58_000},
	} {
		if more := burnt(s.data(o, c.permit)) - plain; more > c.most || more < c.most*9/10 {
			t.Errorf("%s burns %d more, of %d", name, more, c.most)
		}
	}
}
