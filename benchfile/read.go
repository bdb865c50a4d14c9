package benchfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"braid/market"
	"braid/router"
	"braid/u256"
)

// ReadMarket reads the file of --market. Errors name the entry and the field.
func ReadMarket(path string) (*Market, error) {
	var s Market
	file := struct {
		*Market
		Tokens []json.RawMessage `json:"tokens"`
		Pools  []json.RawMessage `json:"pools"`
	}{Market: &s}
	if err := readFile(path, &file); err != nil {
		return nil, err
	}
	var err error
	if s.Tokens, err = entries[Token]("tokens", file.Tokens); err != nil {
		return nil, err
	}
	s.Pools, err = entries[Pool]("pools", file.Pools)
	return &s, err
}

// ReadTrades reads the file of --trades, and makes orders of it for a market.
func ReadTrades(path string, s *market.Snapshot, maxSteps int) ([]Trade, []router.Order, error) {
	var raw []json.RawMessage
	if err := readFile(path, &raw); err != nil {
		return nil, nil, err
	}
	trades, err := entries[Trade]("trades", raw)
	if err != nil {
		return nil, nil, err
	}
	orders := make([]router.Order, len(trades))
	for i := range trades {
		if orders[i], err = trades[i].Order(s, maxSteps); err != nil {
			return nil, nil, fmt.Errorf("trades[%d]: %w", i, err)
		}
	}
	return trades, orders, nil
}

func readFile(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return errors.Unwrap(err) // the caller names the path
	}
	return fieldError(json.Unmarshal(data, v))
}

// entries decodes the elements of a list one by one, so that an error can name
// the position.
func entries[T any](list string, raw []json.RawMessage) ([]T, error) {
	values := make([]T, len(raw))
	for i := range raw {
		if err := fieldError(json.Unmarshal(raw[i], &values[i])); err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", list, i, err)
		}
	}
	return values, nil
}

// fieldError names the field that has the wrong type, and the type it must have.
func fieldError(err error) error {
	wrong := new(json.UnmarshalTypeError)
	if !errors.As(err, &wrong) {
		return err
	}
	want := map[string]string{
		"string": "a string", "slice": "a list", "struct": "an object", "ptr": "an object",
		"int": "an integer", "int32": "an integer", "uint8": "an integer from 0 to 255", "uint64": "an integer from 0 on", "float64": "a number",
	}[wrong.Type.Kind().String()]
	if wrong.Type.Name() == "Decimal" {
		want = "a string of digits"
	}
	if want == "" {
		want = wrong.Type.String()
	}
	if wrong.Field == "" {
		return fmt.Errorf("is a JSON %s and must be %s", wrong.Value, want)
	}
	return fmt.Errorf("%s is a JSON %s and must be %s", wrong.Field, wrong.Value, want)
}

// Decimal is a string of digits: JSON numbers would lose those beyond 2^53.
type Decimal string

func (d Decimal) Int() (u256.Int, error) {
	n, err := u256.FromDecimal(string(d))
	if err != nil {
		return u256.Zero, fmt.Errorf("%.90q: %w", string(d), err)
	}
	return n, nil
}
