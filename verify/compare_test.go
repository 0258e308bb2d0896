package verify

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// record is a copy as a test writes it.
type record struct {
	what   copyKind
	typ    element
	pc     uint64
	data   []byte
	stored int // bytes that the log has room for; -1: all
	flags  uint32
}

func floats(values ...float32) record {
	var data []byte
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return record{what: 1, typ: elementF32, data: data, stored: -1}
}

func ints(values ...int32) record {
	var data []byte
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, uint32(v))
	}
	return record{what: 1, typ: elementI32, data: data, stored: -1}
}

func logOf(records ...record) []byte {
	var out bytes.Buffer
	for i, r := range records {
		hash := fnv.New64a()
		hash.Write(r.data)
		stored := len(r.data)
		if r.stored >= 0 {
			stored = r.stored
		}
		h := copyHeader{Magic: copyMagic, What: r.what, Element: r.typ, Flags: r.flags, Sequence: uint64(i), Bytes: uint64(len(r.data)),
			PC: r.pc, Hash: hash.Sum64(), Stored: uint64(stored)}
		_ = binary.Write(&out, binary.LittleEndian, h)
		out.Write(r.data[:stored])
	}
	return out.Bytes()
}

// short is a reader that gives few bytes at a time, as pipes and full buffers do.
type short struct{ data []byte }

