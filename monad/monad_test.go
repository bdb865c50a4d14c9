package monad_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/families"
	"braid/monad"
	"braid/venue"
)

// TestSources: rows are complete, and no two share an ID or a factory.
func TestSources(t *testing.T) {
	if err := families.Check(monad.Sources()); err != nil {
		t.Error(err)
	}
	ids, factories := map[string]bool{}, map[common.Address]string{}
	types := map[venue.Type]bool{venue.V2: true, venue.V3: true, venue.V4: true, venue.Balancer: true, venue.CLOB: true, venue.BondingCurve: true}
	for _, s := range monad.Sources() {
		if s.ID == "" || s.Family == "" || s.Factory == (common.Address{}) || !types[s.Type] {
			t.Errorf("source %q is not complete: %+v", s.ID, s)
		}
		if ids[s.ID] {
			t.Errorf("source %s is listed twice", s.ID)
		}
		if other, twice := factories[s.Factory]; twice {
			t.Errorf("%s and %s share a factory", s.ID, other)
		}
		ids[s.ID], factories[s.Factory] = true, s.ID
	}
}

// TestTokens: the list has no entry twice and none for native, and it has wrapped
// native and the stablecoins.
func TestTokens(t *testing.T) {
	seen := map[common.Address]bool{}
	for _, token := range monad.Tokens() {
		if token.Address == (common.Address{}) || seen[token.Address] || token.Symbol == "" || token.Decimals > 18 || !token.Verified {
			t.Errorf("token %+v", token)
		}
		seen[token.Address] = true
	}
	for _, a := range append(monad.Chain().Stables, monad.WrappedNative) {
		if !seen[a] {
			t.Errorf("%s is not on the list", a)
		}
	}
	if len(seen) != 105 {
		t.Errorf("%d tokens", len(seen))
	}
}
