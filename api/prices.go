package api

import (
	"strconv"

	"github.com/ethereum/go-ethereum/common"

	"braid/monad"
)

const weiPerNative = 1e18

// maxPriced is the most tokens that /prices is asked for at once.
const maxPriced = 100

var pricesParameters = []string{"tokens", "chainId"}

// pricesBody is the JSON of /prices: prices by the address of the token in lower
// case, without those that are not known or not reliable.
type pricesBody struct {
	Prices map[string]priceBody `json:"prices"`
	Block  blockBody            `json:"block"`
}

// priceBody is the price of one whole token, and the value of all pools' holdings
// of it. Native is in whole native currency; "0": its own price is not known.
type priceBody struct {
	USD          string `json:"usd"`
	Native       string `json:"native"`
	LiquidityUsd string `json:"liquidityUsd"`
}

// prices is the endpoint /prices.
func (s *server) prices(w *response) error {
	tokens, err := s.parsePrices(w)
	if err != nil {
		return err
	}
	c, err := s.headFor(w)
	if err != nil {
		return err
	}
	native := c.USD(s.Contracts.WrappedNative) * weiPerNative
	body := pricesBody{Prices: make(map[string]priceBody, len(tokens)), Block: s.blockBody(c)}
	for _, a := range tokens {
		i, ok := c.Token(a)
		if !ok {
			continue
		}
		p, decimals := c.Price(i), c.Tokens()[i].Decimals
		if usd := unitPrice(p.USD, decimals); usd != unknownPrice {
			body.Prices[lowerHex(a)] = priceBody{usd, unitPrice(p.USD/native, decimals), formatDollars(p.Liquidity)}
		}
	}
	return w.writeUncached(body)
}

// parsePrices reads the parameters of /prices: addresses between commas, of which
// those of the native currency become wrapped native.
func (s *server) parsePrices(w *response) (tokens []common.Address, err error) {
	q := readQuery(w, pricesParameters)
	q.chain()
	q.required("tokens")
	for i, item := range q.listOf("tokens", maxPriced) {
		a, ok := common.HexToAddress(item), isAddress(item)
		if !ok {
			q.reject("tokens", invalidAddress, "has an item "+strconv.Itoa(i+1)+" that "+addressMessage("token", item))
			break
		}
		if monad.IsNative(a) {
			a = s.Contracts.WrappedNative
		}
		tokens = append(tokens, a)
	}
	return tokens, q.err()
}
