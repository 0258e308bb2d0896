// Package ptx translates inline PTX to C++ for the CPU, which calls the shim of package verify.
package ptx

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ptxInstruction is one instruction of a template.
type ptxInstruction struct {
	guard    string // C++ condition of "@p" or "@!p", "" for none
	op       string // "bar"; "" for a label
	mods     []string
	operands []ptxOperand
	text     string // as written
	label    string // in C++: of this one, or where bra goes
}

// ptxLabel is "NAME:" in front of an instruction.
var ptxLabel = regexp.MustCompile(`^([A-Za-z_$%][A-Za-z0-9_$%=]*)\s*:(?:[^:]|$)`)

// ptxName returns the C++ name for one of PTX.
func ptxName(prefix, name string) string {
	return prefix + strings.NewReplacer("%", "_", "$", "_", "=", "_").Replace(name)
}

// has reports whether one of the modifiers is the word.
func (in *ptxInstruction) has(mod string) bool {
	return slices.Contains(in.mods, mod)
}

// ptxOperand is a register, an immediate, an address [r+n] or a list {a, b}.
type ptxOperand struct {
	variable *ptxVariable
	value    string // C++ of an immediate or special register, typed by itself
	floats   bool   // the immediate is one of floating point
	negated  bool   // !p
	second   *ptxOperand
	address  bool
	offset   string
	list     []ptxOperand
	sink     bool // "_"
}

// ptxVariable is an operand of the asm statement or a .reg, in C++.
type ptxVariable struct {
	name string // in C++
	typ  ptxType
}

// ptxParser reads a template. Names of registers are looked up as they are
// declared; blocks in braces are not distinguished, as nobody reuses names.
type ptxParser struct {
	asm          *Statement
	rest         string
	registers    map[string]*ptxVariable
	declarations []string // of registers, C++
	instructions []ptxInstruction
}

type ptxError struct{ text string }

func (e *ptxError) Error() string { return e.text }

func (p *ptxParser) fail(text string) error {
	return &ptxError{strings.Join(strings.Fields(text), " ")}
}

// parse reads all instructions.
func (p *ptxParser) parse() error {
	p.rest = stripPTXComments(p.asm.Template)
	for {
		p.rest = strings.TrimLeft(p.rest, " \t\r\n;{}")
		if p.rest == "" {
			return nil
		}
		if m := ptxLabel.FindStringSubmatch(p.rest); m != nil {
			p.instructions = append(p.instructions, ptxInstruction{text: m[1], label: ptxName("smux_l_", m[1])})
			p.rest = p.rest[strings.IndexByte(p.rest, ':')+1:]
			continue
		}
		// A ';' ends an instruction, and the last one may lack it.
		text := p.rest
		if k := strings.IndexByte(text, ';'); k >= 0 {
			text = text[:k]
		}
		p.rest = p.rest[len(text):]
		text = strings.TrimSpace(text)
		if strings.HasPrefix(text, ".pragma ") {
			continue // to the compiler
		}
		var err error
		if rest, ok := strings.CutPrefix(text, ".reg"); ok {
			err = p.registerDeclaration(rest)
		} else {
			err = p.instruction(text)
		}
		if err != nil {
			return err
		}
	}
}

func stripPTXComments(s string) string {
	var out strings.Builder
	for {
		k := strings.Index(s, "/")
		switch {
		case k < 0:
			out.WriteString(s)
			return out.String()
		case strings.HasPrefix(s[k:], "//"):
			out.WriteString(s[:k])
			e := strings.IndexByte(s[k:], '\n')
			if e < 0 {
				return out.String()
			}
			s = s[k+e:]
		case strings.HasPrefix(s[k:], "/*") && strings.Contains(s[k+2:], "*/"):
			out.WriteString(s[:k] + " ")
			s = s[k+2+strings.Index(s[k+2:], "*/")+2:]
		default:
			out.WriteString(s[:k+1])
			s = s[k+1:]
		}
	}
}

// registerDeclaration reads what follows ".reg": .u32 a, b or .pred p or .b32 r<4>.
func (p *ptxParser) registerDeclaration(text string) error {
	fields := strings.Fields(strings.ReplaceAll(text, ",", " "))
	if len(fields) < 2 {
		return p.fail(".reg " + text)
	}
	typ, ok := ptxTypes[strings.TrimPrefix(fields[0], ".")]
	if !ok {
		return p.fail(".reg " + text)
	}
	for _, name := range fields[1:] {
		base, count := name, 0
		if k := strings.IndexByte(name, '<'); k > 0 && strings.HasSuffix(name, ">") {
			n, err := strconv.Atoi(name[k+1 : len(name)-1])
			if err != nil || n < 1 || n > 256 {
				return p.fail(".reg " + text)
			}
			base, count = name[:k], n
		}
		if !isPTXName(base) {
			return p.fail(".reg " + text)
		}
		if count == 0 {
			p.register(base, typ)
		}
		for i := range count {
			p.register(base+strconv.Itoa(i), typ)
		}
	}
	return nil
}

func (p *ptxParser) register(name string, typ ptxType) {
	v := &ptxVariable{name: ptxName("smux_r_", name), typ: typ.register()}
	p.registers[name] = v
	p.declarations = append(p.declarations, v.typ.cpp()+" "+v.name+"{};")
}

// instruction reads "[@[!]p] op.mod.mod a, b, c".
func (p *ptxParser) instruction(text string) error {
	in := ptxInstruction{text: strings.Join(strings.Fields(text), " ")}
	if rest, ok := strings.CutPrefix(text, "@"); ok {
		k := strings.IndexAny(rest, " \t\n")
		if k < 0 {
			return p.fail(in.text)
		}
		name, negated := strings.CutPrefix(rest[:k], "!")
		guard, err := p.operand(name)
		if err != nil || guard.variable == nil {
			return p.fail(in.text)
		}
		in.guard = guard.variable.name
		if negated {
			in.guard = "!" + in.guard
		}
		text = strings.TrimSpace(rest[k:])
	}
	word := text
	if k := strings.IndexAny(text, " \t\n[%{"); k >= 0 {
		word = text[:k]
	}
	if word == "" {
		return p.fail(in.text)
	}
	parts := strings.Split(strings.ReplaceAll(word, "::", "_"), ".")
	in.op, in.mods = parts[0], parts[1:]
	if in.op == "bra" {
		in.label = ptxName("smux_l_", strings.TrimSpace(text[len(word):]))
		p.instructions = append(p.instructions, in)
		return nil
	}
	for _, o := range splitPTX(text[len(word):]) {
		operand, err := p.operand(o)
		if err != nil {
			return p.fail(in.text)
		}
		in.operands = append(in.operands, operand)
	}
	p.instructions = append(p.instructions, in)
	return nil
}
