package venue_test

import (
	"encoding/json"
	"strings"
	"testing"

	"braid/venue"
)

// TestSourceJSON: a row is written as one flat object in an order that never
// changes, whatever the order it was read in: stored files carry a fingerprint
// of it.
func TestSourceJSON(t *testing.T) {
	for given, want := range map[string]string{
		`{"measureFee": true, "unproved": "a < b", "feeBps": 30, "factory": "0x6874896A6f61b0d8937dbb2546092cafab0e4b20", "id": "A", "type": "V2", "family": "univ2"}`:                                            `{"id":"A","type":"V2","family":"univ2","factory":"0x6874896a6f61b0d8937dbb2546092cafab0e4b20","feeBps":30,"unproved":"a \u003c b","measureFee":true}`,
		`{"id": "B", "type": "V3", "family": "univ3", "deployer": "0x41ff9AA7e16B8B1a8a8dc4f0eFacd93D02d071c9", "callback": "swapped", "factory": "0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865", "firstBlock": 7}`: `{"id":"B","type":"V3","family":"univ3","factory":"0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865","firstBlock":7,"callback":"swapped","deployer":"0x41ff9aa7e16b8b1a8a8dc4f0efacd93d02d071c9"}`,
		`{"id": "C"}`: `{"id":"C","type":"","family":"","factory":"0x0000000000000000000000000000000000000000"}`,
	} {
		var s venue.Source
		if err := json.Unmarshal([]byte(given), &s); err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(s); err != nil || string(got) != want {
			t.Errorf("%s is written as\n%s\nwant\n%s (%v)", given, got, want, err)
		}
	}
	for bad, why := range map[string]string{
		`{"id": "D", "feeBps": -3}`:   "feeBps",
		`{"id": "D", "feeBps": [30]}`: "feeBps",
		`{"id": "D", "factory": 3}`:   "factory",
		`[]`:                          "array",
	} {
		var s venue.Source
		if err := json.Unmarshal([]byte(bad), &s); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s is read as %+v: %v", bad, s, err)
		}
	}
}

// FuzzSourceJSON: a row that is read and written is written the same again.
func FuzzSourceJSON(f *testing.F) {
	f.Add([]byte(`{"id": "A", "type": "V2", "family": "univ2", "factory": "0x6874896a6f61b0d8937dbb2546092cafab0e4b20", "feeBps": 30, "measureFee": true}`))
	f.Add([]byte(`{"id": "B", "factory": "0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865", "firstBlock": 7, "callback": "swapped", "unproved": "why"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s, again venue.Source
		if json.Unmarshal(data, &s) != nil {
			return
		}
		first, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(first, &again); err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		if second, err := json.Marshal(again); err != nil || string(first) != string(second) {
			t.Errorf("written as %s, then as %s (%v)", first, second, err)
		}
	})
}
