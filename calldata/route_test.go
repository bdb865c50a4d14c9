package calldata_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

// read takes a route apart: its table, and each step in words.
func read(t *testing.T, route []byte) (table []common.Address, steps []string) {
	t.Helper()
	n := int(route[0])
	route = route[1:]
	for range n {
		table = append(table, common.BytesToAddress(route[:20]))
		route = route[20:]
	}
	for len(route) > 0 {
		share := "all"
		if s := binary.BigEndian.Uint32(route[3:7]); s != 0 {
			share = fmt.Sprint(s)
		}
		steps = append(steps, fmt.Sprintf("%02x %d>%d %s", route[0], route[1], route[2], share))
		if fee := binary.BigEndian.Uint16(route[27:29]); fee != 25 {
			t.Errorf("fee %d in the body", fee)
		}
		route = route[29:]
	}
	return table, steps
}
