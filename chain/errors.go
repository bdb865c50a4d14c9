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
	// ErrUnknownBlock is a block the node does not have: not yet, or no more.
	ErrUnknownBlock = errors.New("unknown block")

	// ErrWrongChain is a node that follows another chain.
	ErrWrongChain = errors.New("wrong chain")

	// ErrDisagree is a question to which too few nodes gave the same answer.
	ErrDisagree = errors.New("nodes disagree")
)

// plain takes out of an error what may hold a key, the URL and whole bodies,
// and gives the many ways to say "unknown block" one name.
func plain(err error) error {
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

// answered tells an error the node has given as its answer from one on the way.
func answered(err error) bool {
	var answer rpc.Error
	return errors.As(err, &answer) && !errors.Is(err, ErrUnknownBlock)
}

// limited tells an answer that refuses because of how much was asked before.
func limited(err error) bool {
	const limitExceeded = -32005 // EIP-1474
	var status rpc.HTTPError
	if errors.As(err, &status) {
		return status.StatusCode == http.StatusTooManyRequests
	}
	var answer rpc.Error
	return errors.As(err, &answer) && (answer.ErrorCode() == limitExceeded || answer.ErrorCode() == http.StatusTooManyRequests)
}

// outOfTime tells an answer that the node gave up on for want of time.
func outOfTime(err error) bool {
	m := strings.ToLower(err.Error())
	return answered(err) && (strings.Contains(m, "timeout") || strings.Contains(m, "timed out"))
}

// unsupported tells a method that the node does not have.
func unsupported(err error) bool {
	const methodNotFound = -32601
	var answer rpc.Error
	return errors.As(err, &answer) && answer.ErrorCode() == methodNotFound
}

// tooMuch guesses that less may be granted where this was not. There is no
// common code for it, so any refusal counts.
func tooMuch(ctx context.Context, err error) bool {
	var status rpc.HTTPError
	var long *http.MaxBytesError
	switch {
	case limited(err):
		return false
	case errors.As(err, &long):
		return true
	case errors.As(err, &status):
		return status.StatusCode == http.StatusRequestEntityTooLarge || status.StatusCode == http.StatusBadRequest
	case errors.Is(err, context.DeadlineExceeded):
		return ctx.Err() == nil
	}
	return answered(err)
}
