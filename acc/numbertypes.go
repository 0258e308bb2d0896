package acc

import "strings"

// Types of numbers, by one name each: that of ranks.

// canonical are the types of one word.
var canonical = map[string]string{
	"bool": "bool", "_Bool": "bool", "float": "float", "double": "double",
	"uint8_t": "unsigned char", "int8_t": "char", "int16_t": "short", "uint16_t": "unsigned short", "int32_t": "int", "uint32_t": "unsigned",
	"int64_t": "long", "ptrdiff_t": "long", "ssize_t": "long", "intptr_t": "long", "size_t": "unsigned long", "uint64_t": "unsigned long", "uintptr_t": "unsigned long",
}

// numberNamed is the type of numbers that a name is for, "" for other types.
func numberNamed(name string) string {
	if one := canonical[name]; one != "" {
		return one
	}
	sign, size, words := "", "int", strings.Fields(name)
	for _, w := range words {
		switch w {
		case "unsigned":
			sign = "unsigned "
		case "char", "short", "long":
			size = w
		case "signed", "int":
		default:
			return ""
		}
	}
	switch {
	case len(words) == 0:
		return ""
	case sign != "" && size == "int":
		return "unsigned"
	}
	return sign + size
}

// number is the type of numbers that a variable is of, "" where it is of none.
func (v *variable) number() string {
	if !v.isScalar() {
		return ""
	}
	return numberNamed(v.resolved)
}

// isUnsigned reports whether arithmetic on the variable wraps.
func (v *variable) isUnsigned() bool { return strings.HasPrefix(numberNamed(v.resolved), "unsigned") }

// isInteger reports whether the variable is of one of C's integers.
func (v *variable) isInteger() bool {
	n := v.number()
	return n != "" && n != "float" && n != "double"
}

// isNarrow reports whether the variable is, or leads to, an integer that is smaller than an int.
func (v *variable) isNarrow() bool { return v.isIntegerOf(1) || v.isIntegerOf(2) }

// isIntegerOf reports whether the variable is, or leads to, an integer of a size.
func (v *variable) isIntegerOf(bytes int64) bool {
	n := numberNamed(v.resolved)
	return n != "" && n != "float" && n != "double" && bytesOfNumber[n] == bytes
}

// bytesOfNumber are the sizes of these types.
var bytesOfNumber = map[string]int64{
	"bool": 1, "char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4, "unsigned": 4, "long": 8, "unsigned long": 8, "float": 4, "double": 8,
}
