package contracts

import (
	"bytes"
	"errors"
	"math/big"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/families"
	"braid/plan"
	"braid/u256"
	"braid/venue"
	"braid/venue/balancer"
	"braid/venue/hanji"
	"braid/venue/kuru"
	"braid/venue/nadfun"
	"braid/venue/univ2"
	"braid/venue/univ3"
	"braid/venue/univ4"
)

var deployer = common.HexToAddress("0x00000000000000000000000000000000000f0000")

// The two contracts whose addresses are in the Executor's code.
var (
	managerAt = common.HexToAddress("0x188d586Ddcf52439676Ca21A244753fA19F9Ea8e")
	vaultAt   = common.HexToAddress("0xbA1333333333a1BA1108E8412f11850A5C319bA9")
)

// venueRig is a rig with a source of every family, set up and followed by the
// families themselves.
type venueRig struct {
	*rig
	families []family
	pools    map[venue.ID]venue.Pool
	launched common.Address // the token of a curve
	applied  int            // logs
}

type family interface {
	venue.Family
	venue.Stager
}

func newVenueRig(t testing.TB) *venueRig {
	s := &venueRig{rig: newRig(t), pools: map[venue.ID]venue.Pool{}}
	s.Fund(deployer, u256.FromBig(e18(10_000_000)))
	s.must(deployer, s.wrapped, e18(1_000_000), nil)
	for _, token := range []common.Address{s.a, s.b, s.c} {
		s.must(user, token, nil, pack(Token, "transfer", deployer, e18(2_000_000)))
	}

	v3 := venue.Source{ID: "V3", Family: univ3.Name, Factory: place("V3")}
	renamed := venue.Source{ID: "V3 renamed", Family: univ3.Name, Factory: place("V3 renamed"), Params: univ3.Callback("capricornCLSwapCallback")}
	pancake := venue.Source{ID: "V3 Pancake", Family: univ3.Name, Factory: place("V3 Pancake"), Params: univ3.Deployer(place("V3 deployer"))}
	rows := []venue.Source{
		{ID: "V2", Family: univ2.Name, Factory: place("V2"), Params: univ2.Fee(30)}, v3, renamed, pancake,
		{ID: "V4", Family: univ4.Name, Factory: managerAt},
		{ID: "Balancer", Family: balancer.Name, Factory: vaultAt},
		{ID: "Kuru", Family: kuru.Name, Factory: place("Kuru"), Params: kuru.Margin(place("Kuru margin"))},
		{ID: "Hanji", Family: hanji.Name, Factory: place("Hanji")},
		{ID: "NadFun", Family: nadfun.Name, Factory: place("NadFun"), Params: nadfun.Router(place("NadFun router"))},
	}
	for _, f := range families.Of(rows, s.wrapped) {
		s.families = append(s.families, f.(family))
	}
	var listings []venue.Listing
	list := func(source int, x, y common.Address, amountX, amountY int64) {
		listings = append(listings, venue.Listing{
			Source: &rows[source], Tokens: []common.Address{x, y},
			Amounts: []u256.Int{u256.FromBig(e18(amountX)), u256.FromBig(e18(amountY))},
		})
	}
	list(0, s.a, s.c, 50_000, 49_000)
	for source := 1; source <= 3; source++ {
		list(source, s.a, s.b, 50_000, 90_000)
	}
	list(1, s.b, s.c, 70_000, 40_000)
	list(4, s.wrapped, s.a, 20_000, 60_000)
	list(4, s.a, s.b, 50_000, 90_000)
	list(5, s.b, s.c, 70_000, 40_000)
	list(6, s.wrapped, s.a, 20_000, 60_000)
	list(6, s.b, s.c, 70_000, 40_000)
	list(7, s.wrapped, s.a, 20_000, 60_000)
	list(7, s.b, s.c, 70_000, 40_000)
	for _, f := range s.families {
		if err := f.Etch(s); err != nil {
			t.Fatal(err)
		}
		if err := f.Open(s, listings); err != nil {
			t.Fatal(err)
		}
	}
	s.launch()
	return s
}

// launch gives the accounts of the rig some of a launched token.
func (s *venueRig) launch() {
	for _, p := range s.pools {
		if in := p.Info(); in.Source.ID == "NadFun" && p.Spot(0, 1) > 0 && (s.launched == native || in.Tokens[1].Cmp(s.launched) < 0) {
			s.launched = in.Tokens[1]
		}
	}
	buy := slices.Concat(crypto.Keccak256([]byte("buy((uint256,address,address,uint256))"))[:4],
		make([]byte, 32), common.LeftPadBytes(s.launched[:], 32), common.LeftPadBytes(user[:], 32), common.LeftPadBytes(big.NewInt(now).Bytes(), 32))
	s.must(user, place("NadFun router"), e18(1_000), buy)
	s.follow()
	s.endow(s.launched)
	s.others = append(s.others, s.launched)
}

