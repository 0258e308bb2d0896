package ptx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Statement is asm [volatile] ("…" : outputs : inputs : clobbers).
type Statement struct {
	Template string
	Literal  bool // the template is made of string literals alone
	Operands []Operand
}

// Operand is one [name] "constraint" (expression).
type Operand struct {
	Name       string
	Constraint string
	Expression string
	Output     bool
}

// variable returns the C++ variable of operand n.
func (a *Statement) variable(n int) *ptxVariable {
	o := a.Operands[n]
	letter := strings.TrimLeft(o.Constraint, "=+&")
	if tied, err := strconv.Atoi(letter); err == nil && tied < n && !o.Output {
		return a.variable(tied)
	}
	v := &ptxVariable{name: "smux_" + strconv.Itoa(n)}
	if len(letter) > 0 {
		v.typ = ptxConstraints[letter[0]]
	}
	return v
}

// changesNothing reports whether a statement has no instruction and leaves each
// operand as it is: it is there for the compiler alone.
func (a *Statement) changesNothing() bool {
	for _, o := range a.Operands {
		if o.Output && !strings.HasPrefix(o.Constraint, "+") {
			return false
		}
	}
	return a.Literal && strings.TrimSpace(stripPTXComments(a.Template)) == ""
}

// ToC returns C++ for an asm statement without the ';' after it. The error names the unknown instruction.
func ToC(a *Statement) (string, error) {
	if a.changesNothing() {
		return "((void)0)", nil
	}
	p := ptxParser{asm: a, registers: map[string]*ptxVariable{}}
	if err := p.parse(); err != nil {
		return "", err
	}
	before, after, err := a.bindings()
	if err != nil {
		return "", err
	}
	var body []string
	for _, in := range p.instructions {
		if in.op == "" {
			body = append(body, "__label__ "+in.label+";")
		}
	}
	labels := slices.Clone(body)
	body = append(append(body, before...), p.declarations...)
	carry := false
	for i := range p.instructions {
		in := &p.instructions[i]
		emit := ptxInstructions[in.op]
		if in.isOfHalves() {
			emit = ptxHalf
		}
		if takes, leaves := in.carries(); takes || leaves {
			emit = ptxCarry
			if takes && !carry {
				return "", p.fail(in.text)
			}
			if !carry && len(labels) > 0 {
				return "", p.fail(in.text) // no way leads past a declaration
			}
			if !carry {
				body = append(body, "unsigned smux_carry = 0;")
			}
			carry = true
		}
		code := ""
		switch {
		case in.op == "":
			code = in.label + ":;"
		case in.op == "bra" && slices.Contains(labels, "__label__ "+in.label+";"):
			code = "goto " + in.label + ";"
		case emit != nil:
			code = emit(in)
		}
		if code == "" {
			return "", p.fail(in.text)
		}
		if in.guard != "" {
			code = "if (" + in.guard + ") { " + code + " }"
		}
		body = append(body, code)
	}
	body = append(body, after...)
	if len(body) == 0 {
		return "((void)0)", nil
	}
	return "do { " + strings.Join(body, " ") + " } while (0)", nil
}

// bindings evaluates each operand once before the instructions, and stores the outputs after them.
func (a *Statement) bindings() (before, after []string, err error) {
	for i, o := range a.Operands {
		v := a.variable(i)
		if v.typ.bits == 0 {
			return nil, nil, &ptxError{fmt.Sprintf("operand %q (%s)", o.Constraint, o.Expression)}
		}
		t := v.typ.cpp()
		switch {
		case !o.Output && v.name != "smux_"+strconv.Itoa(i):
			before = append(before, fmt.Sprintf("%s = (%s)(%s);", v.name, t, o.Expression))
		case !o.Output:
			before = append(before, fmt.Sprintf("%s %s = (%s)(%s);", t, v.name, t, o.Expression))
		default:
			target := "smux_o" + strconv.Itoa(i)
			initial := "{}"
			if strings.HasPrefix(o.Constraint, "+") {
				initial = " = (" + t + ")" + target
			}
			before = append(before, fmt.Sprintf("auto &%s = (%s); %s %s%s;", target, o.Expression, t, v.name, initial))
			after = append(after, fmt.Sprintf("%s = (__typeof__(%s))%s;", target, target, v.name))
		}
	}
	return before, after, nil
}

