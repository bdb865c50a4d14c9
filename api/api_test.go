package api

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/api/openapi"
	"braid/calldata"
	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

var (
	wmon   = monad.WrappedNative
	usdc   = monad.USDC
	usdt   = monad.USDT0
	weth   = addr(0x57e7)
	lone   = addr(0x10e0) // without a pool
	island = addr(0x151a) // its only pool is with reef, so it has no price
	reef   = addr(0x2eef)
	rare   = addr(0x2a2e) // its only pool is of LFJ
	empty  = addr(0xe3b7) // its pool has no liquidity
	evil   = addr(0xe711) // its metadata is hostile

	testContracts = calldata.Contracts{Router: addr(0xa66), Executor: addr(0xe8ec), WrappedNative: wmon, Permit2: addr(0x9e2)}
	alice         = common.HexToAddress("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")
	cakePair      = addr(0x900001) // the pool with the best price for small amounts

	now = time.Unix(1_800_000_000, 0)
)

const blockTime = 1_799_999_990

// addr is the n-th test address; none is that of a precompiled contract.
func addr(n uint64) common.Address {
	b := u256.From(n).Lsh(64).Bytes()
	return common.BytesToAddress(b[:])
}

func units(n uint64, decimals int) u256.Int {
	return u256.MustDecimal(u256.From(n).String() + strings.Repeat("0", decimals))
}

