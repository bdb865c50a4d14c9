package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"braid/benchfile"
)

const (
	goodMarket = `{"native":0,"gas":{"priceWei":"1000000000"},"stables":[1],
		"tokens":[{"symbol":"WMON","address":"0x3bd359C1119dA7Da1D913D1C4D2B7c461115433A","decimals":18,"usd":0.03},
			{"symbol":"USDC","address":"0x754704Bc059F8C67012fEd69BC8A327a5aafb603","decimals":6,"usd":1}],
		"pools":[{"id":0,"type":"v2","address":"0x0000000000000000000000000000000000000099","t0":0,"t1":1,"feePpm":3000,"r0":"1000000000000000000000000","r1":"30000000000"},
			{"id":1,"type":"v3","address":"0x0000000000000000000000000000000000000098","t0":0,"t1":1,"feePpm":500,"tickSpacing":10,
				"sqrtPriceX96":"79228162514264337593543950336","tick":0,"ticks":[{"i":-10,"net":"1000000"},{"i":10,"net":"-1000000"}]}]}`
	goodTrades = `[{"id":0,"in":0,"out":1,"amountIn":"1000000000000000000"},{"id":1,"in":1,"out":0,"amountIn":"1000000"}]`
)

// runBench runs the command on files of these texts.
func runBench(t *testing.T, market, trades string) (benchfile.Report, error) {
	t.Helper()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"market.json": market, "trades.json": trades} {
		if err := os.WriteFile(path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := braid("bench", "--market", path("market.json"), "--trades", path("trades.json"), "--out", path("out.json"))
	if err != nil {
		return benchfile.Report{}, err
	}
	data, err := os.ReadFile(path("out.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r benchfile.Report
	return r, json.Unmarshal(data, &r)
}

// TestBenchFaults: files as the help shows them are read, and an error in others
// is reported with file, entry and field.
func TestBenchFaults(t *testing.T) {
	r, err := runBench(t, goodMarket, goodTrades)
	if err != nil || len(r.Results) != 2 || r.Results[0].Error+r.Results[1].Error != "" || len(r.Results[0].Steps) == 0 {
		t.Fatalf("%+v: %v", r, err)
	}
	for _, row := range []struct{ file, old, new, says string }{
		{"market.json", `"r1":"30000000000"`, `"r1":30000000000`, "pools[0]: r1 is a JSON number and must be a string of digits"},
		{"market.json", `"r1":"30000000000"`, `"r1":"0x10"`, "pools[0]: r1: "},
		{"market.json", `"feePpm":3000`, `"feePpm":3050`, "pools[0]: feePpm: 3050"},
		{"market.json", `"t1":1,"feePpm":500`, `"t1":2,"feePpm":500`, "pools[1]: t0 0 and t1 2"},
		{"market.json", `"type":"v3"`, `"type":"v5"`, "pools[1]: type: "},
		{"market.json", `"tick":0`, `"tick":1`, "pools[1]: sqrtPriceX96"},
		{"market.json", `"net":"-1000000"`, `"net":"-1"`, "pools[1]: ticks: "},
		{"market.json", `"net":"1000000"`, `"net":"many"`, "pools[1]: ticks[0].net"},
		{"market.json", `"decimals":6`, `"decimals":"6"`, "tokens[1]: decimals is a JSON string and must be an integer"},
		{"market.json", `"native":0`, `"native":7`, "native: there is no token 7"},
		{"market.json", `"priceWei":"1000000000"`, `"priceWei":"1 gwei"`, "gas.priceWei: "},
		{"market.json", `"pools":[`, `"pools":{`, "invalid character"},
		{"trades.json", `"out":1`, `"out":9`, "trades[0]: out: there is no token 9"},
		{"trades.json", `"amountIn":"1000000"`, `"amount":"1000000"`, "trades[1]: amountIn: "},
		{"trades.json", `"in":1`, `"in":"USDC"`, "trades[1]: in is a JSON string and must be an integer"},
		{"trades.json", goodTrades, `{}`, "is a JSON object and must be a list"},
	} {
		market, trades := goodMarket, goodTrades
		if row.file == "market.json" {
			market = strings.Replace(market, row.old, row.new, 1)
		} else {
			trades = strings.Replace(trades, row.old, row.new, 1)
		}
		if market == goodMarket && trades == goodTrades {
			t.Fatalf("%q is not in the file", row.old)
		}
		if _, err := runBench(t, market, trades); err == nil || !strings.Contains(err.Error(), row.file+": "+row.says) {
			t.Errorf("%s: %v does not say %q", row.new, err, row.says)
		}
	}
	if _, err := braid("bench", "--market", "nowhere.json", "--trades", "x", "--out", "y"); err == nil || err.Error() != "nowhere.json: no such file or directory" {
		t.Error(err)
	}
}

// TestBenchHelp: the help has every field of the files.
func TestBenchHelp(t *testing.T) {
	out, err := braid("bench", "-h")
	if err != nil {
		t.Fatal(err)
	}
	var explained func(reflect.Type)
	explained = func(of reflect.Type) {
		for of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct {
			return
		}
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			if !strings.Contains(out, `"`+name+`"`) {
				t.Errorf("%s of %s is not explained", name, of)
			}
			explained(of.Field(i).Type)
		}
	}
	for _, file := range []any{benchfile.Market{}, []benchfile.Trade{}, benchfile.Report{}} {
		explained(reflect.TypeOf(file))
	}
}
