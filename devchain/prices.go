package devchain

// tokenRow is a listed token in the local market.
type tokenRow struct {
	symbol string
	usd    float64 // price of one whole token, dollars
	depth  uint64  // dollars on each side of the deepest pool
	pairs  string  // symbols it is traded against, the deepest first, each half as deep as the one before
}

// table is the local market, with prices near those of the real tokens. Tokens that
// many others trade against come first, and every token trades against some above
// it. Some trade only against another small token, so that their routes are long.
var table = []tokenRow{
	{"USDC", 1, 0, ""},
	{"USDT0", 1, 12_000_000, "USDC"},
	{"AUSD", 1, 10_000_000, "USDC USDT0"},
	{"WMON", 0.03, 20_000_000, "USDC AUSD USDT0"},
	{"WETH", 3500, 16_000_000, "USDC WMON AUSD USDT0"},
	{"WBTC", 100_000, 14_000_000, "USDC WETH WMON"},
	{"cbBTC", 100_000, 6_000_000, "USDC WBTC WMON"},

	// Staked and wrapped MON.
	{"aprMON", 0.0312, 2_000_000, "WMON USDC"},
	{"sMON", 0.0318, 3_000_000, "WMON USDC"},
	{"gMON", 0.0316, 2_500_000, "WMON AUSD"},
	{"shMON", 0.0321, 2_500_000, "WMON USDC"},
	{"earnMON", 0.0309, 300_000, "WMON"},
	{"mcMON", 0.0305, 200_000, "WMON"},
	{"LVMON", 0.03, 400_000, "WMON"},
	{"sLVMON", 0.0307, 60_000, "LVMON"},

	// Ether.
	{"wstETH", 4280, 3_000_000, "WETH USDC"},
	{"weETH", 3790, 1_500_000, "WETH WMON"},
	{"rETH", 4030, 600_000, "WETH"},
	{"ezETH", 3740, 400_000, "WETH"},
	{"pufETH", 3720, 150_000, "WETH"},
	{"suETH", 3560, 40_000, "WETH"},

	// Bitcoin.
	{"LBTC", 100_300, 1_500_000, "cbBTC WBTC"},
	{"BTC.b", 100_000, 800_000, "WBTC USDC"},
	{"SolvBTC", 100_000, 700_000, "WBTC WMON"},
	{"xSolvBTC", 101_500, 90_000, "SolvBTC"},
	{"enzoBTC", 99_900, 120_000, "WBTC"},
	{"eBTC", 100_400, 80_000, "cbBTC"},
	{"suBTC", 100_200, 30_000, "WBTC"},
	{"aHyperBTC", 102_000, 50_000, "cbBTC"},
	{"mHyperBTC", 103_000, 50_000, "WBTC"},

	// Dollars, and what earns on them.
	{"USDe", 1, 3_000_000, "USDC USDT0"},
	{"sUSDe", 1.21, 1_200_000, "USDe USDC"},
	{"GHO", 1, 600_000, "USDC"},
	{"USD1", 1, 1_500_000, "USDC WMON"},
	{"mUSD", 1, 500_000, "USDC"},
	{"USDm", 1, 300_000, "USDC USDT0"},
	{"M", 1, 150_000, "USDC"},
	{"wM", 1, 80_000, "M"},
	{"USD*", 1.02, 90_000, "USDC"},
	{"FUSD", 1, 70_000, "USDT0"},
	{"FUSDLP", 1.05, 20_000, "FUSD"},
	{"AZND", 1, 250_000, "AUSD"},
	{"loAZND", 1.08, 60_000, "AZND"},
	{"USDat", 1, 300_000, "AUSD"},
	{"sUSDat", 1.04, 120_000, "USDat"},
	{"srUSDat", 1.03, 40_000, "USDat"},
	{"jrUSDat", 1.06, 15_000, "USDat"},
	{"rUSD", 1, 200_000, "USDC"},
	{"wsrUSD", 1.12, 60_000, "rUSD"},
	{"reUSD", 1.06, 50_000, "USDC"},
	{"avUSD", 1, 150_000, "USDC"},
	{"savUSD", 1.14, 50_000, "avUSD"},
	{"yzUSD", 1, 200_000, "AUSD USDC"},
	{"syzUSD", 1.07, 80_000, "yzUSD"},
	{"yzPP", 1.09, 20_000, "syzUSD"},
	{"yzPrime", 1.03, 30_000, "yzUSD"},
	{"YZM", 1.01, 12_000, "AUSD"},
	{"suUSD", 1, 40_000, "USDC"},
	{"syrupUSDC", 1.15, 500_000, "USDC"},
	{"xUSDC", 1.02, 60_000, "USDC"},
	{"earnAUSD", 1.04, 200_000, "AUSD"},
	{"sAUSD", 1.03, 250_000, "AUSD"},
	{"gAUSD", 1.02, 60_000, "AUSD"},
	{"hyAUSD", 1.05, 40_000, "AUSD"},
	{"LVUSD", 1, 70_000, "USDC"},
	{"aguaUSDCgc", 1.03, 10_000, "USDC"},
	{"AA_FalconXUSDC", 1.06, 25_000, "USDC"},
	{"vUSD", 1.02, 8_000, "USDC"},
	{"rwaUSDi", 1, 30_000, "USDC"},
	{"afi-rwaUSDi", 1.04, 8_000, "rwaUSDi"},
	{"aHYPER", 1.07, 20_000, "USDC"},
	{"mHYPER", 1.09, 60_000, "USDC"},
	{"mEDGE", 1.08, 30_000, "USDC"},
	{"muBOND", 1.02, 15_000, "AUSD"},
	{"MVT", 1.01, 6_000, "WMON"},

	// Bonds, funds and gold.
	{"thBILL", 1.02, 150_000, "USDC"},
	{"USTRY", 1.08, 100_000, "USDC"},
	{"JTRSY", 1.09, 80_000, "USDC"},
	{"deJTRSY", 1.09, 20_000, "JTRSY"},
	{"JAAA", 1.04, 80_000, "USDC"},
	{"deJAAA", 1.04, 25_000, "JAAA"},
	{"ACRDX", 1.01, 40_000, "USDC"},
	{"deCRDX", 1.01, 15_000, "ACRDX"},
	{"CETES", 0.062, 30_000, "USDC"},
	{"TESOURO", 0.21, 25_000, "USDC"},
	{"EUROB", 1.19, 40_000, "USDC"},
	{"GILTS", 1.36, 30_000, "USDC"},
	{"KTB", 0.031, 15_000, "USDC"},
	{"XAUt0", 4100, 800_000, "USDT0 USDC"},

	// Other currencies.
	{"EURm", 1.16, 200_000, "USDm USDC"},
	{"EURW", 1.16, 120_000, "USDC"},
	{"GBPm", 1.33, 80_000, "USDm"},
	{"CHFm", 1.25, 50_000, "USDm"},
	{"JPYm", 0.0065, 50_000, "USDm"},
	{"IDRX", 0.00006, 40_000, "USDC"},

	// Everything else.
	{"SOL", 180, 1_500_000, "USDC WMON"},
	{"FXRP", 2.4, 500_000, "USDC WMON"},
	{"Cake", 2.6, 400_000, "WMON"},
	{"ENA", 0.32, 300_000, "WMON USDC"},
	{"PENDLE", 3.1, 200_000, "WMON"},
	{"EUL", 7.5, 100_000, "WMON"},
	{"NXPC", 0.45, 150_000, "WMON"},
	{"FOLKS", 9, 80_000, "USDC"},
	{"DUST", 0.012, 60_000, "WMON"},
	{"LV", 0.08, 90_000, "WMON"},
}

// usd is the price of one whole token of the table, in dollars; 0 if it has none.
func usd(symbol string) float64 {
	for i := range table {
		if table[i].symbol == symbol {
			return table[i].usd
		}
	}
	return 0
}
