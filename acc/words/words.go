// Package words finds the words of a C file that C++, or nvcc, reads otherwise, and writes them as C++ has them, with the
// headers in the file that can't be included.
package words

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// OfC are words of C11 that C++ has otherwise.
var OfC = map[string]string{
	"_Static_assert": "static_assert", "_Noreturn": "__attribute__((noreturn))", "_Alignas": "alignas", "_Alignof": "alignof", "_Thread_local": "thread_local",
}

// ofCPlusPlus are those that a C program may have as names.
var ofCPlusPlus = strings.Fields(`and and_eq bitand bitor catch class compl const_cast constexpr decltype delete dynamic_cast explicit export
	friend mutable namespace new noexcept not not_eq operator or or_eq private protected public reinterpret_cast static_cast template this throw
	try typeid typename using virtual xor xor_eq`)

// OnlyInC are words of C11 that C++ has nothing for.
var OnlyInC = []string{"_Generic", "_Complex", "_Imaginary", "_Atomic"}

// operatorsByName are those of them that a header of C makes operators.
var operatorsByName = strings.Fields("and and_eq bitand bitor compl not not_eq or or_eq xor xor_eq")

// Edit is a word that is written otherwise; without an old one, a blank that is missing.
type Edit struct {
	At       int
	Old, New string
	Answer   bool // to what the text asks for the language
}

// Whose says why a word is written otherwise.
func (w Edit) Whose() string {
	if slices.Contains(ofCPlusPlus, w.Old) {
		return "is a word of C++"
	}
	return "means something else to nvcc"
}

// In are the words of a file that C++ does not take, and names that clash, in their order.
func In(f *parser.File, clash map[string]bool) (out []Edit) {
	src := f.Src
	isMember := func(at int) bool { // of a structure, and so in nobody's way
		return f.Root.Any(func(n *parser.Node) bool { return n.Kind == parser.KindFieldIdentifier && int(n.Start) == at })
	}
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
					out = append(out, Edit{At: k.End, New: " "})
				}
			case k.Kind != parser.TokenIdent || byName && slices.Contains(operatorsByName, w):
			case clash[w] && (isMember(k.Start) || ofStructure.Match(src[max(0, k.Start-8):k.Start]) || inPragma && ofReduction.Match(src[k.Start:]) && src[toks[n-1].Start] == '('):
			default:
				if new := written(w, clash, taken); new != "" {
					out = append(out, Edit{At: k.Start, Old: w, New: new})
				}
			}
		}
	}
	look(f.Tokens(), false)
	for word, toks := range directives(src) {
		if word == "pragma" || word == "define" {
			look(toks, word == "pragma")
		}
	}
	slices.SortStableFunc(out, func(a, b Edit) int { return cmp.Compare(a.At, b.At) })
	return out
}

// directives yields the word after # of each line of the preprocessor, with the line's tokens.
func directives(src []byte) iter.Seq2[string, []parser.Token] {
	return func(yield func(string, []parser.Token) bool) {
		for _, d := range parser.Directives(src) {
			if toks := parser.TokensBetween(src, d[0], d[1]); len(toks) > 1 && !yield(string(src[toks[1].Start:toks[1].End]), toks) {
				return
			}
		}
	}
}

// written returns a word as C++ takes it, "" where it stays as it is.
func written(w string, clash, taken map[string]bool) string {
	if new := OfC[w]; new != "" {
		return new
	}
	if !clash[w] && !slices.Contains(ofCPlusPlus, w) {
		return ""
	}
	new := w + "_"
	for taken[new] {
		new += "_"
	}
	return new
}

// nvcc includes CUDA's headers before anything else, and these what g++ has beyond C: a program can't give a name of
// theirs another meaning outside of functions. Those of the variables of a thread, and of the type of a launch's
// grid, are not even free in functions, as kernels and launches are written with them.

// Everywhere are names that the emitted text has in functions, too.
var Everywhere = strings.Fields("threadIdx blockIdx blockDim gridDim warpSize dim3")

// namesOfCUDA are names that nvcc knows without an include, and C does not: of CUDA 11.8 and headers of glibc 2.39.
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

// Clashing are the names that a file declares outside of functions and that nvcc has for something else.
func Clashing(f *parser.File) map[string]bool {
	out := map[string]bool{}
	f.Root.Walk(func(n *parser.Node) bool {
		switch n.Kind {
		case parser.KindCompoundStatement, parser.KindParameterList, parser.KindInitializerList:
			return false
		case parser.KindIdentifier, parser.KindTypeIdentifier:
			declared := n.Field == parser.FieldDeclarator || n.Field == parser.FieldName
			if name := f.Text(n); declared && (slices.Contains(namesOfCUDA, name) || slices.Contains(Everywhere, name) || vectorTypes.MatchString(name)) {
				out[name] = true
			}
		}
		return true
	})
	return out
}

var (
	ofStructure = regexp.MustCompile(`(?:->|(?:^|[^.])\.)\s*$`) // what stands before a member
	ofReduction = regexp.MustCompile(`^\w+\s*:`)                // an operator and its colon
)

var identifier = regexp.MustCompile(`[A-Za-z_]\w*`)

// Conditions of the preprocessor may ask which language, or which compiler, it is. The result is
// C++ for nvcc, and means what the C program means: the answer of C stands in the place of each
// such question. What nobody but a compiler of C++ sees is no part of the program.

// ofLanguage matches macros that g++ or nvcc define and a C compiler does not, or otherwise.
var ofLanguage = regexp.MustCompile(`^(?:__cplusplus|__STDC_VERSION__|__GNUG__|__CUDA\w*|__NVCC\w*|__GXX_\w+|__cpp_\w+|_GNU_SOURCE|__DEPRECATED|__EXCEPTIONS)$`)

