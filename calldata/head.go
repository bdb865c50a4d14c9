package calldata

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/u256"
)

// head is a call of one of the Router's three entries, with the route packed.
type head struct {
	tokenIn   common.Address
	amountIn  u256.Int
	tokenOut  common.Address // zero is native
	minOut    u256.Int
	recipient common.Address
	deadline  uint64
	executor  common.Address
	route     []byte
	permit    *Permit // nil: swap
}

var (
	selectorSwap    = selector("swap", "")
	selectorPermit  = selector("swapWithPermit", ",(uint256,uint256,uint8,bytes32,bytes32)")
	selectorPermit2 = selector("swapWithPermit2", ",(uint256,uint256,uint256,bytes)")
)

func selector(name, permit string) [4]byte {
	return [4]byte(crypto.Keccak256([]byte(name + "(address,uint256,address,uint256,address,uint256,address,bytes" + permit + ")")))
}

const word = 32

// encode writes the call the way the ABI does.
func (h *head) encode() []byte {
	id, words := selectorSwap, 8
	switch {
	case h.permit == nil:
	case h.permit.Kind == ERC2612:
		id, words = selectorPermit, 13
	default:
		id, words = selectorPermit2, 9
	}
	data := make([]byte, 0, 4+(words+1)*word+len(h.route)+31+6*word)
	data = append(data, id[:]...)
	data = appendAddress(data, h.tokenIn)
	data = appendUint(data, h.amountIn)
	data = appendAddress(data, h.tokenOut)
	data = appendUint(data, h.minOut)
	data = appendAddress(data, h.recipient)
	data = appendUint(data, u256.From(h.deadline))
	data = appendAddress(data, h.executor)
	data = appendUint(data, u256.From(uint64(words*word)))
	switch id {
	case selectorPermit:
		data = h.permit.appendWords(data)
	case selectorPermit2:
		data = appendUint(data, u256.From(uint64((words+1)*word+padded(len(h.route)))))
	}
	data = appendBytes(data, h.route)
	if id == selectorPermit2 {
		data = h.permit.appendWords(data)
	}
	return data
}

// decodeHead reads what encode wrote, and nothing else: it must be the very
// bytes that encode makes of it.
func decodeHead(data []byte) (h head, err error) {
	r := reader{data: data}
	id := [4]byte(r.take(4))
	h.tokenIn, h.amountIn, h.tokenOut, h.minOut = r.address(), r.uint(), r.address(), r.uint()
	h.recipient, h.deadline, h.executor = r.address(), r.uint64(), r.address()
	r.uint64() // where the route is
	switch id {
	case selectorSwap:
		h.route = r.bytes()
	case selectorPermit:
		h.permit = &Permit{Kind: ERC2612, Amount: r.uint(), Deadline: r.uint64()}
		v := r.uint64()
		h.permit.Signature = append(bytes.Clone(r.take(2*word)), byte(v))
		h.route = r.bytes()
	case selectorPermit2:
		r.uint64() // where the permit is
		h.route = r.bytes()
		h.permit = &Permit{Kind: Permit2, Amount: r.uint(), Nonce: r.uint(), Deadline: r.uint64()}
		r.uint64() // where the signature is
		h.permit.Signature = r.bytes()
	default:
		return head{}, fmt.Errorf("selector %x is no swap of the Router", id)
	}
	if r.short {
		return head{}, errors.New("calldata is cut short")
	}
	if !bytes.Equal(h.encode(), data) {
		return head{}, errors.New("calldata holds bytes that say nothing")
	}
	return h, nil
}

// reader takes words from calldata; past its end it gives zeros and says so.
type reader struct {
	data  []byte
	short bool
}

func (r *reader) take(n int) []byte {
	if n > len(r.data) {
		r.short = true
		return make([]byte, n)
	}
	b := r.data[:n:n]
	r.data = r.data[n:]
	return b
}

func (r *reader) uint() u256.Int          { return u256.FromBytes(r.take(word)) }
func (r *reader) address() common.Address { return common.Address(r.take(word)[12:]) }
func (r *reader) uint64() uint64          { return binary.BigEndian.Uint64(r.take(word)[24:]) }

// bytes reads a length, the bytes and their padding.
func (r *reader) bytes() []byte {
	n := r.uint64()
	if n > uint64(len(r.data)) {
		r.short = true
		return nil
	}
	return r.take(padded(int(n)))[:n]
}

func padded(n int) int { return (n + word - 1) / word * word }

func appendBytes(b, what []byte) []byte {
	b = append(appendUint(b, u256.From(uint64(len(what)))), what...)
	return append(b, make([]byte, padded(len(what))-len(what))...)
}

func appendAddress(b []byte, a common.Address) []byte {
	return append(append(b, make([]byte, 12)...), a[:]...)
}

func appendUint(b []byte, n u256.Int) []byte {
	w := n.Bytes()
	return append(b, w[:]...)
}
