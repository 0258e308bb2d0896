package validate

import "strings"

// numberType is a type of numbers.
type numberType struct {
	name     string // the one way in which it is written to be compared
	bits     int    // 1 of truths
	unsigned bool
	float    bool
}

// numberTypes are the types of numbers by the ways to write them.
var numberTypes = map[string]numberType{
	"bool": {"bool", 1, true, false}, "char": {"char", 8, false, false}, "float": {"float", 32, false, true}, "double": {"double", 64, false, true},
	"signed char": {"signed char", 8, false, false}, "int8_t": {"signed char", 8, false, false},
	"unsigned char": {"unsigned char", 8, true, false}, "uchar": {"unsigned char", 8, true, false}, "uint8_t": {"unsigned char", 8, true, false},
	"short": {"short", 16, false, false}, "int16_t": {"short", 16, false, false}, "half": {"half", 16, false, true}, "__half": {"half", 16, false, true},
	"unsigned short": {"unsigned short", 16, true, false}, "ushort": {"unsigned short", 16, true, false}, "uint16_t": {"unsigned short", 16, true, false},
	"int": {"int", 32, false, false}, "int32_t": {"int", 32, false, false}, "signed": {"int", 32, false, false}, "signed int": {"int", 32, false, false},
	"unsigned": {"unsigned int", 32, true, false}, "unsigned int": {"unsigned int", 32, true, false}, "uint": {"unsigned int", 32, true, false}, "uint32_t": {"unsigned int", 32, true, false},
	"long": {"long", 64, false, false}, "long int": {"long", 64, false, false}, "int64_t": {"int64_t", 64, false, false}, "ptrdiff_t": {"ptrdiff_t", 64, false, false},
	"long long": {"long long", 64, false, false}, "long long int": {"long long", 64, false, false},
	"unsigned long": {"unsigned long", 64, true, false}, "unsigned long long": {"unsigned long long", 64, true, false},
	"size_t": {"size_t", 64, true, false}, "uint64_t": {"uint64_t", 64, true, false},
}

// numberTypeOf returns the type of numbers that is written so, false for any other type.
func numberTypeOf(base string) (numberType, bool) {
	t, ok := numberTypes[strings.TrimPrefix(base, "std::")]
	return t, ok
}

// plainName writes a type in one way, if it is one of numbers.
func plainName(base string) string {
	if t, ok := numberTypeOf(base); ok {
		return t.name
	}
	return strings.TrimPrefix(base, "std::")
}

// integer reports whether a type is one of integers that are not truths.
func (t numberType) integer() bool { return t.bits > 1 && !t.float }

// limits are the least and the largest number of a type of integers of at most 32 bits.
func (t numberType) limits() (least, most int64) {
	if t.unsigned {
		return 0, 1<<t.bits - 1
	}
	return -1 << (t.bits - 1), 1<<(t.bits-1) - 1
}

// componentOf returns the type of the components of one of CUDA's vectors, "" for any other type.
func componentOf(vector string) string {
	if vector == "half2" {
		return "half"
	}
	n := len(vector) - 1
	if n < 1 || vector[n] < '1' || vector[n] > '4' {
		return ""
	}
	switch base := vector[:n]; base {
	case "char", "uchar", "short", "ushort", "int", "uint", "long", "float", "double":
		return plainName(base)
	}
	return ""
}

// plainValue reports whether a type is one of numbers only.
func plainValue(base string) bool {
	_, number := numberTypeOf(base)
	return number || componentOf(base) != "" || base == "dim3"
}
