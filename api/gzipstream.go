package api

import (
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
	"sync"
)

// gzipStream is a gzip body (RFC 1952) that can be read to the end of every
// Write. A compressor holds about a megabyte, so a stream borrows one for each
// Write instead of keeping it: the compressor is shown the end of what was
// written before, which is all that back references can reach, and its output
// up to there is thrown away. Deflate blocks that end with a sync flush end on
// a byte, so the blocks of several compressors make one stream.
type gzipStream struct {
	to   io.Writer
	past []byte // the last bytes that were written
	sum  uint32
	size uint32 // of all that was written, modulo 2^32
}

// gzipWindow is how far back a reference of deflate can reach.
const gzipWindow = 32 << 10

// compressor writes to a destination that can be changed between blocks.
type compressor struct {
	*flate.Writer
	to io.Writer
}

func (c *compressor) write(b []byte) (int, error) { return c.to.Write(b) }

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

var compressors = sync.Pool{New: func() any {
	c := new(compressor)
	c.Writer, _ = flate.NewWriter(writerFunc(c.write), flate.DefaultCompression) // fails for unknown levels only
	return c
}}

func (s *gzipStream) Write(b []byte) (int, error) {
	if s.size == 0 && s.past == nil {
		header := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255} // deflate, no name, no time, unknown system
		if _, err := s.to.Write(header); err != nil {
			return 0, err
		}
	}
	// An event is most like the last of its kind: the compressor need not see
	// more than that and some small events after it.
	known := s.past[max(0, len(s.past)-2*len(b)-1024):]
	if err := deflate(s.to, known, b); err != nil {
		return 0, err
	}
	s.sum = crc32.Update(s.sum, crc32.IEEETable, b)
	s.size += uint32(len(b))
	s.past = append(s.past, b...)
	if over := len(s.past) - gzipWindow; over > 0 {
		s.past = append(s.past[:0], s.past[over:]...)
	}
	return len(b), nil
}

// deflate writes b as blocks that follow known.
func deflate(to io.Writer, known, b []byte) error {
	c := compressors.Get().(*compressor)
	defer compressors.Put(c)
	c.to = io.Discard
	c.Reset(writerFunc(c.write))
	if len(known) > 0 {
		c.Write(known) // io.Discard takes everything
		c.Flush()
	}
	c.to = to
	if _, err := c.Write(b); err != nil {
		return err
	}
	return c.Flush()
}

// close ends the body: an empty last block, the checksum and the size.
func (s *gzipStream) close() error {
	end := binary.LittleEndian.AppendUint32([]byte{3, 0}, s.sum)
	_, err := s.to.Write(binary.LittleEndian.AppendUint32(end, s.size))
	return err
}
