package calldata

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/u256"
	"braid/venue"
)

// routerCall is the arguments of a call of one of the Router's three swap
// functions.
type routerCall struct {
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
func (h *routerCall) encode() []byte {
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

// decodeRouterCall reads what encode wrote, and nothing else: it must be the very
// bytes that encode makes of it.
func decodeRouterCall(data []byte) (h routerCall, err error) {
	r := reader{data: data}
	id := [4]byte(r.take(4))
	w := venue.NewWords(r.data)
	h.tokenIn, h.amountIn, h.tokenOut, h.minOut = w.Address(0), w.Number(1), w.Address(2), w.Number(3)
	h.recipient, h.deadline, h.executor = w.Address(4), w.Uint64(5), w.Address(6)
	switch id { // word 7 is the offset of the route
	case selectorSwap:
		h.route, _ = w.Bytes(8)
	case selectorPermit:
		h.permit = &Permit{Kind: ERC2612, Amount: w.Number(8), Deadline: w.Uint64(9)}
		h.permit.Signature = slices.Concat(w.Raw(11), w.Raw(12), []byte{byte(w.Uint64(10))})
		h.route, _ = w.Bytes(13)
	case selectorPermit2: // word 8 is the offset of the permit
		var at int
		h.route, at = w.Bytes(9)
		h.permit = &Permit{Kind: Permit2, Amount: w.Number(at), Nonce: w.Number(at + 1), Deadline: w.Uint64(at + 2)}
		h.permit.Signature, _ = w.Bytes(at + 4) // the word before is its offset
	default:
		return routerCall{}, fmt.Errorf("selector %x is no swap of the Router", id)
	}
	if w.Short() {
		return routerCall{}, errors.New("calldata is cut short")
	}
	if !bytes.Equal(h.encode(), data) {
		return routerCall{}, errors.New("calldata holds bytes that say nothing")
	}
	return h, nil
}

// reader takes packed bytes, such as those of a route. Beyond the end it gives
// zeros and sets short.
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
