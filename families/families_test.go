package families_test

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/families"
	"braid/venue"
	"braid/venue/univ2"
)

// TestSteps: every family has one kind of step, complete and of its own number.
func TestSteps(t *testing.T) {
	seen := map[byte]bool{}
	for _, k := range families.Steps() {
		if k.Number == 0 || k.Number >= 0x80 || seen[k.Number] {
			t.Errorf("kind %d is out of range or taken", k.Number)
		}
		if k.Length == nil || k.Pools == nil || k.Words == nil {
			t.Errorf("kind %d is not complete", k.Number)
		}
		seen[k.Number] = true
	}
}

// TestCheck: a row with a parameter that is missing, unknown or of another type
// is refused before anything is followed.
func TestCheck(t *testing.T) {
	account := common.Address{1}
	for _, row := range []struct {
		family string
		params venue.Params
		want   string // in the error; empty if the row is sound
	}{
		{"univ2", univ2.Fee(30), ""},
		{"univ2", nil, "feeBps is 0"},
		{"univ2", univ2.Fee(10_000), "feeBps is 10000"},
		{"univ2", univ2.Fee(30).With("feeBsp", uint64(25)), `"feeBsp" is no parameter`},
		{"univ2", univ2.Fee(30).With("feeBps", "yes"), `feeBps is 0`},
		{"univ3", nil, ""},
		{"univ3", venue.Params{"deployer": "somewhere"}, `"deployer" is a string`},
		{"univ4", univ2.Fee(30), `"feeBps" is no parameter`},
		{"kuru", venue.Params{"margin": account}, ""},
		{"kuru", nil, "margin is missing"},
		{"nadfun", venue.Params{"router": account}, ""},
		{"nadfun", nil, "router is missing"},
		{"univ9", nil, `no family "univ9"`},
	} {
		err := families.Check([]venue.Source{{ID: "row", Family: row.family, Params: row.params}})
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s %v: %v, want %q", row.family, row.params, err, row.want)
		}
	}
}
