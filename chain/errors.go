package chain

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
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
)

// sanitize removes from an error what may contain a key (the URL, response
// bodies), and wraps ErrUnknownBlock around the many messages that mean it.
func sanitize(err error) error {
	const resourceNotFound = -32001 // EIP-1474
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	var status rpc.HTTPError
	if errors.As(err, &status) {
		status.Body = nil
		return status
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

// isRPCError tells whether the node answered with a JSON-RPC error, as opposed to
// a failure of the connection.
func isRPCError(err error) bool {
	var answer rpc.Error
	return errors.As(err, &answer) && !errors.Is(err, ErrUnknownBlock)
}

// isRateLimited tells whether the node refused because of earlier requests.
func isRateLimited(err error) bool {
	const limitExceeded = -32005 // EIP-1474
	var status rpc.HTTPError
	if errors.As(err, &status) {
		return status.StatusCode == http.StatusTooManyRequests
	}
	var answer rpc.Error
	return errors.As(err, &answer) && (answer.ErrorCode() == limitExceeded || answer.ErrorCode() == http.StatusTooManyRequests)
}

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
// error code for it, so every JSON-RPC error but a rate limit counts.
func maybeTooLarge(ctx context.Context, err error) bool {
	var status rpc.HTTPError
	var long *http.MaxBytesError
	switch {
	case isRateLimited(err):
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
