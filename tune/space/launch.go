package space

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/named"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/replay"
)

const launchMark = "\n// smux: the launch that is measured.\n"

// Relaunched is a program with a function at the end of a unit that makes one launch more, with the numbers of a run. A form
// changes that launch as all others, so its own text says what to launch in the place of the original.
type Relaunched struct {
	Program *parser.Program
	Unit    string // the name of the .cu file with the function
}

// Relaunch writes the function for a kernel of a program. The error says why there can't be one.
func Relaunch(prog *parser.Program, k *analysis.Kernel, l replay.Launch) (*Relaunched, error) {
	if slices.ContainsFunc(k.View.Params, func(p parser.Param) bool { return p.Variadic }) {
		return nil, errors.New("the kernel has a pack of parameters")
	}
	for _, f := range prog.Files {
		if n := deviceVariable(f, f.Root); n != nil {
			return nil, fmt.Errorf("%s: the memory of this variable is not compared, and a library has it a second time", f.Position(int(n.Start)))
		}
	}
	unit := unitOf(prog, k)
	if unit == nil {
		return nil, errors.New("no .cu file has both the kernel and a launch of it")
	}
	for _, f := range prog.Reach(unit) {
		if at := constructed(f); at != nil {
			return nil, fmt.Errorf("%s: loading a form would construct this variable once more", f.Position(int(at.Start)))
		}
	}
	var args []string
	for i := range k.View.Params {
		args = append(args, fmt.Sprintf("smux_argument{arguments[%d]}", i))
	}
	set := ""
	for _, v := range constants(k) {
		set += fmt.Sprintf("        if (void *from = smux_replay_variable(%q)) cudaMemcpyToSymbolAsync(%s, from, sizeof(%s), 0, cudaMemcpyDefault, stream);\n", v.Name, v.Name, v.Name)
	}
	if set != "" {
		set = "    static bool set = false;\n    if (!set) {\n" + set + "        set = true;\n    }\n"
	}
	if l.Shared > hardware.SharedPerBlock { // a library's kernel has to be allowed it once more
		set += fmt.Sprintf("    cudaFuncSetAttribute(%s, cudaFuncAttributeMaxDynamicSharedMemorySize, %d);\n", l.Kernel, l.Shared)
	}
	text := string(unit.Src) + launchMark +
		"struct smux_argument {\n    void *at;\n#ifdef SMUX_CPU\n    template <class T> operator T &() const { return smux_cpu::parameter<T>(at); }\n#else\n    template <class T> operator T &() const { return *(T *)at; }\n#endif\n};\n" +
		"extern \"C\" void *smux_replay_variable(const char *name);\n" +
		fmt.Sprintf("extern \"C\" int %s(void **arguments, cudaStream_t stream)\n{\n%s    cudaGetLastError();\n    %s<<<dim3(%d, %d, %d), dim3(%d, %d, %d), %d, stream>>>(%s);\n    return cudaGetLastError();\n}\n",
			replay.Function, set, l.Kernel, l.Grid[0], l.Grid[1], l.Grid[2], l.Block[0], l.Block[1], l.Block[2], l.Shared, strings.Join(args, ", "))
	after, err := prog.WithTexts(map[string][]byte{unit.Name: []byte(text)})
	if err != nil {
		return nil, fmt.Errorf("reading the program with its launch: %w", err)
	}
	return &Relaunched{after, unit.Name}, nil
}

// deviceVariable returns a declaration of a variable of the device that may change, nil for none in a file.
func deviceVariable(f *parser.File, n *parser.Node) *parser.Node {
	from := int(n.Start)
	if n == f.Root {
		from = 0 // the first qualifiers are blank to the grammar
	}
	for k := n.First; k != nil; k = k.Next {
		switch k.Kind {
		case parser.KindFunctionDefinition:
		case parser.KindDeclaration, parser.KindFieldDeclaration:
			var quals parser.Qualifiers
			for _, m := range f.MarksBetween(from, int(k.End)) {
				quals |= m.Quals
			}
			has := func(kind parser.Kind, text string) bool {
				return k.Any(func(n *parser.Node) bool { return n.Kind == kind && (text == "" || f.Text(n) == text) })
			}
			fixed := quals&(parser.QualShared|parser.QualConstant|parser.QualConstexpr) != 0 || has(parser.KindTypeQualifier, "const") && !has(parser.KindPointerDeclarator, "")
			if quals&(parser.QualDevice|parser.QualManaged) != 0 && !fixed && !has(parser.KindFunctionDeclarator, "") {
				return k
			}
		default:
			if found := deviceVariable(f, k); found != nil {
				return found
			}
		}
		from = int(k.End)
	}
	return nil
}

