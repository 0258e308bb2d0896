package nvcc

import (
	"strconv"
	"strings"
)

// readMangled reads the simple part of a name mangled by the Itanium C++ ABI, for
// machines without a demangler: plain and nested names, with template
// arguments that are builtin types, named types, pointers to them, or integer
// and bool literals. It returns false for anything else.
func readMangled(mangled string) (string, bool) {
	r := &mangledReader{rest: mangled}
	if !r.take("_Z") {
		return "", false
	}
	name, ok := r.name()
	if !ok || strings.Contains(name, "\x00") {
		return "", false
	}
	return name, true
}

type mangledReader struct{ rest string }

func (r *mangledReader) take(prefix string) bool {
	rest, ok := strings.CutPrefix(r.rest, prefix)
	r.rest = rest
	return ok
}

// name reads <source-name> or N <source-name>+ E, each with I … E after it.
func (r *mangledReader) name() (string, bool) {
	if !r.take("N") {
		return r.part()
	}
	var parts []string
	for !r.take("E") {
		p, ok := r.part()
		if !ok || len(parts) > 20 {
			return "", false
		}
		parts = append(parts, p)
	}
	return strings.Join(parts, "::"), len(parts) > 0
}

func (r *mangledReader) part() (string, bool) {
	name, ok := r.source()
	if !ok {
		return "", false
	}
	if !r.take("I") {
		return name, true
	}
	var args []string
	for !r.take("E") {
		a, ok := r.argument()
		if !ok || len(args) > 40 {
			return "", false
		}
		args = append(args, a)
	}
	return name + "<" + strings.Join(args, ", ") + ">", true
}

// source reads a length and that many characters.
func (r *mangledReader) source() (string, bool) {
	digits := len(r.rest) - len(strings.TrimLeft(r.rest, "0123456789"))
	n, err := strconv.Atoi(r.rest[:digits])
	if err != nil || n <= 0 || n > len(r.rest)-digits {
		return "", false
	}
	name := r.rest[digits : digits+n]
	r.rest = r.rest[digits+n:]
	if strings.HasPrefix(name, "_GLOBAL__N_") || strings.HasPrefix(name, "_INTERNAL_") {
		name = "(anonymous namespace)"
	}
	return name, true
}

var builtinTypes = map[byte]string{
	'v': "void", 'b': "bool", 'c': "char", 'a': "signed char", 'h': "unsigned char", 's': "short", 't': "unsigned short",
	'i': "int", 'j': "unsigned int", 'l': "long", 'm': "unsigned long", 'x': "long long", 'y': "unsigned long long",
	'f': "float", 'd': "double",
}

// argument reads a template argument.
func (r *mangledReader) argument() (string, bool) {
	if r.rest == "" {
		return "", false
	}
	if r.take("L") {
		return r.literal()
	}
	suffix := ""
	for r.rest != "" && (r.rest[0] == 'P' || r.rest[0] == 'K') {
		if len(suffix) > 100 {
			return "", false
		}
		if r.rest[0] == 'P' {
			suffix = "*" + suffix
		} else {
			suffix = " const" + suffix
		}
		r.rest = r.rest[1:]
	}
	if r.rest == "" {
		return "", false
	}
	if t := builtinTypes[r.rest[0]]; t != "" {
		r.rest = r.rest[1:]
		return t + suffix, true
	}
	if c := r.rest[0]; c != 'N' && (c < '0' || c > '9') {
		return "", false
	}
	name, ok := r.source()
	return name + suffix, ok
}

// literal reads a type, a value and E: i16E, b1E, in4E for -4.
func (r *mangledReader) literal() (string, bool) {
	if r.rest == "" || builtinTypes[r.rest[0]] == "" {
		return "", false
	}
	kind := r.rest[0]
	value, rest, ok := strings.Cut(r.rest[1:], "E")
	if !ok {
		return "", false
	}
	r.rest = rest
	value = strings.Replace(value, "n", "-", 1)
	if _, err := strconv.ParseInt(value, 10, 64); err != nil {
		return "", false
	}
	if kind == 'b' {
		return strconv.FormatBool(value != "0"), true
	}
	return value, true
}
