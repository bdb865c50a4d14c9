package venuetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/contracts"
	"braid/evm"
	"braid/u256"
	"braid/venue"
)

// Owner deploys contracts and creates markets in a rig, Taker only swaps.
var (
	Owner = common.HexToAddress("0x00000000000000000000000000000000000000fe")
	Taker = common.HexToAddress("0x00000000000000000000000000000000000000fd")
)

// Rig is an EVM with the contracts of a venue, which are named by their builds.
// A failure that is not a contract's refusal ends the test.
type Rig struct {
	testing.TB
	*evm.Machine
	Logs []*types.Log // of all that was sent by Send

	builds *contracts.Builds
}

// NewRig is an EVM without accounts.
func NewRig(t testing.TB) *Rig {
	return &Rig{TB: t, Machine: evm.New(evm.Rules(143)), builds: contracts.NewBuilds("../../build/artifacts")}
}

// Artifact is the build of that name.
func (r *Rig) Artifact(name string) contracts.Contract {
	r.Helper()
	c, err := r.builds.Get(name)
	if err != nil {
		r.Fatal(err)
	}
	return c
}

// Deploy deploys a contract from Owner.
func (r *Rig) Deploy(name string, args ...any) common.Address {
	r.Helper()
	at, err := r.Create(Owner, r.Artifact(name).Init(args...))
	if err != nil {
		r.Fatalf("deploy %s: %v", name, err)
	}
	return at
}

// Put deploys a contract at an address of choice.
func (r *Rig) Put(at common.Address, name string, args ...any) {
	r.Helper()
	if _, err := r.Machine.Etch(Owner, at, r.Artifact(name).Init(args...)); err != nil {
		r.Fatalf("%s: %v", name, err)
	}
}

// Token deploys a token, all of which Owner holds.
func (r *Rig) Token(decimals uint8) common.Address {
	r.Helper()
	return r.Deploy("Token", "T", "T", decimals, Owner, u256.Max.Big())
}

// Approve lets a spender take any amount of a token from some accounts.
func (r *Rig) Approve(token, spender common.Address, from ...common.Address) {
	r.Helper()
	for _, who := range from {
		r.Must(who, token, u256.Zero, "Token", "approve", spender, u256.Max.Big())
	}
}

// Try makes a call that may revert.
func (r *Rig) Try(from, to common.Address, value u256.Int, name, method string, args ...any) (evm.Result, error) {
	r.Helper()
	data, err := r.Artifact(name).ABI.Pack(method, args...)
	if err != nil {
		r.Fatal(err)
	}
	result, err := r.Call(from, to, value, data)
	if err != nil {
		err = fmt.Errorf("%s: %w", method, err)
	}
	return result, err
}

// Must makes a call that must not revert.
func (r *Rig) Must(from, to common.Address, value u256.Int, name, method string, args ...any) evm.Result {
	r.Helper()
	result, err := r.Try(from, to, value, name, method, args...)
	if err != nil {
		r.Fatal(err)
	}
	return result
}

// Holds is the balance of an account in a token, in raw units.
func (r *Rig) Holds(token, who common.Address) u256.Int {
	r.Helper()
	return u256.FromBytes(r.Must(who, token, u256.Zero, "Token", "balanceOf", who).Return)
}

// Applied is the pool after the logs; p may be nil before the one that creates
// it.
func Applied[P interface {
	comparable
	venue.Pool
}](f venue.Family, p P, logs []*types.Log) (P, error) {
	var pool venue.Pool
	if none := *new(P); p != none {
		pool = p
	}
	for _, log := range logs {
		e, err := f.Decode(log)
		if err != nil {
			return p, err
		}
		if _, wide := e.(venue.SourceEvent); e == nil || wide && pool == nil {
			continue
		}
		if pool, err = f.Apply(pool, e); err != nil {
			return p, err
		}
	}
	p, _ = pool.(P)
	return p, nil
}

// Loaded is the pool after one round of Wants was answered by the machine.
func Loaded[P venue.Pool](m *evm.Machine, f venue.Loader, p P) (P, error) {
	wants := f.Wants(p)
	if len(wants) == 0 {
		return p, nil
	}
	var answers [][]byte
	for _, want := range wants {
		r, err := m.Call(Owner, want.To, u256.Zero, want.Data)
		if err != nil {
			return p, err
		}
		answers = append(answers, r.Return)
	}
	next, err := f.Load(p, answers)
	if err != nil {
		return p, err
	}
	return next.(P), nil
}

// Word is a random 256-bit number.
func Word(r *rand.Rand) u256.Int {
	var b [32]byte
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return u256.FromBytes(b[:])
}
