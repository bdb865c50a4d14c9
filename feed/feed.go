// Package feed carries markets from indexers to replicas, which answer without a node of their own.
//
// An indexer sends what each block changed (Writer); a replica makes the same
// markets of it (Replica). Between them is NATS. The live path is core NATS; the
// last messages are kept in the indexer's memory and in a JetStream stream, whole
// markets in an object store. All of it is signed by the indexer, so the broker
// is not trusted: it can delay and drop messages, and neither forge a price nor
// have an old one taken for new. See docs/feed.md.
package feed

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"regexp"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/codec"
	"braid/market"
	"braid/venue"
)

// Version is that of the messages, and part of every subject. Messages of another
// version are refused.
const Version = 1

const (
	// HeadEvery is the time between two heads of an indexer that has no new block.
	HeadEvery = 200 * time.Millisecond
	// SilentAfter is the time without a head after which an indexer counts as gone:
	// three heads.
	SilentAfter = 3 * HeadEvery
	// SnapshotEvery is the time between two whole markets of an indexer.
	SnapshotEvery = time.Minute
	// Recent is how many blocks an indexer answers for from memory, and of how many a
	// replica keeps the market: as many as the indexer itself keeps for reorgs.
	Recent = 64

	streamAge     = 10 * time.Minute // of messages in the stream
	snapshotsKept = 3
	maxPart       = 512 << 10 // bytes of a message; brokers refuse more than 1 MiB
)

// ID names a market: the block after which it is the market, and what it holds.
type ID struct {
	Hash common.Hash
	Sum  Sum
}

func (id *ID) fields(c *venue.Codec) {
	c.Fixed(id.Hash[:])
	id.Sum.fields(c)
}

// Sum is the sum of the digests of all pools and tokens of a market, in two numbers
// modulo 2^64. It does not depend on their order, and follows a change of one of
// them without the others.
type Sum [2]uint64

func (s *Sum) fields(c *venue.Codec) {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], s[0])
	binary.BigEndian.PutUint64(b[8:], s[1])
	c.Fixed(b[:])
	s[0], s[1] = binary.BigEndian.Uint64(b[:]), binary.BigEndian.Uint64(b[8:])
}

func (s Sum) plus(t Sum) Sum  { return Sum{s[0] + t[0], s[1] + t[1]} }
func (s Sum) minus(t Sum) Sum { return Sum{s[0] - t[0], s[1] - t[1]} }

// digest is the sum of one pool or token alone.
func digest(kind byte, data []byte) Sum {
	h := sha256.New()
	h.Write([]byte{kind})
	h.Write(data)
	b := h.Sum(nil)
	return Sum{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}
}

func poolDigest(encoded []byte) Sum { return digest('p', encoded) }

func tokenDigest(t market.Token) Sum {
	return digest('t', venue.Encode(func(c *venue.Codec) { codec.Token(c, &t) }))
}

// sumOf is the sum of a market.
func sumOf(storers []venue.Storer, m *market.Snapshot) (s Sum) {
	for _, p := range m.Pools() {
		s = s.plus(poolDigest(codec.EncodePool(storers, p)))
	}
	for _, t := range m.Tokens() {
		s = s.plus(tokenDigest(t))
	}
	return s
}

// subjects are the names under which an indexer's messages are found.
type subjects struct {
	chain uint64
	name  string
}

func (s subjects) of(kind string) string {
	return fmt.Sprintf("braid.%d.v%d.%s.%s", s.chain, Version, s.name, kind)
}

func (s subjects) block() string       { return s.of("block") }
func (s subjects) head() string        { return s.of("head") }
func (s subjects) eligibility() string { return s.of("eligibility") }
func (s subjects) get() string         { return s.of("get") }

// bucket is the name of the stream, of the key-value bucket and of the object store.
func (s subjects) bucket() string { return fmt.Sprintf("BRAID_%d_v%d", s.chain, Version) }

// validName is what an indexer may be called: a word of a subject.
var validName = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

// CheckName says what is wrong with the name of an indexer, if anything.
func CheckName(name string) error {
	if !validName.MatchString(name) {
		return fmt.Errorf("%.40q is not the name of an indexer: 1 to 32 of a-z, 0-9 and -", name)
	}
	return nil
}