// Version is the value of __STDC_VERSION__ in the C of gcc and clang at the time of writing.
const Version = "201710L"

// Linkages are the directives around extern "C" { and its end, by their places: they mean the same in both languages.
func Linkages(src []byte) map[int]bool {
	out := map[int]bool{}
	all := parser.Directives(src)
	begin := -1
	for i, d := range all[:max(0, len(all)-1)] {
		next := all[i+1]
		if Spaceless(src[next[0]:next[1]]) != "#endif" || !slices.Contains([]string{"#ifdef__cplusplus", "#ifdefined(__cplusplus)", "#ifdefined__cplusplus"}, Spaceless(src[d[0]:d[1]])) {
			continue
		}
		switch Spaceless(src[d[1]:next[0]]) {
		case `extern"C"{`:
			begin = d[0]
		case "}":
			if begin >= 0 {
				out[begin], out[d[0]] = true, true
			}
			begin = -1
		}
	}
	return out
}

// Spaceless is a text without blanks and comments.
func Spaceless(src []byte) string {
	var b strings.Builder
	for _, k := range parser.TokensBetween(src, 0, len(src)) {
		b.Write(src[k.Start:k.End])
	}
	return b.String()
}

// Answers are the places where a file asks for the language or the compiler, with what C says.
func Answers(f *parser.File) (out []Edit) {
	src, linkage := f.Src, Linkages(f.Src)
	answer := func(from, to int, new string) {
		out = append(out, Edit{At: from, Old: string(src[from:to]), New: new, Answer: true})
	}
	asks := func(k parser.Token) (string, bool) {
		name := string(src[k.Start:k.End])
		if k.Kind != parser.TokenIdent || !ofLanguage.MatchString(name) {
			return "", false
		}
		if m, ok := f.Macros.Lookup(name, k.Start); ok && m.File != "" {
			return "", false // the program defines it itself
		}
		return name, true
	}
	look := func(toks []parser.Token) {
		for i, k := range toks {
			name, ok := asks(k)
			if !ok {
				continue
			}
			value, isDefined, from, to := "0", "0", k.Start, k.End
			if name == "__STDC_VERSION__" {
				value, isDefined = Version, "1"
			}
			word := func(i int) string {
				if i < 0 || i >= len(toks) {
					return ""
				}
				return string(src[toks[i].Start:toks[i].End])
			}
			switch {
			case word(i-1) == "defined":
				value, from = isDefined, toks[i-1].Start
			case word(i-1) == "(" && word(i-2) == "defined" && word(i+1) == ")":
				value, from, to = isDefined, toks[i-2].Start, toks[i+1].End
			}
			answer(from, to, value)
		}
	}
	look(f.Tokens())
	for word, toks := range directives(src) {
		if len(toks) < 3 || linkage[toks[0].Start] {
			continue
		}
		switch word {
		case "if", "elif":
			look(toks[2:])
		case "define":
			look(toks[3:])
		case "ifdef", "ifndef", "elifdef", "elifndef":
			if name, ok := asks(toks[2]); ok {
				value := 0
				if (name == "__STDC_VERSION__") != strings.HasSuffix(word, "ndef") {
					value = 1
				}
				answer(toks[1].Start, toks[2].End, fmt.Sprintf("%s %d", strings.TrimSuffix(strings.TrimSuffix(word, "def"), "n"), value))
			}
		}
	}
	return out
}

// OldFunction finds where a function's parameters are declared after their parenthesis, -1 for nowhere.
func OldFunction(src []byte) int {
	depth := 0
	for i, c := range src {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		case ')':
			if m := oldParameters.FindIndex(src[i:]); depth == 0 && m != nil {
				return i + 1 + len(src[i+1:]) - len(bytes.TrimLeft(src[i+1:], " \t\r\n"))
			}
		}
	}
	return -1
}

var oldParameters = regexp.MustCompile(`^\)\s*(?:[A-Za-z_][\w \t]*[ \t*]+[\w\s,*\[\]]+;\s*)+\{`)

// JumpedIn is an initialised declaration of a switch with a case after it.
func JumpedIn(body *parser.Node) (found *parser.Node) {
	if body == nil {
		return nil
	}
	for s := body.FirstNamed(); s != nil; s = s.NextNamed() {
		if s.Kind == parser.KindCaseStatement && found != nil {
			return found
		}
		for c := s.FirstNamed(); c != nil && s.Kind == parser.KindCaseStatement; c = c.NextNamed() {
			if Initialises(c) {
				found = c
			}
		}
	}
	return nil
}

// Initialises reports whether a statement is a declaration with a first value.
func Initialises(s *parser.Node) bool {
	for c := s.First; c != nil; c = c.Next {
		if c.Kind == parser.KindInitDeclarator {
			return s.Kind == parser.KindDeclaration
		}
	}
	return false
}

// Blanked returns the text with directives, and what is left out by them, as blanks.
func Blanked(f *parser.File) []byte {
	out := bytes.Clone(f.Src)
	blank := func(start, end int) {
		for i := start; i < end; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	for _, d := range parser.Directives(f.Src) {
		blank(d[0], d[1])
	}
	for i := range out {
		if f.Macros.Dead(i) {
			blank(i, i+1)
		}
	}
	return out
}

// Closing returns the end of the parenthesis that opens at token i, -1 if none does.
func Closing(src []byte, toks []parser.Token, i int) int {
	if i >= len(toks) || src[toks[i].Start] != '(' {
		return -1
	}
	depth := 0
	for ; i < len(toks); i++ {
		switch src[toks[i].Start] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return toks[i].End
			}
		}
	}
	return -1
}
