package chain

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// scan reads JSON in one go, without reflection: the receipts of a full block
// are a megabyte, most of it to be passed over, and every quote waits for them.
// It takes what encoding/json takes, but for strings with escapes where it
// wants their text; of these a receipt has none.
type scan struct {
	text  []byte
	at    int
	depth int
	err   error
}

// maxDepth keeps a hostile answer from exhausting the stack.
const maxDepth = 64

var errJSON = errors.New("not the JSON that was expected")

func (s *scan) fail() {
	if s.err == nil {
		s.err = fmt.Errorf("%w, at byte %d", errJSON, s.at)
	}
	s.at = len(s.text)
}

// peek is the next byte that means something; 0 at the end.
func (s *scan) peek() byte {
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

func (s *scan) take(c byte) {
	if s.peek() != c {
		s.fail()
		return
	}
	s.at++
}

// object calls field for each name, which must read the value. null has none.
func (s *scan) object(field func(name []byte)) {
	if s.null() {
		return
	}
	s.enter('{')
	for first := true; s.err == nil && s.peek() != '}'; first = false {
		if !first {
			s.take(',')
		}
		name := s.quoted()
		s.take(':')
		field(name)
	}
	s.leave('}')
}

// array calls element for each, which must read it. null has none.
func (s *scan) array(element func()) {
	if s.null() {
		return
	}
	s.enter('[')
	for first := true; s.err == nil && s.peek() != ']'; first = false {
		if !first {
			s.take(',')
		}
		element()
	}
	s.leave(']')
}

func (s *scan) enter(c byte) {
	s.take(c)
	if s.depth++; s.depth > maxDepth {
		s.fail()
	}
}

func (s *scan) leave(c byte) {
	s.take(c)
	s.depth--
}

func (s *scan) null() bool {
	if s.peek() != 'n' {
		return false
	}
	s.word("null")
	return true
}

func (s *scan) word(want string) {
	if len(s.text)-s.at < len(want) || string(s.text[s.at:s.at+len(want)]) != want {
		s.fail()
		return
	}
	s.at += len(want)
}

// quoted is the text of a string, which holds no escapes.
func (s *scan) quoted() []byte {
	from := s.string()
	text := s.text[from:max(from, s.at-1)]
	if slices.Contains(text, '\\') {
		s.fail()
		return nil
	}
	return text
}

// string passes over one and tells where its text begins.
func (s *scan) string() (from int) {
	s.take('"')
	for from = s.at; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '"':
			s.at++
			return from
		case '\\':
			s.at++
		}
	}
	s.fail()
	return len(s.text)
}

// skip passes over a value of any kind.
func (s *scan) skip() {
	switch c := s.peek(); {
	case c == '{':
		s.object(func([]byte) { s.skip() })
	case c == '[':
		s.array(s.skip)
	case c == '"':
		s.string()
	case c == 'n':
		s.word("null")
	case c == 't':
		s.word("true")
	case c == 'f':
		s.word("false")
	case c == '-' || c >= '0' && c <= '9':
		for s.at < len(s.text) && slices.Contains([]byte("+-.eE0123456789"), s.text[s.at]) {
			s.at++
		}
	default:
		s.fail()
	}
}

// bytes are those of a string such as "0x00ff".
func (s *scan) bytes() []byte {
	text := s.digits()
	out := make([]byte, hex.DecodedLen(len(text)))
	if _, err := hex.Decode(out, text); err != nil {
		s.fail()
	}
	return out
}

// fixed reads exactly as many bytes as there is room for.
func (s *scan) fixed(out []byte) {
	text := s.digits()
	if len(text) != hex.EncodedLen(len(out)) {
		s.fail()
		return
	}
	if _, err := hex.Decode(out, text); err != nil {
		s.fail()
	}
}

// number is that of a string such as "0x1f".
func (s *scan) number() (n uint64) {
	text := s.digits()
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

func (s *scan) digits() []byte {
	text := s.quoted()
	if len(text) < 2 || text[0] != '0' || text[1] != 'x' {
		s.fail()
		return nil
	}
	return text[2:]
}
