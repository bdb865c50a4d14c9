// Package codec turns the pools, tokens and blocks of a market into bytes and back, for all that keeps a market or sends it.
package codec

import (
	"encoding/json"
	"errors"

	"braid/market"
	"braid/venue"
)

// Format is raised when the meaning of the bytes changes: what was written in
// another format cannot be used.
const Format = 4

// ErrNoFamily is for bytes of a pool that none of the families wrote.
var ErrNoFamily = errors.New("a pool of no family")

// Fingerprint is equal for two processes exactly if one can decode the pools that
// the other has encoded.
func Fingerprint(chainID uint64, sources []venue.Source) ([]byte, error) {
	return json.Marshal([]any{Format, chainID, sources})
}

// Storers are the families that can encode and decode pools.
func Storers(families []venue.Family) (list []venue.Storer) {
	for _, f := range families {
		if j, ok := f.(venue.Storer); ok {
			list = append(list, j)
		}
	}
	return list
}

// Unusable is a pool that must not be used, in the place of another.
type Unusable interface {
	venue.Pool

	// Previous is the pool before its state became unknown.
	Previous() venue.Pool
}

// EncodePool is a pool as bytes: the first 4 bytes of the topic of its family's
// creation event, then what the family writes. An unusable pool is written without
// state. It is nil for a pool of no family.
func EncodePool(storers []venue.Storer, p venue.Pool) []byte {
	u, unknown := p.(Unusable)
	if unknown {
		p = u.Previous()
	}
	for _, j := range storers {
		if unknown {
			if blank := j.Unloaded(p); blank != nil {
				p = blank
			}
		}
		if data := j.Save(p); data != nil {
			topic := j.CreationTopic()
			return append(topic[:4:4], data...)
		}
	}
	return nil
}

// DecodePool is the inverse of EncodePool.
func DecodePool(storers []venue.Storer, data []byte) (venue.Pool, error) {
	for _, j := range storers {
		if topic := j.CreationTopic(); len(data) >= 4 && string(topic[:4]) == string(data[:4]) {
			return j.Restore(data[4:])
		}
	}
	return nil, ErrNoFamily
}

// Token lists the fields of a token, to be encoded or decoded.
func Token(c *venue.Codec, t *market.Token) {
	c.Fixed(t.Address[:])
	c.Text(&t.Symbol)
	c.Text(&t.Name)
	venue.Number(c, &t.Decimals)
	c.Text(&t.LogoURI)
	c.Bool(&t.Verified)
}

// Block lists the fields of a block, to be encoded or decoded.
func Block(c *venue.Codec, b *market.Block) {
	venue.Number(c, &b.Number)
	c.Fixed(b.Hash[:])
	c.Fixed(b.Parent[:])
	venue.Number(c, &b.Time)
	c.Int(&b.BaseFee)
}