func (s *short) Read(p []byte) (int, error) {
	n := copy(p[:min(len(p), 7)], s.data)
	s.data = s.data[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// TestThreadsOfTheHostCopyInAnyOrder: where there are some, and nowhere else. Words that a place gets before its last one are apart from all else.
func TestThreadsOfTheHostCopyInAnyOrder(t *testing.T) {
	threads := func(r record) record { r.flags = ofSeveralThreads; return r }
	for name, c := range map[string]struct {
		got, want     []record
		alike, atLast bool
	}{
		"another order":         {[]record{threads(ints(1)), threads(ints(2))}, []record{threads(ints(2)), threads(ints(1))}, true, false},
		"another value":         {[]record{threads(ints(1)), threads(ints(3))}, []record{threads(ints(2)), threads(ints(1))}, false, false},
		"once less":             {[]record{threads(ints(1))}, []record{threads(ints(1)), threads(ints(1))}, false, true},
		"one thread":            {[]record{ints(1), ints(2)}, []record{ints(2), ints(1)}, false, false},
		"threads in one of two": {[]record{threads(ints(1)), threads(ints(2))}, []record{ints(2), ints(1)}, false, false},
		"rounds of a loop":      {[]record{ints(1), ints(1), ints(0)}, []record{ints(2), ints(0)}, false, true},
		"a last flag":           {[]record{ints(1), ints(1)}, []record{ints(1), ints(0)}, false, false},
		"several words":         {[]record{ints(1, 2, 3), ints(4, 5, 6)}, []record{ints(1, 2, 4), ints(4, 5, 6)}, false, false},
	} {
		alike, atLast, err := alikeCopies(bytes.NewReader(logOf(c.got...)), bytes.NewReader(logOf(c.want...)))
		require.NoError(t, err)
		assert.Equal(t, []bool{c.alike, c.atLast}, []bool{alike, atLast}, name)
	}
}

func TestFirstDifferingElementIsReported(t *testing.T) {
	nan := float32(math.NaN())
	otherNaN := math.Float32frombits(0x7fc00001)
	for _, tt := range []struct {
		name      string
		got, want []record
		tolerance Tolerance
		text      string // "" means equal
	}{
		{"nothing", nil, nil, Tolerance{}, ""},
		{"equal", []record{floats(1, 2), ints(3)}, []record{floats(1, 2), ints(3)}, Tolerance{}, ""},
		{"second copy, third element", []record{ints(1), floats(1, 2, 4)}, []record{ints(1), floats(1, 2, 3)}, Tolerance{},
			"copy 2: float 2 is 4, in the original 3"},
		{"enough digits to tell neighbours apart", []record{floats(0.1)}, []record{floats(math.Nextafter32(0.1, 1))}, Tolerance{},
			"copy 1: float 0 is 0.1, in the original 0.10000001"},
		{"negative zero", []record{floats(0)}, []record{floats(float32(math.Copysign(0, -1)))}, Tolerance{},
			"copy 1: float 0 is 0, in the original -0"},
		{"negative integer", []record{ints(-5)}, []record{ints(5)}, Tolerance{}, "copy 1: int32 0 is -5, in the original 5"},
		{"a tolerance is not for integers", []record{ints(5)}, []record{ints(6)}, Tolerance{Abs: 10}, "copy 1: int32 0 is 5, in the original 6"},
		{"within atol", []record{floats(1.0, 2.5)}, []record{floats(1.25, 2.5)}, Tolerance{Abs: 0.25}, ""},
		{"beyond atol", []record{floats(1.0, 2.5)}, []record{floats(1.25, 2.5)}, Tolerance{Abs: 0.24}, "copy 1: float 0 is 1, in the original 1.25"},
		{"within rtol", []record{floats(99)}, []record{floats(100)}, Tolerance{Rel: 0.01}, ""},
		{"beyond rtol", []record{floats(98)}, []record{floats(100)}, Tolerance{Rel: 0.01}, "copy 1: float 0 is 98, in the original 100"},
		{"tolerated, then not", []record{floats(1.01, 7)}, []record{floats(1, 8)}, Tolerance{Abs: 0.1}, "copy 1: float 1 is 7, in the original 8"},
		{"NaN is NaN under a tolerance", []record{floats(nan)}, []record{floats(otherNaN)}, Tolerance{Abs: 1}, ""},
		{"NaN bits count without one", []record{floats(nan)}, []record{floats(otherNaN)}, Tolerance{},
			"copy 1: float 0 is nan (0x7fc00000), in the original nan (0x7fc00001)"},
		{"NaN is not a number", []record{floats(nan)}, []record{floats(0)}, Tolerance{Abs: 1e30}, "copy 1: float 0 is nan (0x7fc00000), in the original 0"},
		{"infinity is not near", []record{floats(float32(math.Inf(1)))}, []record{floats(3)}, Tolerance{Rel: 1}, "copy 1: float 0 is +Inf, in the original 3"},
		{"one copy less", []record{ints(1)}, []record{ints(1), ints(2)}, Tolerance{}, "copy 2 is missing, in the original a copy to the host of 4 bytes"},
		{"one copy more", []record{ints(1), ints(2, 3)}, []record{ints(1)}, Tolerance{}, "copy 2 is a copy to the host of 8 bytes, in the original missing"},
		{"other length", []record{ints(1, 2)}, []record{ints(1)}, Tolerance{}, "copy 1 is a copy to the host of 8 bytes, in the original a copy to the host of 4 bytes"},
		{"other kind", []record{{what: 2, data: []byte{1}, stored: -1}}, []record{{what: 1, data: []byte{1}, stored: -1}}, Tolerance{},
			"copy 1 is a copy from a symbol of 1 byte, in the original a copy to the host of 1 byte"},
		{"untyped bytes", []record{{what: 1, data: []byte{1, 2, 0xff}, stored: -1}}, []record{{what: 1, data: []byte{1, 2, 3}, stored: -1}}, Tolerance{Abs: 1e9},
			"copy 1: byte 2 is 0xff, in the original 0x03"},
		{"floats that are no whole number of floats", []record{{what: 1, typ: elementF32, data: []byte{0, 0, 0, 0, 1}, stored: -1}},
			[]record{{what: 1, typ: elementF32, data: []byte{0, 0, 0, 0, 2}, stored: -1}}, Tolerance{}, "copy 1: byte 4 is 0x01, in the original 0x02"},
		{"not stored, equal by hash", []record{{what: 1, data: []byte{1, 2}, stored: 0}}, []record{{what: 1, data: []byte{1, 2}, stored: 0}}, Tolerance{}, ""},
		{"not stored, different by hash", []record{{what: 1, data: []byte{1, 2}, stored: 1}}, []record{{what: 1, data: []byte{1, 3}, stored: 1}}, Tolerance{},
			"copy 1 after byte 1, where the log of copies was full, is hash 082f2407b4e8902a, in the original hash 082f2507b4e891dd"},
		{"memory behind a launch", []record{{what: 4, data: []byte{1}, stored: 1}}, []record{{what: 4, data: []byte{2}, stored: 1}}, Tolerance{},
			"copy 1, of device memory after a launch: byte 0 is 0x01, in the original 0x02"},
		{"memory that one program changes", []record{{what: 4, data: []byte{1}, stored: 1}}, []record{{what: 4, data: []byte{2}, stored: 0, flags: 1}}, Tolerance{},
			"copy 1, of device memory after a launch, is changed by the launch, in the original as it was before the launch"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, _, err := CompareCopies(&short{logOf(tt.got...)}, bytes.NewReader(logOf(tt.want...)), tt.tolerance)
			require.NoError(t, err)
			if tt.text == "" {
				require.Nil(t, d)
				return
			}
			require.NotNil(t, d)
			assert.Equal(t, tt.text, d.in("the original"))
		})
	}
}

// A copy may be longer than any buffer, and its one difference at the very end.
func TestLongCopiesAreComparedToTheEnd(t *testing.T) {
	values := make([]int32, 100_001)
	same := ints(values...)
	values[100_000] = 7
	other := ints(values...)
	d, _, err := CompareCopies(bytes.NewReader(logOf(same, other, ints(1))), bytes.NewReader(logOf(same, same, ints(2))), Tolerance{})
	require.NoError(t, err)
	require.NotNil(t, d)
	assert.Equal(t, "copy 2: int32 100000 is 7, in the original 0", d.in("the original"))
	assert.Equal(t, 2, d.Copy)
	assert.Equal(t, 100_000, d.Element)
}

func TestWhatIsEqualIsCounted(t *testing.T) {
	want := logOf(ints(1), ints(2, 3), ints(4))
	d, equal, err := CompareCopies(bytes.NewReader(want), bytes.NewReader(want), Tolerance{})
	require.NoError(t, err)
	assert.Nil(t, d)
	assert.Equal(t, Compared{Copies: 3, Bytes: 16, Changed: 16}, equal)
	d, equal, err = CompareCopies(bytes.NewReader(logOf(ints(1), ints(2, 3), ints(5))), bytes.NewReader(want), Tolerance{})
	require.NoError(t, err)
	assert.Equal(t, "copy 3: int32 0 is 5, in the original 4", d.String())
	assert.Equal(t, Compared{Copies: 2, Bytes: 12, Changed: 12}, equal)
}

func TestDifferenceKnowsTheCalls(t *testing.T) {
	a, b := ints(1), ints(2)
	a.pc, b.pc = 0x10, 0x20
	d, _, err := CompareCopies(bytes.NewReader(logOf(a)), bytes.NewReader(logOf(b)), Tolerance{})
	require.NoError(t, err)
	assert.Equal(t, uint64(0x10), d.pc)
	assert.Equal(t, uint64(0x20), d.wantPC)
}

func TestBrokenLogIsAnError(t *testing.T) {
	whole := logOf(ints(1, 2, 3))
	for name, broken := range map[string][]byte{
		"cut in a header": whole[:20],
		"cut in the data": logOf(ints(9, 9, 9))[:len(whole)-2],
		"no record":       bytes.Repeat([]byte{1}, 200),
	} {
		_, _, err := CompareCopies(bytes.NewReader(broken), bytes.NewReader(whole), Tolerance{})
		assert.ErrorContains(t, err, "copy log, record 1", name)
	}
}

func TestStdoutDiffersAtALine(t *testing.T) {
	for _, tt := range []struct {
		name, got, want string
		tolerance       Tolerance
		text            string
	}{
		{"equal", "a\nb\n", "a\nb\n", Tolerance{}, ""},
		{"second line", "a\nc\n", "a\nb\n", Tolerance{}, `line 2 of the output is "c", in the original "b"`},
		{"missing line", "a\n", "a\nb\n", Tolerance{}, `line 2 of the output is missing, in the original "b"`},
		{"extra line", "a\n\n", "a\n", Tolerance{}, `line 2 of the output is "", in the original missing`},
		{"last newline", "a", "a\n", Tolerance{}, `line 1 of the output is "a", in the original "a"`},
		{"long line", strings.Repeat("x", 200), "y", Tolerance{}, `line 1 of the output is "` + strings.Repeat("x", 120) + `"…, in the original "y"`},
		{"number within the tolerance", "sum 1.0001 of 5\n", "sum 1.0 of 5\n", Tolerance{Abs: 1e-3}, ""},
		{"exponents", "1e-10 x", "2e-10 x", Tolerance{Abs: 1e-9}, ""},
		{"beyond the tolerance", "sum 1.1\n", "sum 1.0\n", Tolerance{Abs: 1e-3}, `line 1 of the output is "sum 1.1", in the original "sum 1.0"`},
		{"whole numbers are exact", "5\n", "6\n", Tolerance{Abs: 10}, `line 1 of the output is "5", in the original "6"`},
		{"words are exact", "1.0 a\n", "1.0 b\n", Tolerance{Abs: 10}, `line 1 of the output is "1.0 a", in the original "1.0 b"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := compareStdout([]byte(tt.got), []byte(tt.want), tt.tolerance)
			if tt.text == "" {
				require.Nil(t, d)
				return
			}
			require.NotNil(t, d)
			assert.Equal(t, tt.text, d.in("the original"))
		})
	}
}

func TestHalfValues(t *testing.T) {
	for bits, want := range map[uint16]float64{0x0000: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0001: 0x1p-24, 0x0400: 0x1p-14, 0x3555: 0.333251953125} {
		assert.Equal(t, want, half(bits), "%#x", bits)
	}
	assert.True(t, math.IsInf(half(0xfc00), -1))
	assert.True(t, math.IsNaN(half(0x7e00)))
	assert.Equal(t, 1.5, elementBF16.float([]byte{0xc0, 0x3f}))
}
