package venuetest

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/gas"
	"braid/u256"
	"braid/venue"
)

// staged are the pools of a family as it sets them up, in a rig.
type staged struct {
	*Rig
	family venue.Family
	pools  map[venue.ID]venue.Pool
}

// stage sets a family up in a rig, by its own Etch and Open, and follows its
// logs.
func stage(f testing.TB, family venue.Family, source *venue.Source, wrappedNative common.Address) *staged {
	f.Helper()
	s := &staged{Rig: NewRig(f), family: family, pools: map[venue.ID]venue.Pool{}}
	s.Put(wrappedNative, "WETH9")
	s.Fund(Owner, u256.One.Lsh(120))
	stager := family.(venue.Stager)
	if err := stager.Etch(s.Rig); err != nil {
		f.Fatal(err)
	}
	a, b, c := s.Token(18), s.Token(6), s.Token(8)
	listing := func(x, y common.Address, amountX, amountY string) venue.Listing {
		return venue.Listing{Source: source, Tokens: []common.Address{x, y}, Amounts: []u256.Int{u256.MustDecimal(amountX), u256.MustDecimal(amountY)}}
	}
	err := stager.Open(s.Rig, []venue.Listing{
		listing(a, b, "666666666000000000000000000", "20000000000000"),
		listing(c, b, "14000000000", "14000000000000"),
		listing(a, c, "1000000000000000000000", "100000000000"),
	})
	if err != nil {
		f.Fatal(err)
	}
	for _, log := range s.Logs {
		if err := s.apply(s.pools, log); err != nil {
			f.Fatal(err)
		}
	}
	if len(s.pools) == 0 {
		f.Fatal("the family set up no pools")
	}
	for id, p := range s.pools {
		s.pools[id] = s.loaded(p)
	}
	return s
}

// apply applies a log to the pools. That no pool has such an event, or that it
// cannot be, is no fault.
func (s *staged) apply(pools map[venue.ID]venue.Pool, log *types.Log) error {
	e, err := s.family.Decode(log)
	if err != nil || e == nil {
		return err
	}
	ids := []venue.ID{e.Pool()}
	if _, wide := e.(venue.SourceEvent); wide {
		ids = slices.Sorted(maps.Keys(pools))
	}
	for _, id := range ids {
		next, err := s.family.Apply(pools[id], e)
		if errors.Is(err, venue.ErrUnknownPool) {
			continue
		}
		if err != nil {
			return err
		}
		pools[id] = next
	}
	return nil
}

// loaded is the pool after all that it wants was read in the rig.
func (s *staged) loaded(p venue.Pool) venue.Pool {
	s.Helper()
	loader, ok := s.family.(venue.Loader)
	for ok && len(loader.Wants(p)) > 0 {
		next, err := loader.Load(p, s.answers(loader.Wants(p)))
		if err != nil {
			s.Fatal(err)
		}
		p = next
	}
	return p
}

// answers are what the rig answers; nil to calls of the Lens, which the rig
// does not have, and to those that revert.
func (s *staged) answers(reads []venue.Read) (answers [][]byte) {
	for _, read := range reads {
		r, err := s.Call(Owner, read.To, u256.Zero, read.Data)
		if err != nil || read.To == (common.Address{}) {
			r.Return = nil
		}
		answers = append(answers, r.Return)
	}
	return answers
}

// FuzzLogs changes the logs by which a family was set up: whatever a log says,
// Decode and Apply give an error or a pool that can be used.
func FuzzLogs(f *testing.F, family venue.Family, source *venue.Source, wrappedNative common.Address) {
	s := stage(f, family, source, wrappedNative)
	for _, log := range s.Logs {
		var topics []byte
		for _, t := range log.Topics {
			topics = append(topics, t[:]...)
		}
		f.Add(log.Address[:], topics, log.Data)
	}
	f.Fuzz(func(t *testing.T, address, topics, data []byte) {
		log := &types.Log{Address: common.BytesToAddress(address), Data: data}
		for topic := range slices.Chunk(topics, 32) {
			log.Topics = append(log.Topics, common.BytesToHash(topic))
		}
		pools := maps.Clone(s.pools)
		if s.apply(pools, log) != nil {
			return
		}
		for id, p := range pools {
			if p != s.pools[id] {
				use(t, family, p)
			}
		}
	})
}

