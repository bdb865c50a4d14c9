package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"braid/market"
	"braid/router"
	"braid/u256"
)

// readSheet reads a market file. Errors name the entry and the field.
func readSheet(path string) (*sheet, error) {
	var s sheet
	file := struct {
		*sheet
		Tokens []json.RawMessage `json:"tokens"`
		Pools  []json.RawMessage `json:"pools"`
	}{sheet: &s}
	if err := readFile(path, &file); err != nil {
		return nil, err
	}
	var err error
	if s.Tokens, err = entries[sheetToken]("tokens", file.Tokens); err != nil {
		return nil, err
	}
	s.Pools, err = entries[sheetPool]("pools", file.Pools)
	return &s, err
}

// readTasks reads a file of orders for a market.
func readTasks(path string, s *market.Snapshot, maxSteps int) ([]task, []router.Order, error) {
	var raw []json.RawMessage
	if err := readFile(path, &raw); err != nil {
		return nil, nil, err
	}
	tasks, err := entries[task]("trades", raw)
	if err != nil {
		return nil, nil, err
	}
	orders := make([]router.Order, len(tasks))
	for i := range tasks {
		if orders[i], err = tasks[i].order(s, maxSteps); err != nil {
			return nil, nil, fmt.Errorf("trades[%d]: %w", i, err)
		}
	}
	return tasks, orders, nil
}

func readFile(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return errors.Unwrap(err) // the caller names the path
	}
	return fieldFault(json.Unmarshal(data, v))
}

// entries reads the elements of a list one by one, so that a fault has a place.
func entries[T any](list string, raw []json.RawMessage) ([]T, error) {
	values := make([]T, len(raw))
	for i := range raw {
		if err := fieldFault(json.Unmarshal(raw[i], &values[i])); err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", list, i, err)
		}
	}
	return values, nil
}

// fieldFault says which field has the wrong type, and what would do.
func fieldFault(err error) error {
	wrong := new(json.UnmarshalTypeError)
	if !errors.As(err, &wrong) {
		return err
	}
	want := map[string]string{
		"string": "a string", "slice": "a list", "struct": "an object", "ptr": "an object",
		"int": "an integer", "int32": "an integer", "uint8": "an integer from 0 to 255", "uint64": "an integer from 0 on", "float64": "a number",
	}[wrong.Type.Kind().String()]
	if wrong.Type.Name() == "decimal" {
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

// decimal is an integer that need not fit a double.
type decimal string

func (d decimal) integer() (u256.Int, error) {
	n, err := u256.FromDecimal(string(d))
	if err != nil {
		return u256.Zero, fmt.Errorf("%.90q: %w", string(d), err)
	}
	return n, nil
}
