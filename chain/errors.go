package chain

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/rpc"
)

var (
	// ErrUnknownBlock says that the node does not have the block: not yet, or no
	// longer.
	ErrUnknownBlock = errors.New("unknown block")

	// ErrWrongChain says that a node follows a chain with another ID.
	ErrWrongChain = errors.New("wrong chain")

	// ErrDisagree says that fewer nodes than a quorum gave the same answer.
	ErrDisagree = errors.New("nodes disagree")

	// ErrLimited says that a node has too much to do or that we ask too often. It
	// says nothing about what was asked: the same request may succeed later.
	ErrLimited = errors.New("node is busy")
)

// sanitize removes from an error what may contain a key (the URL, response
// bodies), and wraps ErrLimited or ErrUnknownBlock around the many messages that
// mean it.
func sanitize(err error) error {
	const resourceNotFound = -32001 // EIP-1474
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	limited := isOverload(err)
	var status rpc.HTTPError
	if errors.As(err, &status) {
		status.Body = nil
		err = status
	}
	if limited {
		return fmt.Errorf("%w: %w", ErrLimited, err)
	}
	var answer rpc.Error
	if errors.As(err, &answer) {
		m := strings.ToLower(answer.Error())
		missing := strings.Contains(m, "not found") && (strings.Contains(m, "block") || strings.Contains(m, "header") || answer.ErrorCode() == resourceNotFound)
		if (missing || strings.Contains(m, "unknown block")) && !strings.Contains(m, "revert") {
			return fmt.Errorf("%w: %w", ErrUnknownBlock, err)
		}
	}
	return err
}

// isRPCError tells whether the node answered with a JSON-RPC error about what was
// asked, as opposed to a failure of the connection or a refusal to work now.
func isRPCError(err error) bool {
	var answer rpc.Error
	return errors.As(err, &answer) && !errors.Is(err, ErrUnknownBlock) && !errors.Is(err, ErrLimited)
}

// overloadTexts are parts of the messages by which nodes and providers say that
// they are overloaded or that a rate is exceeded, in lower case.
var overloadTexts = []string{
	"concurrent requests limit", "queue size exceeded", "queuing time exceeded", "overloaded", // monad-rpc, code -32603
	"request limit reached", "rate limit", "too many requests", "credits limited", "compute units per second", "request rate exceeded", // providers
}

// isOverload tells whether the node refused because of other requests, by an error
// as the rpc package gives it. A contract chooses the text of its revert, and must
// not pass for an overloaded node.
func isOverload(err error) bool {
	const limitExceeded, requestLimit = -32005, -32007 // EIP-1474; QuickNode
	mentions := func(text string, parts ...string) bool {
		text = strings.ToLower(text)
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
	}
	saysSo := func(text string) bool { return mentions(text, overloadTexts...) && !mentions(text, "revert") }
	var status rpc.HTTPError
	if errors.As(err, &status) {
		return status.StatusCode == http.StatusTooManyRequests || saysSo(string(status.Body))
	}
	var answer rpc.Error
	if !errors.As(err, &answer) {
		return false
	}
	switch answer.ErrorCode() {
	case requestLimit, http.StatusTooManyRequests:
		return true
	case limitExceeded: // also "query returned more than 10000 results", "query timeout exceeded"
		return !mentions(answer.Error(), "query", "results", "range", "logs")
	case reverted:
		return false
	}
	return saysSo(answer.Error())
}

// reverted is the code of JSON-RPC errors for a call that reverted.
const reverted = 3

// isNodeTimeout tells whether the node aborted the request by its own time limit.
func isNodeTimeout(err error) bool {
	m := strings.ToLower(err.Error())
	return isRPCError(err) && (strings.Contains(m, "timeout") || strings.Contains(m, "timed out"))
}

// isMethodNotFound tells whether the node does not support the method.
func isMethodNotFound(err error) bool {
	const methodNotFound = -32601
	var answer rpc.Error
	return errors.As(err, &answer) && answer.ErrorCode() == methodNotFound
}

// maybeTooLarge tells whether a smaller request may succeed. There is no common
// error code for it, so every JSON-RPC error but ErrLimited counts.
func maybeTooLarge(ctx context.Context, err error) bool {
	var status rpc.HTTPError
	var long *http.MaxBytesError
	switch {
	case errors.Is(err, ErrLimited):
		return false
	case errors.As(err, &long):
		return true
	case errors.As(err, &status):
		return status.StatusCode == http.StatusRequestEntityTooLarge || status.StatusCode == http.StatusBadRequest
	case errors.Is(err, context.DeadlineExceeded):
		return ctx.Err() == nil
	}
	return isRPCError(err)
}
