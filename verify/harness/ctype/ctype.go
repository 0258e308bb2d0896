// Package ctype names the number types of C and CUDA in one way, and says how large they are.
package ctype

import (
	"regexp"
	"sort"
	"strings"
)

// Canonical returns one spelling for each type of the language and for the common names of those, "" for all others.
func Canonical(name string) string {
	fields := []string{}
	for _, w := range strings.Fields(name) {
		if w != "const" && w != "volatile" && w != "int" {
			fields = append(fields, w)
		}
	}
	sort.Strings(fields)
	key := strings.Join(fields, " ")
	if key == "" && name != "" {
		key = "int" // nothing but int and qualifiers
	}
	return spellings[key]
}

// spellings maps the words of a type, sorted and without int, to one name.
var spellings = map[string]string{
	"int": "int", "signed": "int", "int32_t": "int",
	"unsigned": "unsigned int", "uint": "unsigned int", "uint32_t": "unsigned int",
	"char": "char", "char signed": "signed char", "int8_t": "signed char",
	"char unsigned": "unsigned char", "uchar": "unsigned char", "uint8_t": "unsigned char",
	"short": "short", "short signed": "short", "int16_t": "short",
	"short unsigned": "unsigned short", "ushort": "unsigned short", "uint16_t": "unsigned short",
	"long": "long", "int64_t": "long", "long signed": "long",
	"long unsigned": "unsigned long", "size_t": "unsigned long", "uint64_t": "unsigned long", "ulong": "unsigned long",
	"long long": "long long", "long long signed": "long long",
	"long long unsigned": "unsigned long long",
	"float":              "float", "double": "double", "bool": "bool",
	"half": "__half", "__half": "__half", "__nv_bfloat16": "__nv_bfloat16", "nv_bfloat16": "__nv_bfloat16",
}

// Bits are the sizes of the integer types; negative: unsigned.
var Bits = map[string]int{
	"bool": -1, "char": 8, "signed char": 8, "unsigned char": -8, "short": 16, "unsigned short": -16,
	"int": 32, "unsigned int": -32, "long": 64, "unsigned long": -64, "long long": 64, "unsigned long long": -64,
}

// Fits reports whether an integer can be held by a type of the language.
func Fits(v int64, known string) bool {
	switch b := Bits[known]; {
	case b == 0, b == 64:
		return true
	case b == -64:
		return v >= 0
	case b < 0:
		return v >= 0 && v < 1<<-b
	default:
		return v >= -1<<(b-1) && v < 1<<(b-1)
	}
}

var vectorType = regexp.MustCompile(`^(char|uchar|short|ushort|int|uint|long|ulong|longlong|ulonglong|float|double)([1-4])$`)

// Components reports how a vector type is filled: as so many numbers of a type. Other types are one number.
func Components(name string) (scalar string, lanes int64) {
	switch name {
	case "cuFloatComplex", "cuComplex", "cufftComplex":
		return "float", 2
	case "cuDoubleComplex", "cufftDoubleComplex":
		return "double", 2
	case "half2", "__half2":
		return "__half", 2
	case "__nv_bfloat162", "nv_bfloat162":
		return "__nv_bfloat16", 2
	}
	m := vectorType.FindStringSubmatch(name)
	if m == nil {
		return name, 1
	}
	scalar, unsigned := strings.CutPrefix(m[1], "u")
	if scalar == "longlong" {
		scalar = "long long"
	}
	if unsigned {
		scalar = "unsigned " + scalar
	}
	return scalar, int64(m[2][0] - '0')
}

// Bytes are the sizes of all of them.
var Bytes = map[string]int64{
	"bool": 1, "char": 1, "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "__half": 2, "__nv_bfloat16": 2,
	"int": 4, "unsigned int": 4, "float": 4, "long": 8, "unsigned long": 8, "long long": 8, "unsigned long long": 8, "double": 8,
}
