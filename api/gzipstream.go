package api

import (
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
	"sync"
)

// gzipStream is a gzip body (RFC 1952) that a client can decompress up to the end of
// every Write. A compressor holds about a megabyte of memory, so a stream does not
// keep one but takes one from a pool for each Write. The compressor first gets the
// end of what was written before, as the window for back references, and its output
// for that is discarded. Deflate blocks that end with a sync flush end on a byte
// boundary, so the blocks of several compressors make one deflate stream.
type gzipStream struct {
	to     io.Writer
	window []byte // the last bytes written, at most gzipWindow, before compression
	crc    uint32 // CRC-32 of all bytes written
	size   uint32 // number of all bytes written, modulo 2^32
}

// gzipWindow is the longest distance of a back reference of deflate, in bytes.
const gzipWindow = 32 << 10

// compressor writes to a destination that can be replaced between blocks.
type compressor struct {
	*flate.Writer
	to io.Writer
}

func (c *compressor) write(b []byte) (int, error) { return c.to.Write(b) }

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

var compressors = sync.Pool{New: func() any {
	c := new(compressor)
	c.Writer, _ = flate.NewWriter(writerFunc(c.write), flate.DefaultCompression) // an error means an unknown level
	return c
}}

func (s *gzipStream) Write(b []byte) (int, error) {
	if s.window == nil {
		header := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255} // deflate, no flags, no time, unknown operating system
		if _, err := s.to.Write(header); err != nil {
			return 0, err
		}
	}
	// An event resembles the last event of its type most. That one, with the small
	// events after it, lies within twice the length of this one and 1 kB; a longer
	// window would cost time and save few bytes.
	window := s.window[max(0, len(s.window)-2*len(b)-1024):]
	if err := deflate(s.to, window, b); err != nil {
		return 0, err
	}
	s.crc = crc32.Update(s.crc, crc32.IEEETable, b)
	s.size += uint32(len(b))
	s.window = append(s.window, b...)
	if excess := len(s.window) - gzipWindow; excess > 0 {
		s.window = append(s.window[:0], s.window[excess:]...)
	}
	return len(b), nil
}

// deflate writes b as blocks whose back references may reach into window.
func deflate(to io.Writer, window, b []byte) error {
	c := compressors.Get().(*compressor)
	defer compressors.Put(c)
	c.to = io.Discard
	c.Reset(writerFunc(c.write))
	if len(window) > 0 {
		c.Write(window) // writes to io.Discard do not fail
		c.Flush()
	}
	c.to = to
	if _, err := c.Write(b); err != nil {
		return err
	}
	return c.Flush()
}

// close writes the end of the body: an empty last block, the checksum and the size.
func (s *gzipStream) close() error {
	trailer := binary.LittleEndian.AppendUint32([]byte{3, 0}, s.crc)
	_, err := s.to.Write(binary.LittleEndian.AppendUint32(trailer, s.size))
	return err
}
