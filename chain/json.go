package chain

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// jsonScanner reads JSON in one pass, without reflection: the receipts of a full
// block are about 1 MB, of which most is skipped, and no quote of that block can
// be given before they are read. It accepts all that encoding/json accepts,
// except strings with escapes where it needs their text (receipts have none). It
// does not validate what it skips. After an error all reads do nothing.
type jsonScanner struct {
	text  []byte
	pos   int
	depth int
	err   error
}

// maxDepth is how deep values may nest; it keeps a hostile answer from exhausting
// the stack.
const maxDepth = 64

// errJSON is for an answer that is not JSON, or has not the expected form.
var errJSON = errors.New("unexpected JSON")

// fail records the first error and moves to the end, so that all loops end.
func (s *jsonScanner) fail() {
	if s.err == nil {
		s.err = fmt.Errorf("%w, at byte %d", errJSON, s.pos)
	}
	s.pos = len(s.text)
}

// peek is the next byte that is not white space; 0 at the end.
func (s *jsonScanner) peek() byte {
	for ; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

func (s *jsonScanner) expect(c byte) {
	if s.peek() != c {
		s.fail()
		return
	}
	s.pos++
}

// object calls field for each name; field must read the value. null counts as an
// empty object.
func (s *jsonScanner) object(field func(name []byte)) {
	if s.null() {
		return
	}
	s.open('{')
	for first := true; s.err == nil && s.peek() != '}'; first = false {
		if !first {
			s.expect(',')
		}
		name := s.plainString()
		s.expect(':')
		field(name)
	}
	s.close('}')
}

// array calls element for each element, which it must read. null counts as an
// empty array.
func (s *jsonScanner) array(element func()) {
	if s.null() {
		return
	}
	s.open('[')
	for first := true; s.err == nil && s.peek() != ']'; first = false {
		if !first {
			s.expect(',')
		}
		element()
	}
	s.close(']')
}

func (s *jsonScanner) open(c byte) {
	s.expect(c)
	if s.depth++; s.depth > maxDepth {
		s.fail()
	}
}

func (s *jsonScanner) close(c byte) {
	s.expect(c)
	s.depth--
}

func (s *jsonScanner) null() bool {
	if s.peek() != 'n' {
		return false
	}
	s.literal("null")
	return true
}

func (s *jsonScanner) literal(want string) {
	if len(s.text)-s.pos < len(want) || string(s.text[s.pos:s.pos+len(want)]) != want {
		s.fail()
		return
	}
	s.pos += len(want)
}

// plainString reads a string without escapes and gives its text.
func (s *jsonScanner) plainString() []byte {
	from := s.skipString()
	text := s.text[from:max(from, s.pos-1)]
	if slices.Contains(text, '\\') {
		s.fail()
		return nil
	}
	return text
}

// skipString skips a string and gives the position of its first character.
func (s *jsonScanner) skipString() (from int) {
	s.expect('"')
	for from = s.pos; s.pos < len(s.text); s.pos++ {
		switch s.text[s.pos] {
		case '"':
			s.pos++
			return from
		case '\\':
			s.pos++
		}
	}
	s.fail()
	return len(s.text)
}

// skip skips a value of any kind.
func (s *jsonScanner) skip() {
	switch c := s.peek(); {
	case c == '{':
		s.object(func([]byte) { s.skip() })
	case c == '[':
		s.array(s.skip)
	case c == '"':
		s.skipString()
	case c == 'n':
		s.literal("null")
	case c == 't':
		s.literal("true")
	case c == 'f':
		s.literal("false")
	case c == '-' || c >= '0' && c <= '9':
		for s.pos < len(s.text) && slices.Contains([]byte("+-.eE0123456789"), s.text[s.pos]) {
			s.pos++
		}
	default:
		s.fail()
	}
}

// hexBytes reads a string such as "0x00ff".
func (s *jsonScanner) hexBytes() []byte {
	text := s.hexDigits()
	out := make([]byte, hex.DecodedLen(len(text)))
	if _, err := hex.Decode(out, text); err != nil {
		s.fail()
	}
	return out
}

// hexFixed reads a string of exactly len(out) bytes in hexadecimal.
func (s *jsonScanner) hexFixed(out []byte) {
	text := s.hexDigits()
	if len(text) != hex.EncodedLen(len(out)) {
		s.fail()
		return
	}
	if _, err := hex.Decode(out, text); err != nil {
		s.fail()
	}
}

// hexUint reads a string such as "0x1f", of up to 64 bits.
func (s *jsonScanner) hexUint() (n uint64) {
	text := s.hexDigits()
	if len(text) == 0 || len(text) > 16 {
		s.fail()
	}
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | uint64(c-'0')
		case c >= 'a' && c <= 'f':
			n = n<<4 | uint64(c-'a'+10)
		case c >= 'A' && c <= 'F':
			n = n<<4 | uint64(c-'A'+10)
		default:
			s.fail()
		}
	}
	return n
}

func (s *jsonScanner) hexDigits() []byte {
	text := s.plainString()
	if len(text) < 2 || text[0] != '0' || text[1] != 'x' {
		s.fail()
		return nil
	}
	return text[2:]
}
