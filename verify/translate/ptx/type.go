package ptx

// ptxType is a type of PTX: kind 'u' (also .b), 's', 'f' or 'p' (predicate).
type ptxType struct {
	kind byte
	bits int
}

var ptxTypes = map[string]ptxType{
	"b8": {'u', 8}, "b16": {'u', 16}, "b32": {'u', 32}, "b64": {'u', 64}, "b128": {'u', 128},
	"u8": {'u', 8}, "u16": {'u', 16}, "u32": {'u', 32}, "u64": {'u', 64},
	"s8": {'s', 8}, "s16": {'s', 16}, "s32": {'s', 32}, "s64": {'s', 64},
	"f32": {'f', 32}, "f64": {'f', 64}, "pred": {'p', 1},
}

// ptxConstraints are the types of asm operands.
var ptxConstraints = map[byte]ptxType{
	'h': {'u', 16}, 'r': {'u', 32}, 'l': {'u', 64}, 'q': {'u', 128}, 'f': {'f', 32}, 'd': {'f', 64},
	'n': {'s', 64}, 'i': {'s', 64},
}

// cpp returns the type in C++, in words that no header has to declare.
func (t ptxType) cpp() string {
	switch t {
	case ptxType{'f', 32}:
		return "float"
	case ptxType{'f', 64}:
		return "double"
	case ptxType{'p', 1}:
		return "bool"
	}
	name := map[int]string{8: "char", 16: "short", 32: "int", 64: "long long", 128: "__int128"}[t.bits]
	if t.kind == 's' {
		return "signed " + name
	}
	return "unsigned " + name
}

// register returns the type of the C++ variable for a register: integers are
// unsigned, as what is read from them shows.
func (t ptxType) register() ptxType {
	if t.kind == 's' {
		t.kind = 'u'
	}
	return t
}

func (t ptxType) unsigned() ptxType { return ptxType{'u', t.bits} }
func (t ptxType) wide() ptxType     { return ptxType{t.kind, 2 * t.bits} }

// suffix returns how C's functions of a floating type end.
func (t ptxType) suffix() string {
	if t.bits == 32 {
		return "f"
	}
	return ""
}

// types returns the types among an instruction's modifiers, in order.
func (in *ptxInstruction) types() (out []ptxType) {
	for _, m := range in.mods {
		if t, ok := ptxTypes[m]; ok {
			out = append(out, t)
		}
	}
	return out
}

// read returns an operand's value as a type.
func (o ptxOperand) read(t ptxType) string {
	not := ""
	if o.negated {
		not = "!"
	}
	switch {
	case o.value != "" && t.kind == 'p':
		return "(" + not + o.value + ")"
	case o.value != "":
		return "((" + t.cpp() + ")" + o.value + ")"
	case o.variable == nil:
		return "0"
	}
	name, from := o.variable.name, o.variable.typ
	switch {
	case t.kind == 'p' || from.kind == 'p':
		return "(" + not + name + ")"
	case t == from:
		return name
	case t.kind != 'f' && from.kind != 'f':
		return "((" + t.cpp() + ")" + name + ")"
	case t.kind == 'f' && from.kind == 'f':
		return "((" + t.cpp() + ")" + name + ")"
	case t.kind == 'f':
		return "__builtin_bit_cast(" + t.cpp() + ", (" + t.unsigned().cpp() + ")" + name + ")"
	}
	return "((" + t.cpp() + ")__builtin_bit_cast(" + from.unsigned().cpp() + ", " + name + "))"
}

// write returns a statement that puts an expression of a type into an operand.
func (o ptxOperand) write(t ptxType, expression string) string {
	if o.variable == nil {
		return "(void)(" + expression + ");"
	}
	to := o.variable.typ
	switch {
	case to.kind == 'f' && t.kind != 'f':
		expression = "__builtin_bit_cast(" + to.cpp() + ", (" + to.unsigned().cpp() + ")(" + expression + "))"
	case to.kind != 'f' && t.kind == 'f':
		expression = "__builtin_bit_cast(" + t.unsigned().cpp() + ", (" + t.cpp() + ")(" + expression + "))"
	}
	return o.variable.name + " = " + expression + ";"
}