// FuzzLoad changes one of the answers to what a pool wants to know: Load gives
// an error or a pool that can be used, or that wants more.
func FuzzLoad(f *testing.F, family venue.Family, source *venue.Source, wrappedNative common.Address) {
	s := stage(f, family, source, wrappedNative)
	storer := family.(venue.Storer)
	ids := slices.Sorted(maps.Keys(s.pools))
	var pools []venue.Pool // not read yet
	var real [][][]byte    // by pool
	for _, id := range ids {
		blank := storer.Unloaded(s.pools[id])
		if len(storer.Wants(blank)) == 0 {
			continue
		}
		pools, real = append(pools, blank), append(real, s.answers(storer.Wants(blank)))
		for i, answer := range real[len(real)-1] {
			f.Add(len(pools)-1, i, answer)
		}
	}
	if len(pools) == 0 {
		f.Fatal("no pool of the family is ever read")
	}
	f.Fuzz(func(t *testing.T, pool, i int, answer []byte) {
		if pool < 0 || i < 0 {
			return
		}
		pool %= len(pools)
		answers := slices.Clone(real[pool])
		answers[i%len(answers)] = answer
		if next, err := storer.Load(pools[pool], answers); err == nil {
			use(t, family, next)
			storer.Wants(next)
		}
	})
}

// FuzzRestore changes what Save wrote of pools: Restore gives an error or a pool
// that can be used, and that Save writes and Restore reads to the same bytes.
func FuzzRestore(f *testing.F, family venue.Family, source *venue.Source, wrappedNative common.Address) {
	s := stage(f, family, source, wrappedNative)
	storer := family.(venue.Storer)
	for _, p := range s.pools {
		f.Add(storer.Save(p))
		f.Add(storer.Save(storer.Unloaded(p)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := storer.Restore(data)
		if err != nil {
			return
		}
		use(t, family, p)
		first := storer.Save(p)
		again, err := storer.Restore(first)
		if err != nil {
			t.Fatalf("what was saved cannot be restored: %v", err)
		}
		if second := storer.Save(again); !bytes.Equal(first, second) {
			t.Errorf("saved as %x, then as %x", first, second)
		}
	})
}

// use asks a pool all that the rest of the program asks: nothing may panic, and
// what is quoted is more than nothing.
func use(t *testing.T, family venue.Family, p venue.Pool) {
	t.Helper()
	venue.Idle(p)
	if j, ok := family.(venue.Storer); ok && j.Save(p) == nil {
		t.Error("the family does not know its own pool")
	}
	for in := range p.Info().Tokens {
		for out := range p.Info().Tokens {
			if in != out {
				useDirection(t, p, in, out)
			}
		}
	}
}

func useDirection(t *testing.T, p venue.Pool, in, out int) {
	t.Helper()
	depth := u256.FromFloat(p.Depth(in))
	p.Spot(in, out)
	p.Call(in, out)
	if s := venue.SupplyOf(p, in, out); s != nil {
		s.Pay(s.Max / 2)
	}
	for _, amount := range []u256.Int{u256.One, depth.Rsh(7), depth, u256.One.Lsh(100), u256.Max} {
		q, err := p.Quote(in, out, amount)
		if err != nil {
			continue
		}
		if q.Out.IsZero() {
			t.Errorf("pays nothing for %v", amount)
		}
		if _, err := p.Swap(in, out, amount); err != nil {
			t.Errorf("quotes %v, but does not swap it: %v", amount, err)
		}
		if e, ok := p.(venue.GasEstimator); ok {
			e.EstimateGas(in, out, amount, gas.NewEstimate(gas.Monad, gas.Accounts{}, gas.FromSender, p.Info().Tokens[out], false))
		}
	}
}