// testMarket is small, but has orders that are split, routes over several tokens,
// tokens that no route reaches, and a token with hostile metadata.
func testMarket(t testing.TB) *market.Snapshot {
	t.Helper()
	sources := monad.Sources()
	source := map[string]*venue.Source{}
	for i := range sources {
		source[sources[i].ID] = &sources[i]
	}
	made := uint64(0)
	pair := func(id string, a, b common.Address, ra, rb u256.Int) venue.Pool {
		made++
		return univ2.NewPool(source[id], addr(0x900000+made-1), [2]common.Address{a, b}, ra, rb)
	}
	tokens := append(monad.Tokens(),
		market.Token{Address: weth, Symbol: "WETH", Name: "Wrapped Ether", Decimals: 18},
		market.Token{Address: lone, Symbol: "LONE", Name: "Lone", Decimals: 18},
		market.Token{Address: island, Symbol: "ISLE", Name: "Island", Decimals: 18},
		market.Token{Address: reef, Symbol: "usdc", Name: "Not the real one", Decimals: 0},
		market.Token{Address: rare, Symbol: "RARE", Name: "Rare", Decimals: 18},
		market.Token{Address: empty, Symbol: "MPTY", Name: "Empty", Decimals: 18},
		market.Token{Address: evil, Symbol: "US\u202eDC\x00\r\n\"<script>" + strings.Repeat("x", 99), Name: "\xff\u200b\u2066" + strings.Repeat("é", 99), Decimals: 255, LogoURI: "javascript:alert(1)"},
	)
	pools := []venue.Pool{
		pair("UniswapV2", wmon, usdc, units(5_000_000, 18), units(1_500_000, 6)),
		pair("PancakeSwapV2", wmon, usdc, units(2_000_000, 18), units(605_000, 6)),
		pair("LFJ", wmon, usdc, units(400_000, 18), units(119_000, 6)),
		pair("UniswapV2", wmon, weth, units(9_000_000, 18), units(900, 18)),
		pair("Purps", weth, usdc, units(400, 18), units(1_201_000, 6)),
		pair("UniswapV2", usdc, usdt, units(3_000_000, 6), units(3_001_000, 6)),
		pair("Taya", wmon, usdt, units(600_000, 18), units(181_000, 6)),
		pair("LFJ", rare, wmon, units(70_000, 18), units(10_000, 18)),
		pair("Kansei", island, reef, units(1_000, 18), u256.From(1_000_000)),
		pair("Kansei", empty, wmon, u256.Zero, u256.Zero),
		pair("DYOR", evil, usdc, units(1, 18), units(10_000, 6)),
	}
	block := market.Block{Number: 19_000_123, Hash: common.HexToHash("0xb10c"), Time: blockTime}
	s, err := market.New(monad.Chain()).Next(block, pools, tokens)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func testConfig(t testing.TB) Config {
	snap := testMarket(t)
	return Config{
		Head:      func() *market.Snapshot { return snap },
		Health:    func() Health { return Health{Ready: true, Reachable: true, Block: 19_000_123, Updated: now} },
		Sources:   monad.Sources(),
		Contracts: testContracts,
		Receipts:  testReceipts,
		Now:       func() time.Time { return now },
		Version:   "test",
	}
}

// service is the API over real HTTP; every answer is checked against the OpenAPI
// document.
type service struct {
	*httptest.Server
	t testing.TB
}

func serve(t testing.TB, edits ...func(*Config)) service {
	c := testConfig(t)
	for _, edit := range edits {
		edit(&c)
	}
	s := httptest.NewServer(New(c))
	t.Cleanup(s.Close)
	return service{s, t}
}

type answer struct {
	status int
	header http.Header
	raw    []byte
}

func (s service) get(path string, header ...string) answer {
	return s.do(http.MethodGet, path, header...)
}

func (s service) do(method, path string, header ...string) answer {
	s.t.Helper()
	a := s.raw(method, path, header...)
	if method != http.MethodHead && a.header.Get("Content-Encoding") == "" {
		validate(s.t, method, path, a)
	}
	return a
}

// raw is do for answers that the document does not describe.
func (s service) raw(method, path string, header ...string) answer {
	s.t.Helper()
	r, err := http.NewRequest(method, s.URL+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := s.Client().Transport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, raw}
}

func (a answer) into(t testing.TB, v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(a.raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%s: %v", a.raw, err)
	}
}

type problemBody struct {
	Type, Title, Detail, Error, RequestID string
	Status                                int
	Code                                  code
	Retryable                             bool
	Errors                                []paramError
	Hints                                 hints
}

var openapiDocument = sync.OnceValue(func() openapi.Document {
	d, err := openapi.Parse(document)
	if err != nil {
		panic(err)
	}
	return d
})

// validate checks an answer against the document. For a path that is not in it, the
// errors of /quote apply, and for a method that is not in it, those of GET.
func validate(t testing.TB, method, target string, a answer) {
	t.Helper()
	path, _, _ := strings.Cut(target, "?")
	path = strings.TrimSuffix(path, "/")
	if a.status == 404 && bytes.Contains(a.raw, []byte(`"NOT_FOUND"`)) {
		path = apiPrefix + "/quote"
	}
	as, err := http.NewRequest(http.MethodGet, "http://host"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	res := &http.Response{StatusCode: a.status, Header: a.header, Body: io.NopCloser(bytes.NewReader(a.raw))}
	for _, e := range openapiDocument().ValidateResponse(as, res) {
		t.Errorf("%s %.200s: %d is not as the document says: %s\n%.600s", method, target, a.status, e, a.raw)
	}
	var p problemBody
	if a.status >= 400 && json.Unmarshal(a.raw, &p) == nil && p.Code != "" {
		if d := described(path, a.status); !strings.Contains(d, string(p.Code)) {
			t.Errorf("%s %.200s: %s is not among what the document says of %d: %s", method, target, p.Code, a.status, d)
		}
	}
}

// described is the description of a path and status in the document, which names
// the codes of all its problems.
func described(path string, status int) string {
	type response struct {
		Ref         string `json:"$ref"`
		Description string
	}
	var d struct {
		Paths map[string]struct {
			Get struct{ Responses map[string]response }
		}
		Components struct{ Responses map[string]response }
	}
	if err := json.Unmarshal(document, &d); err != nil {
		panic(err)
	}
	r := d.Paths[path].Get.Responses[strconv.Itoa(status)]
	if _, name, shared := strings.Cut(r.Ref, "#/components/responses/"); shared {
		r = d.Components.Responses[name]
	}
	return r.Description
}

// params is a query string, from pairs of names and values.
func params(pairs ...any) string {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		switch p := pairs[i+1].(type) {
		case string:
			v.Add(pairs[i].(string), p)
		case common.Address:
			v.Add(pairs[i].(string), p.Hex())
		case u256.Int:
			v.Add(pairs[i].(string), p.String())
		}
	}
	return "?" + v.Encode()
}

func TestDocumentIsOpenAPI(t *testing.T) {
	for _, e := range openapiDocument().Validate() {
		t.Error(e)
	}
	// Every code of the table, each under its own status, and no other.
	var d struct {
		Components struct {
			Schemas struct{ Code struct{ Enum []code } }
		}
	}
	if err := json.Unmarshal(document, &d); err != nil {
		t.Fatal(err)
	}
	codes := d.Components.Schemas.Code.Enum
	if len(codes) != len(errorTable) {
		t.Fatalf("%d codes in the document, %d in the table", len(codes), len(errorTable))
	}
	for i, row := range errorTable {
		if codes[i] != row.Code {
			t.Errorf("code %d: %s in the document, %s in the table", i, codes[i], row.Code)
		}
	}
}
