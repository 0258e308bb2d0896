package acc

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// Words of C that C++ has by other names, or not at all, are written as C++ has them before
// anything else is looked at: what is translated is a C program that C++ takes, too.

// namesOfC are words of C11 that C++ has otherwise.
var namesOfC = map[string]string{
	"_Static_assert": "static_assert", "_Noreturn": "__attribute__((noreturn))", "_Alignas": "alignas", "_Alignof": "alignof", "_Thread_local": "thread_local",
}

// wordsOfCPlusPlus are those that a C program may have as names.
var wordsOfCPlusPlus = strings.Fields(`and and_eq bitand bitor catch class compl const_cast constexpr decltype delete dynamic_cast explicit export
	friend mutable namespace new noexcept not not_eq operator or or_eq private protected public reinterpret_cast static_cast template this throw
	try typeid typename using virtual xor xor_eq`)

// onlyInC are words of C11 that C++ has nothing for.
var onlyInC = []string{"_Generic", "_Complex", "_Imaginary", "_Atomic"}

// operatorsByName are those of them that a header of C makes operators.
var operatorsByName = strings.Fields("and and_eq bitand bitor compl not not_eq or or_eq xor xor_eq")

// plain is a program whose file has words that C++ takes, and the messages on it.
func plain(prog *parser.Program, f *parser.File) (*parser.Program, *parser.File, []diag.Message, error) {
	for _, h := range prog.Reach(f)[1:] {
		for _, w := range wordsIn(h, clashing(h)) {
			if w.new != "" && namesOfC[w.old] == "" {
				return nil, nil, nil, refusal(h.Position(w.at), CodeCPlusPlus, fmt.Sprintf("the name %s, which %s, in a file that is included", w.old, w.whose()), "call it otherwise")
			}
		}
	}
	for _, k := range f.Tokens() {
		if w := string(f.Src[k.Start:k.End]); slices.Contains(onlyInC, w) && !f.Macros.Dead(k.Start) {
			return nil, nil, nil, refusal(f.Position(k.Start), CodeCPlusPlus, w+": C++ does not take it", "write it another way")
		}
	}
	var said []diag.Message
	var out bytes.Buffer
	done, told := 0, map[string]bool{}
	clash := clashing(f)
	for _, name := range everywhere {
		clash[name] = true
	}
	words := append(wordsIn(f, clash), answers(f)...)
	slices.SortStableFunc(words, func(a, b rename) int { return cmp.Compare(a.at, b.at) })
	for _, w := range words {
		out.Write(f.Src[done:w.at])
		done = w.at + len(w.old)
		out.WriteString(w.new)
		if w.answer && !told[""] {
			told[""] = true
			said = append(said, diag.Message{Pos: f.Position(w.at), Code: CodeCPlusPlus, Text: "this asks for the language or the compiler: the answer that C has is written here", Help: "nothing needs to be done"})
		}
		if !w.answer && !told[w.old] && w.old != "" && namesOfC[w.old] == "" {
			told[w.old] = true
			said = append(said, diag.Message{Pos: f.Position(w.at), Code: CodeCPlusPlus, Text: fmt.Sprintf("%s %s: it is called %s", w.old, w.whose(), w.new), Help: "nothing needs to be done, where no other file of the program has the name"})
		}
	}
	if out.Len() == 0 {
		return prog, f, nil, nil
	}
	out.Write(f.Src[done:])
	prog, err := prog.Reread(f, out.Bytes())
	if err != nil {
		return nil, nil, nil, err
	}
	return prog, prog.Files[0], said, nil
}

// rename is a word that is written otherwise; without an old one, a blank that is missing.
type rename struct {
	at       int
	old, new string
	answer   bool // to what the text asks for the language
}

// whose says why a word is written otherwise.
func (w rename) whose() string {
	if slices.Contains(wordsOfCPlusPlus, w.old) {
		return "is a word of C++"
	}
	return "means something else to nvcc"
}

// wordsIn are the words of a file that C++ does not take, and names that clash, in their order.
func wordsIn(f *parser.File, clash map[string]bool) (out []rename) {
	src, members := f.Src, membersOf(f)
	byName := bytes.Contains(src, []byte("iso646.h"))
	taken := map[string]bool{}
	for _, w := range identifier.FindAll(src, -1) {
		taken[string(w)] = true
	}
	look := func(toks []parser.Token, inPragma bool) {
		parens := 0
		for n, k := range toks {
			w := string(src[k.Start:k.End])
			switch {
			case w == "(":
				parens++
			case w == ")":
				parens--
			case f.Macros.Dead(k.Start) || inPragma && parens == 0:
			case k.Kind == parser.TokenLiteral && src[k.End-1] == '"':
				if n+1 < len(toks) && toks[n+1].Start == k.End && toks[n+1].Kind == parser.TokenIdent {
					out = append(out, rename{at: k.End, new: " "})
				}
			case k.Kind != parser.TokenIdent || byName && slices.Contains(operatorsByName, w):
			case clash[w] && (members[k.Start] || ofStructure.Match(src[max(0, k.Start-8):k.Start]) || inPragma && ofReduction.Match(src[k.Start:]) && src[toks[n-1].Start] == '('):
			default:
				if new := written(w, clash, taken); new != "" {
					out = append(out, rename{at: k.Start, old: w, new: new})
				}
			}
		}
	}
	look(f.Tokens(), false)
	for _, d := range parser.Directives(src) {
		toks := parser.TokensBetween(src, d[0], d[1])
		if len(toks) < 2 {
			continue
		}
		if word := string(src[toks[1].Start:toks[1].End]); word == "pragma" || word == "define" {
			look(toks, word == "pragma")
		}
	}
	slices.SortStableFunc(out, func(a, b rename) int { return cmp.Compare(a.at, b.at) })
	return out
}

