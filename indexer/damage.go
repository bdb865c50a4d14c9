package indexer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
)

var (
	errDamaged = errors.New("damaged")
	errCircle  = errors.New("pages lead back to themselves")
)

// guarded turns what a damaged file can do to its reader into an error.
func guarded(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errDamaged, r)
		}
	}()
	return do()
}

// checkCircles is an error if a damaged link of a store's file closes a circle,
// in which its reader would walk for ever. Pages are never changed in place, so
// those of earlier writes close none.
//
//	page    id:8 flags:2 count:2 overflow:4 link*
//	link    key:8 page:8, if the flags are branch
func checkCircles(path string, size int) error {
	const head, branch = 16, 1
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	const open, done = 1, 2
	state := make([]byte, len(file)/size)
	var visit func(id uint64) error
	visit = func(id uint64) error {
		if id >= uint64(len(state)) || state[id] == done {
			return nil
		}
		if state[id] == open {
			return errCircle
		}
		state[id] = open
		page := file[int(id)*size:][:size]
		if binary.LittleEndian.Uint64(page) == id && binary.LittleEndian.Uint16(page[8:]) == branch {
			links := page[head:]
			for range min(int(binary.LittleEndian.Uint16(page[10:])), len(links)/16) {
				if err := visit(binary.LittleEndian.Uint64(links[8:])); err != nil {
					return err
				}
				links = links[16:]
			}
		}
		state[id] = done
		return nil
	}
	for id := range state {
		if err := visit(uint64(id)); err != nil {
			return err
		}
	}
	return nil
}
