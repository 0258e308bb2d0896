package machine

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/smux-cuda/smux/internal/process"
)

// checksum is at the end of a line that the main of a kernel that is run alone prints of an array.
var checksum = regexp.MustCompile(`(elements, checksum) [0-9a-f]{16}$`)

// pieceBytes is the part of a line that is looked at in one go: a longer one counts as several.
const pieceBytes = 1 << 16

// CompareLines returns in words where two standard outputs differ, "" if nowhere, and how many lines' numbers were compared.
func (r Rules) CompareLines(got, want io.Reader) (lines int, why string, err error) {
	g, w := bufio.NewReaderSize(got, pieceBytes), bufio.NewReaderSize(want, pieceBytes)
	for number := 0; ; {
		lineG, moreG, err := nextLine(g)
		if err != nil {
			return lines, "", err
		}
		lineW, moreW, err := nextLine(w)
		if err != nil {
			return lines, "", err
		}
		if !moreG && !moreW {
			return lines, "", nil
		}
		number++
		if moreG != moreW || !r.equalLines(lineG, lineW) {
			return lines, fmt.Sprintf("line %d of the output is %s, in the original %s", number, shownLine(lineG, moreG), shownLine(lineW, moreW)), nil
		}
		if !IsOfTime(lineW) && !r.Tolerance.Excepts(lineW) {
			lines++
		}
	}
}

// nextLine returns the next line, or a piece of a long one, until the next call; more is false at the end.
func nextLine(r *bufio.Reader) (line []byte, more bool, err error) {
	line, err = r.ReadSlice('\n')
	if err == nil || errors.Is(err, bufio.ErrBufferFull) {
		return line, true, nil
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return line, len(line) > 0, err
}

func (r Rules) equalLines(got, want []byte) bool {
	if bytes.Equal(got, want) {
		return true
	}
	g, w := process.Timeless(string(got)), process.Timeless(string(want))
	if r.Checksums && !r.Tolerance.IsZero() {
		g, w = withoutChecksum(g), withoutChecksum(w)
	}
	return r.Tolerance.EqualLines([]byte(g), []byte(w))
}

// IsOfTime reports whether a line is compared without its numbers, or has nothing in it: being equal says nothing then.
func IsOfTime(line []byte) bool {
	text := string(line)
	return strings.TrimSpace(text) == "" || process.Timeless(text) != text
}

func withoutChecksum(line string) string {
	return checksum.ReplaceAllString(string(bytes.TrimRight([]byte(line), "\r\n")), "$1")
}

func shownLine(line []byte, more bool) string {
	const most = 120
	if !more {
		return "missing"
	}
	line = bytes.TrimRight(line, "\r\n")
	if len(line) > most {
		return fmt.Sprintf("%q…", line[:most])
	}
	return fmt.Sprintf("%q", line)
}