// written returns a word as C++ takes it, "" where it stays as it is.
func written(w string, clash, taken map[string]bool) string {
	if new := namesOfC[w]; new != "" {
		return new
	}
	if !clash[w] && !slices.Contains(wordsOfCPlusPlus, w) {
		return ""
	}
	new := w + "_"
	for taken[new] {
		new += "_"
	}
	return new
}

// nvcc includes CUDA's headers before anything else, and these what g++ has beyond C: a program
// can't give a name of theirs another meaning outside of functions. Those of the variables of a
// thread, and of the type of a launch's grid, are not even free in functions, as kernels and
// launches are written with them.

// everywhere are names that the emitted text has in functions, too.
var everywhere = strings.Fields("threadIdx blockIdx blockDim gridDim warpSize dim3")

// namesOfCUDA are functions and types that nvcc knows without an include, and C does not: those
// of CUDA 11.8 and of the headers of glibc 2.39 that it includes.
var namesOfCUDA = strings.Fields(`all any ballot clock64 double2int double2ll double2uint double2ull fdivide fdividef
	float2double float2int float2uint float_as_int float_as_uint int2double int2float int_as_float ll2double llmax llmin max min
	mul24 mul64hi mulhi norm norm3d norm3df norm4d norm4df normcdf normcdff normcdfinv normcdfinvf normf cospi cospif
	cyl_bessel_i0 cyl_bessel_i0f cyl_bessel_i1 cyl_bessel_i1f erfcinv erfcinvf erfcx erfcxf erfinv erfinvf rcbrt rcbrtf rhypot rhypotf
	rnorm rnorm3d rnorm3df rnorm4d rnorm4df rnormf rsqrt rsqrtf saturate sincospi sincospif sinpi sinpif surface surfaceReference
	syncthreads_and syncthreads_count syncthreads_or texture textureReference uint2double uint2float uint_as_float ull2double
	ullmax ullmin umax umin umul24
	asprintf basename canonicalize canonicalizef dadd daddl ddivl dfmal dmul dmull dsqrtl dsub dsubl exp10 exp10f exp10l fadd faddl
	fdiv fdivl ffma ffmal fmul fmull fsqrt fsqrtl fsub fsubl fmaximum fmaximumf fmaxmag fmaxmagf fminimum fminimumf fminmag fminmagf
	fromfp fromfpf getdate getpt grantpt llogb llogbf memfrob memmem mempcpy memrchr nextdown nextdownf nextup nextupf
	qsort_r rawmemchr roundeven roundevenf secure_getenv setpayload setpayloadf sincos sincosf sincosl strcasestr strchrnul strfry
	strptime strverscmp timex totalorder totalorderf ufromfp ufromfpf vasprintf`)

// vectorTypes are CUDA's, with the functions that make them: float4, make_int2.
var vectorTypes = regexp.MustCompile(`^(?:make_)?(?:(?:u?(?:char|short|int|long|longlong))|float|double)[1-4]$`)

// isOfCUDA reports whether nvcc has another meaning for a name outside of functions.
func isOfCUDA(name string) bool {
	return slices.Contains(namesOfCUDA, name) || slices.Contains(everywhere, name) || vectorTypes.MatchString(name)
}

// clashing are the names that a file declares outside of functions and that nvcc has for something
// else.
func clashing(f *parser.File) map[string]bool {
	out := map[string]bool{}
	f.Root.Walk(func(n *parser.Node) bool {
		switch n.Kind {
		case parser.KindCompoundStatement, parser.KindParameterList, parser.KindInitializerList:
			return false
		case parser.KindIdentifier, parser.KindTypeIdentifier:
			declared := n.Field == parser.FieldDeclarator || n.Field == parser.FieldName
			if name := f.Text(n); declared && isOfCUDA(name) {
				out[name] = true
			}
		}
		return true
	})
	return out
}

// membersOf finds where a file names members of structures that it declares: they are in nobody's
// way.
func membersOf(f *parser.File) map[int]bool {
	out := map[int]bool{}
	for n := range f.Root.All() {
		if n.Kind == parser.KindFieldIdentifier {
			out[int(n.Start)] = true
		}
	}
	return out
}

var (
	ofStructure = regexp.MustCompile(`(?:->|(?:^|[^.])\.)\s*$`) // what stands before a member
	ofReduction = regexp.MustCompile(`^\w+\s*:`)                // an operator and its colon
)