// constants returns the constant memory that a kernel reaches and a library takes from the program, by the variables' names.
// Other constant memory that the program has set shows where the original is launched again.
func constants(k *analysis.Kernel) (out []*ir.Var) {
	for _, fn := range k.Functions {
		for e := range fn.Body.AllExprs() {
			v := e.Var
			if v == nil && e.Op == ir.OpIdent {
				v = k.GlobalVar(fn, e.Name)
			}
			if v == nil || v.Kind != ir.VarConstant || slices.Contains(out, v) {
				continue
			}
			local := v.Type.Const || v.Static || named.NamespaceAround(v.File, v.Range.Start) != nil // or its symbol has another name
			if !local && !v.Extern && !v.Redeclared && !v.Macro {
				out = append(out, v)
			}
		}
	}
	return out
}

// unitOf returns the .cu file at whose end a kernel can be launched, nil where there is none.
func unitOf(prog *parser.Program, k *analysis.Kernel) *parser.File {
	for _, f := range prog.Files {
		if filepath.Ext(f.Name) != ".cu" || len(prog.Including(f)) > 0 || !slices.Contains(prog.Reach(f), k.File) {
			continue
		}
		if f == k.File || slices.ContainsFunc(k.Launches, func(l *analysis.Launch) bool { return slices.Contains(prog.Reach(f), l.File) }) {
			return f
		}
	}
	return nil
}

// constructed returns a variable outside of functions whose initialiser or destructor may run code, nil for none.
func constructed(f *parser.File) (found *parser.Node) {
	f.Root.Walk(func(n *parser.Node) bool {
		switch n.Kind {
		case parser.KindFunctionDefinition, parser.KindTemplateDeclaration:
			return false
		case parser.KindDeclaration:
			if mayConstruct(f, n) {
				found = n
			}
			return false
		case parser.KindError:
			found = n
		}
		return found == nil
	})
	return found
}

// plain matches types that construct nothing, beside the language's own.
var plain = regexp.MustCompile(`^(std::)?(size_t|u?int(8|16|32|64)_t|(u?(char|short|int|long|longlong)|float|double)[1-4]|cuda(Error|Event|Stream)_t)$`)

func mayConstruct(f *parser.File, n *parser.Node) bool {
	t := n.Child(parser.FieldType)
	class := t != nil && t.Kind != parser.KindPrimitiveType && t.Kind != parser.KindSizedTypeSpecifier && !plain.MatchString(f.Text(t))
	for c := n.FirstNamed(); c != nil; c = c.NextNamed() {
		d := c
		switch {
		case c.Kind == parser.KindStorageClassSpecifier && f.Text(c) == "extern":
			return false
		case c.Kind == parser.KindInitDeclarator:
			calls := func(n *parser.Node) bool {
				return n.Kind == parser.KindCallExpression || n.Kind == parser.KindNewExpression
			}
			if d = c.Child(parser.FieldDeclarator); c.Any(calls) {
				return true
			}
		}
		if class && d != nil && (d.Kind == parser.KindIdentifier || d.Kind == parser.KindQualifiedIdentifier || d.Kind == parser.KindArrayDeclarator) {
			return true
		}
	}
	return false
}

// Form returns the program's texts in a form, which is want without the function. The error is a *record.Failure where the
// function changes what becomes of anything else: what would be measured is not what is written then.
func (r *Relaunched) Form(in Input, c record.TunedVariant, want map[string][]byte) (map[string][]byte, error) {
	result, err := Emit(in, c)
	if err != nil {
		return nil, err
	}
	texts := result.Texts(r.Program)
	for name, text := range texts {
		if name == r.Unit {
			text, _, _ = bytes.Cut(text, []byte(launchMark))
		}
		if !bytes.Equal(text, want[name]) {
			return nil, unavailable("with the launch that is measured at its end %s is rewritten in another way", name)
		}
	}
	return texts, nil
}
