package feed

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/codec"
	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

var update = flag.Bool("update", false, "write testdata/messages.txt anew")

var (
	goldenKey = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	golden    = sealer{subjects{monad.ChainID, "a"}, goldenKey, 5}
)

// goldenFields are the fields of one message of each kind, but for the manifest.
func goldenFields() map[kind]func(*venue.Codec) {
	sources := monad.Sources()
	i := 0
	for sources[i].Family != univ2.Name {
		i++
	}
	tokens := monad.Tokens()
	pool := univ2.NewPool(&sources[i], common.Address{1}, [2]common.Address{tokens[0].Address, tokens[1].Address}, u256.From(1e9), u256.From(2e9))
	storers := codec.Storers(testFamilies())
	id, base := ID{common.Hash{1}, Sum{2, 3}}, ID{common.Hash{4}, Sum{5, 6}}
	d := delta{
		fingerprint: [32]byte{9}, base: base, id: id, tokens: tokens[:1], pools: []poolRecord{encodeRecord(storers, pool), {"state", "history"}},
		block: market.Block{Number: 10, Hash: common.Hash{1}, Parent: common.Hash{4}, Time: 1_700_000_000, BaseFee: u256.From(50e9)},
	}
	whole := d
	whole.base = ID{}
	h := head{id: id, number: 10, height: 12, final: 8, reachable: true, state: "voted", ageNs: 1e6, sentNs: 5e9, eligibility: [32]byte{11}}
	answer := h
	answer.nonce = [16]byte{12}
	e := eligibility{[]reason{{"Kuru", "by the operator"}}, []reason{{"0x01", "its state is not known"}}}
	r := records{id, []recordDigest{{Sum{1, 1}, Sum{2, 2}}, {Sum{3, 3}, Sum{4, 4}}}}
	return map[kind]func(*venue.Codec){
		kindBlock: d.fields, kindSnapshot: whole.fields, kindHead: h.fields, kindAnswer: answer.fields, kindEligibility: e.fields, kindRecords: r.fields,
	}
}

// empty is a message without content, to be decoded into.
func empty(k kind) func(*venue.Codec) {
	return map[kind]func(*venue.Codec){
		kindBlock: new(delta).fields, kindSnapshot: new(delta).fields, kindHead: new(head).fields, kindAnswer: new(head).fields,
		kindEligibility: new(eligibility).fields, kindRecords: new(records).fields,
	}[k]
}

