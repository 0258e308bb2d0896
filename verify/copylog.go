package verify

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// copyMagic begins each record of a copy log: "SUXC" in little-endian order.
const copyMagic = 0x43585553

// copyHeader is the fixed part of a record: one copy from the device that the host can look at.
type copyHeader struct {
	Magic    uint32
	What     copyKind
	Element  element
	Flags    uint32
	Sequence uint64
	Bytes    uint64 // length of the copy
	PC       uint64 // of the call in the program, relative to its base
	Hash     uint64 // FNV-1a of all bytes
	Stored   uint64 // bytes that follow: all, or fewer once the log is full
}

// copyKind says how the host got at device memory.
type copyKind uint32

// behindLaunch is logged by a check of package instrument: no copy of the program.
const behindLaunch copyKind = 4

func (k copyKind) String() string {
	switch k {
	case 2:
		return "copy from a symbol"
	case 3:
		return "managed memory"
	case behindLaunch:
		return "record of device memory after a launch"
	}
	return "copy to the host"
}

// name returns what messages call a record, by its number in the log.
func (h *copyHeader) name(number int) string {
	if h.What == behindLaunch {
		return fmt.Sprintf("copy %d, of device memory after a launch", number)
	}
	return fmt.Sprintf("copy %d", number)
}

// unchanged is the flag of device memory after a launch that is as it was in front of it: it isn't stored.
const unchanged = 1

// ofSeveralThreads is the flag of what the host of a program with threads got: it may come elsewhere in another run.
const ofSeveralThreads = 2

// state returns what a launch did to memory.
func (h *copyHeader) state() string {
	if h.Flags&unchanged != 0 {
		return "as it was before the launch"
	}
	return "changed by the launch"
}

// copyLog reads a log record by record; the data of a record is read through
// the log itself, which is never in memory as a whole.
type copyLog struct {
	in   *bufio.Reader
	left uint64 // bytes of the current record's data that were not read
	read int    // records so far
}

// newCopyLog reads a log.
func newCopyLog(r io.Reader) *copyLog {
	return &copyLog{in: bufio.NewReaderSize(r, 1<<16)}
}

// next goes to the next record; nil, nil means the end of the log.
func (l *copyLog) next() (*copyHeader, error) {
	if err := l.skip(); err != nil {
		return nil, fault(l.read, err)
	}
	var h copyHeader
	err := binary.Read(l.in, binary.LittleEndian, &h)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, fault(l.read+1, err)
	}
	if h.Magic != copyMagic {
		return nil, fault(l.read+1, errors.New("this is not a record"))
	}
	if h.Stored > h.Bytes {
		return nil, fault(l.read+1, fmt.Errorf("%d bytes of %d", h.Stored, h.Bytes))
	}
	l.left = h.Stored
	l.read++
	return &h, nil
}

// skip passes over the rest of the current record.
func (l *copyLog) skip() error {
	for l.left > 0 {
		n, err := l.in.Discard(int(min(l.left, 1<<30)))
		l.left -= uint64(n)
		if err != nil {
			return err
		}
	}
	return nil
}

// data fills p with the next bytes of the current record.
func (l *copyLog) data(p []byte) error {
	n, err := io.ReadFull(l.in, p)
	l.left -= uint64(n)
	if err != nil {
		return fault(l.read, err)
	}
	return nil
}

func fault(record int, err error) error { return fmt.Errorf("copy log, record %d: %w", record, err) }
