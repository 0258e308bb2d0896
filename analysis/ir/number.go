package ir

import (
	"slices"
	"strings"
)

// Number is one of the language's types of numbers, on a 64-bit machine.
type Number struct {
	Name     string // the one way in which it is written to be compared
	Bytes    int
	Unsigned bool // a truth is, too
	Float    bool
}

// Int is the type of what smaller integers are computed in, and Uint that of CUDA's own numbers and extents.
var (
	Int  = Number{"int", 4, false, false}
	Uint = Number{"unsigned int", 4, true, false}
)

var numbers = []Number{
	{"bool", 1, true, false}, {"char", 1, false, false}, {"signed char", 1, false, false}, {"unsigned char", 1, true, false},
	{"short", 2, false, false}, {"unsigned short", 2, true, false}, Int, Uint,
	{"long", 8, false, false}, {"unsigned long", 8, true, false}, {"long long", 8, false, false}, {"unsigned long long", 8, true, false},
	{"int64_t", 8, false, false}, {"uint64_t", 8, true, false}, {"size_t", 8, true, false}, {"ptrdiff_t", 8, false, false}, {"ssize_t", 8, false, false},
	{"intptr_t", 8, false, false}, {"uintptr_t", 8, true, false}, {"clock_t", 8, false, false}, {"time_t", 8, false, false},
	{"half", 2, false, true}, {"float", 4, false, true}, {"double", 8, false, true},
}

// otherNames are further names of numbers, their words in order.
var otherNames = map[string]string{
	"uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned int", "ulong": "unsigned long", "__half": "half",
	"int8_t": "signed char", "uint8_t": "unsigned char", "int16_t": "short", "uint16_t": "unsigned short", "int32_t": "int", "uint32_t": "unsigned int",
	"char signed": "signed char", "char unsigned": "unsigned char", "short signed": "short", "short unsigned": "unsigned short",
	"signed": "int", "unsigned": "unsigned int", "": "int", "long signed": "long", "long unsigned": "unsigned long",
	"long long signed": "long long", "long long unsigned": "unsigned long long",
}

var numberNames = func() map[string]Number {
	out := map[string]Number{}
	for _, n := range numbers {
		out[n.Name] = n
	}
	for other, name := range otherNames {
		out[other] = out[name]
	}
	return out
}()

// NumberOf returns the type of numbers that is written so, without qualifiers; ok is false for any other type.
func NumberOf(base string) (n Number, ok bool) {
	if n, ok = numberNames[strings.TrimPrefix(base, "std::")]; ok || !strings.Contains(base, " ") {
		return n, ok && base != ""
	}
	words := strings.Fields(base) // unsigned long int, long unsigned
	if i := slices.Index(words, "int"); i >= 0 {
		words = slices.Delete(words, i, i+1)
	}
	slices.Sort(words)
	n, ok = numberNames[strings.Join(words, " ")]
	return n, ok && !n.Float && n.Name != "bool"
}

// IsNumber reports whether a type is one of the language's numbers, qualifiers aside.
func IsNumber(base string) bool {
	words := slices.DeleteFunc(strings.Fields(base), func(w string) bool { return w == "const" || w == "volatile" })
	_, ok := NumberOf(strings.Join(words, " "))
	return ok
}

// vectorStems are the components of CUDA's vectors, by how these begin.
var vectorStems = map[string]string{
	"char": "signed char", "uchar": "unsigned char", "short": "short", "ushort": "unsigned short", "int": "int", "uint": "unsigned int",
	"long": "long", "ulong": "unsigned long", "longlong": "long long", "ulonglong": "unsigned long long", "float": "float", "double": "double",
}

// VectorOf returns the type and the number of the components of one of CUDA's vectors; ok is false for any other type.
func VectorOf(name string) (of Number, n int, ok bool) {
	last := max(len(name)-1, 0)
	of, ok = numberNames[vectorStems[name[:last]]]
	if name == "" || name[last] < '1' || name[last] > '4' || vectorStems[name[:last]] == "" {
		return Number{}, 0, false
	}
	return of, int(name[last] - '0'), ok
}

// PartsOf returns the numbers of which a value of a type consists: itself, or the components of one of CUDA's vectors;
// ok is false for any other type.
func PartsOf(name string) (of Number, n int, ok bool) {
	if of, ok = NumberOf(name); ok {
		return of, 1, true
	}
	return VectorOf(name)
}

// VectorStem returns the name, without its digit, of the vectors whose components have a type; "" for none.
func VectorStem(base string) string {
	n, ok := NumberOf(base)
	for stem, of := range vectorStems {
		if ok && (of == n.Name || of == "signed char" && n.Name == "char") {
			return stem
		}
	}
	return ""
}

// Promoted is the type in which the language computes with values of a type.
func (n Number) Promoted() Number {
	if n.Bytes < Int.Bytes && !n.Float {
		return Int
	}
	return n
}

// Usual is the type in which the language computes with two numbers.
func Usual(a, b Number) Number {
	a, b = a.Promoted(), b.Promoted()
	switch {
	case a.Float != b.Float:
		if a.Float {
			return a
		}
		return b
	case a.Bytes > b.Bytes, a.Bytes == b.Bytes && (a.Unsigned || !b.Unsigned):
		return a
	}
	return b
}
