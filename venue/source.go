package venue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/ethereum/go-ethereum/common"
)

// Type is the kind of a source as the API names it.
type Type string

const (
	V2           Type = "V2"
	V3           Type = "V3"
	V4           Type = "V4"
	Balancer     Type = "Balancer"
	CLOB         Type = "CLOB"
	BondingCurve Type = "BondingCurve"
)

// Source is one deployment of a family: a row of data, never code. In JSON it
// is one flat object, in which every name that is not one of these fields is a
// parameter of the family.
type Source struct {
	ID         string
	Type       Type
	Family     string
	Factory    common.Address // the contract whose logs announce new pools
	FirstBlock uint64         // no pool is older; 0 if that is not known

	// Unproved says what of the row is an assumption about mainnet, where trials
	// decide for each pool. The local chain is built from the row, so there it is
	// true by construction.
	Unproved string

	Params Params
}

// Params are the parameters of a source that only its family reads, by name.
// A value is a uint64, a common.Address, a string or a bool; the zero value of
// its type is the same as none. A Params is not changed once it is part of a
// Source.
type Params map[string]any

// Number is the parameter of that name; 0 if there is no such number.
func (p Params) Number(name string) uint64 {
	n, _ := p[name].(uint64)
	return n
}

// Address is the parameter of that name; zero if there is no such address.
func (p Params) Address(name string) common.Address {
	a, _ := p[name].(common.Address)
	return a
}

// Text is the parameter of that name; empty if there is no such text.
func (p Params) Text(name string) string {
	s, _ := p[name].(string)
	return s
}

// Flag is the parameter of that name; false if there is no such flag.
func (p Params) Flag(name string) bool {
	b, _ := p[name].(bool)
	return b
}

// With is a copy in which one parameter has another value.
func (p Params) With(name string, value any) Params {
	next := maps.Clone(p)
	if next == nil {
		next = Params{}
	}
	next[name] = value
	return next
}

// Check holds the parameters to what a family reads: each name must be among
// the known ones and have a value of the type of its example.
func (p Params) Check(known Params) error {
	for _, name := range slices.Sorted(maps.Keys(p)) {
		example, ok := known[name]
		if !ok {
			return fmt.Errorf("%q is no parameter of the family", name)
		}
		if got, want := fmt.Sprintf("%T", p[name]), fmt.Sprintf("%T", example); got != want {
			return fmt.Errorf("%q is a %s, want a %s", name, got, want)
		}
	}
	return nil
}

// UnmarshalJSON reads a row.
func (s *Source) UnmarshalJSON(data []byte) error {
	var row map[string]json.RawMessage
	if err := json.Unmarshal(data, &row); err != nil {
		return err
	}
	*s = Source{}
	fields := map[string]any{
		"id": &s.ID, "type": &s.Type, "family": &s.Family, "factory": &s.Factory, "firstBlock": &s.FirstBlock, "unproved": &s.Unproved,
	}
	for name, value := range row {
		if field, ok := fields[name]; ok {
			if err := json.Unmarshal(value, field); err != nil {
				return fmt.Errorf("source %s: %s: %w", row["id"], name, err)
			}
			continue
		}
		p, err := param(value)
		if err != nil {
			return fmt.Errorf("source %s: %s: %w", row["id"], name, err)
		}
		s.Params = s.Params.With(name, p)
	}
	return nil
}

// param reads the value of a parameter. A text of the form of an address is
// one.
func param(value json.RawMessage) (any, error) {
	var n uint64
	var b bool
	var text string
	switch {
	case json.Unmarshal(value, &n) == nil && n != 0:
		return n, nil
	case json.Unmarshal(value, &b) == nil && b:
		return b, nil
	case json.Unmarshal(value, &text) == nil && common.IsHexAddress(text):
		return common.HexToAddress(text), nil
	case text != "":
		return text, nil
	}
	return nil, fmt.Errorf("%s is neither a number above 0, an address, a text nor true", value)
}

// MarshalJSON writes a row. Stored files carry a fingerprint of these bytes,
// so their order never changes: numbers of the family stand before firstBlock,
// addresses and texts behind it, flags at the end, each by name.
func (s Source) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	var fault error
	write := func(name string, value any) {
		pair, err := json.Marshal(map[string]any{name: value})
		if err != nil {
			fault = err
			return
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.Write(pair[1 : len(pair)-1])
	}
	params := func(belongs func(value any) bool) {
		for _, name := range slices.Sorted(maps.Keys(s.Params)) {
			if v := s.Params[name]; belongs(v) && !reflect.ValueOf(v).IsZero() {
				write(name, v)
			}
		}
	}
	isNumber := func(v any) bool { _, ok := v.(uint64); return ok }
	isFlag := func(v any) bool { _, ok := v.(bool); return ok }

	write("id", s.ID)
	write("type", s.Type)
	write("family", s.Family)
	write("factory", s.Factory)
	params(isNumber)
	if s.FirstBlock != 0 {
		write("firstBlock", s.FirstBlock)
	}
	params(func(v any) bool { return !isNumber(v) && !isFlag(v) })
	if s.Unproved != "" {
		write("unproved", s.Unproved)
	}
	params(isFlag)
	return slices.Concat([]byte{'{'}, b.Bytes(), []byte{'}'}), fault
}

// ByFactory are the sources of one family, by their factories.
func ByFactory(sources []Source, family string) map[common.Address]*Source {
	own := map[common.Address]*Source{}
	for i := range sources {
		if sources[i].Family == family {
			own[sources[i].Factory] = &sources[i]
		}
	}
	return own
}