// TestMessages: messages that were written once are read and have the same content. If
// this fails after a change of the format, Version must be raised.
func TestMessages(t *testing.T) {
	const file = "testdata/messages.txt"
	want := map[kind][]byte{}
	for k, fields := range goldenFields() {
		want[k] = venue.Encode(fields)
	}
	manifest, err := json.Marshal(Manifest{Format: 3, Chain: 143, Sources: monad.Sources()[:1], Gas: "monad", Build: "v1", Snapshot: SnapshotName{"a/snap/10-01", 10, 2}})
	if err != nil {
		t.Fatal(err)
	}
	want[kindManifest] = manifest
	if *update {
		var text strings.Builder
		for k := kindBlock; k <= kindAnswer; k++ {
			fmt.Fprintf(&text, "%d %x\n", k, golden.message(k, 6, pack(k, want[k]), maxPart)[0])
		}
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for k, message := range readMessages(t, file) {
		e, err := open(golden.subjects, []ed25519.PublicKey{goldenKey.Public().(ed25519.PublicKey)}, k, message)
		if err != nil {
			t.Errorf("kind %d: %v", k, err)
			continue
		}
		if e.epoch != 5 || e.sequence != 6 || e.parts != 1 {
			t.Errorf("kind %d: %+v", k, e)
		}
		if data, err := unpackBytes(k, e.payload); err != nil || !bytes.Equal(data, want[k]) {
			t.Errorf("kind %d is %x, want %x: %v", k, data, want[k], err)
		}
		delete(want, k)
	}
	if len(want) > 0 {
		t.Errorf("%s has no messages of these kinds: %v", file, want)
	}
}

func readMessages(t testing.TB, file string) map[kind][]byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	list := map[kind][]byte{}
	for line := range strings.Lines(string(text)) {
		var k int
		var digits string
		if _, err := fmt.Sscan(line, &k, &digits); err != nil {
			t.Fatal(err)
		}
		if list[kind(k)], err = hex.DecodeString(digits); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// TestParts: a payload of any size comes back from its parts, in any order and with some
// twice; a part of another message does not complete it.
func TestParts(t *testing.T) {
	public := []ed25519.PublicKey{goldenKey.Public().(ed25519.PublicKey)}
	for _, size := range []int{0, 1, 999, 1000, 1001, 5000} {
		payload := bytes.Repeat([]byte("abcdefg"), size/7+1)[:size]
		parts := golden.message(kindBlock, 1, payload, 1000+envelopeSize)
		if want := max(1, (size+999)/1000); len(parts) != want {
			t.Errorf("%d bytes make %d parts, want %d", size, len(parts), want)
		}
		var a assembly
		var got []byte
		for i := range parts {
			e, err := open(golden.subjects, public, kindBlock, parts[len(parts)-1-i])
			if err != nil {
				t.Fatal(err)
			}
			if len(parts) > 1 && i == 0 && a.add(e) != nil { // twice
				t.Error("complete after one part")
			}
			got = a.add(e)
		}
		if !bytes.Equal(got, payload) {
			t.Errorf("%d bytes come back as %d", size, len(got))
		}
	}
}

// FuzzMessage: whatever bytes are taken for a message of some kind are encoded in a form
// that is decoded as the same message.
func FuzzMessage(f *testing.F) {
	for k, fields := range goldenFields() {
		f.Add(byte(k), venue.Encode(fields))
	}
	f.Fuzz(func(t *testing.T, k byte, data []byte) {
		fields := empty(kind(k))
		if fields == nil || venue.Decode(data, nil, fields) != nil {
			return
		}
		first, again := venue.Encode(fields), empty(kind(k))
		if err := venue.Decode(first, nil, again); err != nil || !bytes.Equal(venue.Encode(again), first) {
			t.Fatalf("kind %d: %x is encoded as %x: %v", k, data, first, err)
		}
	})
}

// FuzzEnvelope: a message that was changed anywhere is refused.
func FuzzEnvelope(f *testing.F) {
	public := []ed25519.PublicKey{goldenKey.Public().(ed25519.PublicKey)}
	genuine := readMessages(f, "testdata/messages.txt")
	for _, m := range genuine {
		f.Add(m, uint16(3), byte(1))
		f.Add(m, uint16(60), byte(255))
		f.Add(m, uint16(200), byte(0))
	}
	f.Fuzz(func(t *testing.T, message []byte, at uint16, change byte) {
		message = bytes.Clone(message)
		if len(message) > 0 {
			message[int(at)%len(message)] ^= change
		}
		for k, m := range genuine {
			if _, err := open(golden.subjects, public, k, message); err == nil && !bytes.Equal(message, m) {
				t.Fatalf("kind %d: %x is accepted", k, message)
			}
		}
	})
}

// FuzzRequest: no request stops an indexer, and none is answered with what it did not
// ask for.
func FuzzRequest(f *testing.F) {
	w, err := NewWriter(WriterConfig{Name: "a", Key: goldenKey, Families: testFamilies(), Manifest: Manifest{Chain: monad.ChainID}, Head: func() *market.Snapshot { return nil }})
	if err != nil {
		f.Fatal(err)
	}
	s := &sent{id: ID{Hash: common.Hash{1}}, market: market.New(monad.Chain()), parts: [][]byte{[]byte("part")}}
	w.add(s)
	for _, k := range []kind{kindBlock, kindEligibility, kindManifest, kindSnapshot, kindRecords, kindAnswer} {
		q := request{kind: k, id: s.id}
		f.Add(venue.Encode(q.fields))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		answer := w.answer(data)
		var q request
		if err := venue.Decode(data, nil, q.fields); err != nil && len(answer) > 0 {
			t.Fatalf("%x: %v is answered", data, err)
		}
		if string(answer) == "part" && (q.kind != kindBlock || q.id != s.id || q.part != 0) {
			t.Fatalf("%x is answered with a block", data)
		}
	})
}

// TestKeys: keys are read as they are written, and nothing else is.
func TestKeys(t *testing.T) {
	secret, public, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	key, err := ParseSecret(secret + "\n")
	if err != nil {
		t.Fatal(err)
	}
	keys := Keys{}
	if err := keys.Add("a=" + public); err != nil || !keys["a"][0].Equal(key.Public()) {
		t.Errorf("%v: %v", keys, err)
	}
	for _, bad := range []string{"", "a", "a=", "=" + public, "A=" + public, "a=" + public[2:], "a=" + public + "00", "a.b=" + public} {
		if keys.Add(bad) == nil {
			t.Errorf("%q is taken for a key", bad)
		}
	}
	if _, err := ParseSecret(public[1:]); err == nil {
		t.Error("half a secret is taken for one")
	}
	if err := errors.Join(CheckName("a-1"), CheckName("a")); err != nil {
		t.Error(err)
	}
}