// ptxInstructions are the instructions that are known, by the first word. Each
// returns C++ statements, "" for a form that is not known.
var ptxInstructions = map[string]func(*ptxInstruction) string{
	"mov": ptxMove, "cvt": ptxConvert, "cvta": ptxConvertAddress,
	"add": ptxBinary("+"), "sub": ptxBinary("-"), "div": ptxBinary("/"), "rem": ptxBinary("%"),
	"and": ptxBinary("&"), "or": ptxBinary("|"), "xor": ptxBinary("^"),
	"mul": ptxMultiply, "mad": ptxMultiply, "mul24": ptxMultiply, "mad24": ptxMultiply,
	"fma": ptxFused, "not": ptxUnary("~"), "neg": ptxUnary("-"), "cnot": ptxUnary("!"),
	"abs": ptxAbsolute, "min": ptxExtreme, "max": ptxExtreme, "shl": ptxShift, "shr": ptxShift, "shf": ptxFunnel,
	"popc": ptxCount, "clz": ptxCount, "brev": ptxReverse, "bfe": ptxExtract, "bfi": ptxInsert, "bfind": ptxFind,
	"prmt": ptxPermute, "lop3": ptxLogic, "sad": ptxDifference, "vabsdiff4": ptxBytes, "dp4a": ptxDot,
	"rcp": ptxFloat("1 / %s"), "sqrt": ptxFloat("::sqrt"), "rsqrt": ptxFloat("1 / ::sqrt"),
	"ex2": ptxFloat("::exp2"), "lg2": ptxFloat("::log2"), "sin": ptxFloat("::sin"), "cos": ptxFloat("::cos"), "tanh": ptxFloat("::tanh"),
	"copysign": ptxCopySign, "setp": ptxCompare, "set": ptxCompareInto, "selp": ptxSelect, "slct": ptxSelectBySign,

	"ld": ptxLoad, "ldu": ptxLoad, "st": ptxStore, "atom": ptxAtomic, "red": ptxAtomic,
	"prefetch": ptxNothing, "prefetchu": ptxNothing, "discard": ptxNothing, "applypriority": ptxNothing,
	"cp": ptxCopy, "isspacep": nil,

	"mma": ptxMatrixProduct, "ldmatrix": ptxMatrixPieces, "stmatrix": ptxMatrixPieces, "movmatrix": ptxMatrixTransposed,

	"mbarrier": ptxMbarrier, "bar": ptxBarrier, "barrier": ptxBarrier, "membar": ptxFence, "fence": ptxFence,
	"vote": ptxVote, "shfl": ptxShuffle, "activemask": ptxActive, "match": ptxMatch, "redux": ptxReduce, "elect": ptxElect,
	"nanosleep": ptxYield, "trap": ptxTrap, "brkpt": ptxTrap, "exit": ptxExit, "pmevent": ptxNothing,
	"griddepcontrol": ptxNothing, "setmaxnreg": ptxNothing,
}

// takes reports whether the instruction has n operands that are plain values, the first of them a place to write to.
func (in *ptxInstruction) takes(n int) bool {
	if len(in.operands) != n {
		return false
	}
	for i, o := range in.operands {
		if o.address || len(o.list) > 0 || o.second != nil || (o.variable == nil && !o.sink && (i == 0 || o.value == "")) {
			return false
		}
	}
	return true
}

// typ returns the last type of the instruction's name.
func (in *ptxInstruction) typ() (ptxType, bool) {
	all := in.types()
	if len(all) == 0 {
		return ptxType{}, false
	}
	return all[len(all)-1], true
}

func ptxNothing(*ptxInstruction) string { return "(void)0;" }