func place(name string) common.Address { return common.BytesToAddress(crypto.Keccak256([]byte(name))) }

// A venueRig is a venue.Site, on which the families set themselves up.

func (s *venueRig) Deployer() common.Address { return deployer }

func (s *venueRig) Init(name string, args ...any) ([]byte, error) {
	c, err := Read(filepath.Join("..", "build", "artifacts", name+".json"))
	if err != nil {
		return nil, err
	}
	return c.Init(args...), nil
}

func (s *venueRig) Etch(at common.Address, init []byte) error {
	s.etch(deployer, at, init)
	return nil
}

func (s *venueRig) Send(txs []venue.Tx) (logs [][]*types.Log, err error) {
	for _, tx := range txs {
		before := len(s.Logs())
		s.must(deployer, tx.To, tx.Value.Big(), tx.Data)
		logs = append(logs, s.Logs()[before:])
	}
	s.follow()
	return logs, nil
}

// follow applies the logs since the last time, and loads what the pools want.
func (s *venueRig) follow() {
	s.t.Helper()
	logs := s.Logs()
	for _, f := range s.families {
		for _, log := range logs[s.applied:] {
			e, err := f.Decode(log)
			if err != nil {
				s.t.Fatal(err)
			}
			if e == nil {
				continue
			}
			p, err := f.Apply(s.pools[e.Pool()], e)
			if errors.Is(err, venue.ErrUnknownPool) {
				continue
			}
			if err != nil {
				s.t.Fatal(err)
			}
			s.pools[e.Pool()] = p
		}
		if loader, ok := f.(venue.Loader); ok {
			s.load(loader)
		}
	}
	s.applied = len(logs)
}

func (s *venueRig) load(f venue.Loader) {
	for id, p := range s.pools {
		var answers [][]byte
		for _, want := range f.Wants(p) {
			answers = append(answers, s.send(stranger, &want.To, nil, want.Data).ret)
		}
		if answers == nil {
			continue
		}
		next, err := f.Load(p, answers)
		if err != nil {
			s.t.Fatal(err)
		}
		s.pools[id] = next
	}
}

// through is a step of a plan through the pool of a source between two tokens.
func (s *venueRig) through(source string, in, out common.Address) plan.Step {
	s.t.Helper()
	for _, p := range s.pools {
		info := p.Info()
		i, j := slices.Index(info.Tokens, in), slices.Index(info.Tokens, out)
		if info.Source.ID == source && i >= 0 && j >= 0 {
			return plan.Step{Pool: p, In: i, Out: j}
		}
	}
	s.t.Fatalf("%s has no pool of %s and %s", source, in, out)
	return plan.Step{}
}

// trade is a sound order along the steps, and what the families say it pays.
func (s *venueRig) trade(in, out common.Address, amount *big.Int, steps ...plan.Step) (order, *big.Int) {
	s.t.Helper()
	made := out
	if out == native {
		made = s.wrapped
	}
	p, err := plan.Run(in, made, u256.FromBig(amount), steps)
	if err != nil {
		s.t.Fatal(err)
	}
	table, walk := legs(p)
	return s.order(in, out, amount, route(table, walk...)), p.AmountOut.Big()
}

// legs are a plan's steps as the Executor takes them, with their table.
func legs(p plan.Plan) (table []common.Address, steps []step) {
	numbers := []common.Address{p.TokenIn, p.TokenOut}
	number := func(token common.Address) byte {
		if !slices.Contains(numbers, token) {
			numbers = append(numbers, token)
		}
		return byte(slices.Index(numbers, token))
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		c := s.Pool.Call(s.In, s.Out)
		steps = append(steps, step{c.Kind, number(s.TokenIn()), number(s.TokenOut()), uint32(s.Share), c.Body})
	}
	return numbers[2:], steps
}

// pays is that of the rig, and applies its logs.
func (s *venueRig) pays(o order, want *big.Int) {
	s.t.Helper()
	s.rig.pays(o, want)
	s.follow()
}

// approvals are what the Executor approved in the logs from the given one on.
func (s *venueRig) approvals(from int) (list []approval) {
	topic := Token.ABI.Events["Approval"].ID
	for _, log := range s.Logs()[from:] {
		if log.Topics[0] == topic && bytes.HasSuffix(log.Topics[1][:], s.exec[:]) {
			list = append(list, approval{log.Address, common.BytesToAddress(log.Topics[2][:]), new(big.Int).SetBytes(log.Data).String()})
		}
	}
	return list
}

type approval struct {
	Token, Spender common.Address
	Amount         string
}
