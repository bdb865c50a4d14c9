package feed

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"braid/venue"
)

// kind is what a message holds.
type kind byte

const (
	kindBlock kind = 1 + iota
	kindHead
	kindEligibility
	kindManifest
	kindSnapshot
	kindRecords
	kindAnswer // a head that answers a request
)

// Why a message is refused. The texts are labels of metrics.
var (
	errShort       = errors.New("short")
	errVersion     = errors.New("version")
	errKind        = errors.New("kind")
	errParts       = errors.New("parts")
	errDamaged     = errors.New("damaged")
	errSignature   = errors.New("signature")
	errPayload     = errors.New("payload")
	errEpoch       = errors.New("epoch")
	errReplayed    = errors.New("replayed")
	errFingerprint = errors.New("fingerprint")
	errSum         = errors.New("sum")
	errChain       = errors.New("chain")
	errNonce       = errors.New("nonce")
)

// envelope is what every message begins with. Sizes in bytes, integers big-endian:
//
//	version:1 kind:1 part:2 parts:2 epoch:8 sequence:8 sha256:32 signature:64 payload
//
// sha256 is that of the payload of this part. The signature is by ed25519, over the
// text that signed makes. Payloads of all parts, one after the other, are compressed
// by zstd, except those of heads.
type envelope struct {
	kind        kind
	part, parts uint16
	epoch       uint64
	sequence    uint64 // grows with every message of its kind in an epoch
	payload     []byte
}

const (
	unsignedSize = 1 + 1 + 2 + 2 + 8 + 8 + sha256.Size
	envelopeSize = unsignedSize + ed25519.SignatureSize
)

// signed is what a signature is over: the chain, the indexer's name and the envelope up
// to the signature. So no message can be taken for one of another kind, indexer or
// chain.
func signed(s subjects, unsigned []byte) []byte {
	b := []byte("braid feed\x00")
	b = binary.BigEndian.AppendUint64(b, s.chain)
	b = append(b, byte(len(s.name)))
	b = append(b, s.name...)
	return append(b, unsigned...)
}

// seal makes a message of an envelope.
func (e *envelope) seal(s subjects, key ed25519.PrivateKey) []byte {
	b := make([]byte, 0, envelopeSize+len(e.payload))
	b = append(b, Version, byte(e.kind))
	b = binary.BigEndian.AppendUint16(b, e.part)
	b = binary.BigEndian.AppendUint16(b, e.parts)
	b = binary.BigEndian.AppendUint64(b, e.epoch)
	b = binary.BigEndian.AppendUint64(b, e.sequence)
	sum := sha256.Sum256(e.payload)
	b = append(b, sum[:]...)
	b = append(b, ed25519.Sign(key, signed(s, b))...)
	return append(b, e.payload...)
}

// open is the envelope of a message that one of the keys has signed. Nothing of a
// message is used before that.
func open(s subjects, keys []ed25519.PublicKey, want kind, message []byte) (*envelope, error) {
	if len(message) < 1 {
		return nil, errShort
	}
	if message[0] != Version {
		return nil, errVersion
	}
	if len(message) < envelopeSize {
		return nil, errShort
	}
	unsigned, signature, payload := message[:unsignedSize], message[unsignedSize:envelopeSize], message[envelopeSize:]
	if sha256.Sum256(payload) != [sha256.Size]byte(unsigned[unsignedSize-sha256.Size:]) {
		return nil, errDamaged
	}
	text, valid := signed(s, unsigned), false
	for _, key := range keys {
		valid = valid || ed25519.Verify(key, text, signature)
	}
	if !valid {
		return nil, errSignature
	}
	e := &envelope{
		kind:     kind(unsigned[1]),
		part:     binary.BigEndian.Uint16(unsigned[2:]),
		parts:    binary.BigEndian.Uint16(unsigned[4:]),
		epoch:    binary.BigEndian.Uint64(unsigned[6:]),
		sequence: binary.BigEndian.Uint64(unsigned[14:]),
		payload:  payload,
	}
	if e.kind != want {
		return nil, errKind
	}
	if e.part >= e.parts {
		return nil, errParts
	}
	return e, nil
}

// maxUnpacked is the size of the largest payload before compression, in bytes: a
// market of 50,000 pools takes some 100 MB.
const maxUnpacked = 1 << 30

var compressors = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	d, err2 := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxUnpacked))
	if err := errors.Join(err, err2); err != nil {
		panic(err) // the options are constants
	}
	return e, d
})

// pack is the payload of a message of some fields.
func pack(k kind, data []byte) []byte {
	if k == kindHead || k == kindAnswer {
		return data
	}
	e, _ := compressors()
	return e.EncodeAll(data, nil)
}

// unpack fills the fields of a message from the payload of all its parts.
func unpack(k kind, payload []byte, fields func(*venue.Codec)) error {
	data, err := unpackBytes(k, payload)
	if err != nil {
		return err
	}
	if err := venue.Decode(data, nil, fields); err != nil {
		return fmt.Errorf("%w: %w", errPayload, err)
	}
	return nil
}

func unpackBytes(k kind, payload []byte) ([]byte, error) {
	if k == kindHead || k == kindAnswer {
		return payload, nil
	}
	_, d := compressors()
	data, err := d.DecodeAll(payload, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPayload, err)
	}
	return data, nil
}

// sealer makes the messages of one process of an indexer.
type sealer struct {
	subjects
	key   ed25519.PrivateKey
	epoch uint64
}

// message is a payload in parts of at most max bytes.
func (s *sealer) message(k kind, sequence uint64, payload []byte, max int) (parts [][]byte) {
	size := max - envelopeSize
	n := 1 + (len(payload)-1)/size
	if len(payload) == 0 {
		n = 1
	}
	for i := range n {
		e := envelope{kind: k, part: uint16(i), parts: uint16(n), epoch: s.epoch, sequence: sequence, payload: payload[i*size : min(len(payload), (i+1)*size)]}
		parts = append(parts, e.seal(s.subjects, s.key))
	}
	return parts
}

// assembly collects the parts of messages.
type assembly struct {
	epoch, sequence uint64
	parts           [][]byte
	missing         int
}

// add takes a part, and gives the payload of the message when it is complete. Parts of
// an older message that is not complete are dropped.
func (a *assembly) add(e *envelope) []byte {
	if e.parts == 1 {
		return e.payload
	}
	if a.epoch != e.epoch || a.sequence != e.sequence || len(a.parts) != int(e.parts) {
		*a = assembly{e.epoch, e.sequence, make([][]byte, e.parts), int(e.parts)}
	}
	if a.parts[e.part] == nil {
		a.parts[e.part] = e.payload
		a.missing--
	}
	if a.missing > 0 {
		return nil
	}
	payload := bytes.Join(a.parts, nil)
	*a = assembly{}
	return payload
}
