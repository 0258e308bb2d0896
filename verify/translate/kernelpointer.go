package translate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// kernelCalls take a kernel as a pointer without a type. The shim's functions
// of these names take any type, and know the kernel's parameters by it.
var kernelCalls = map[string]bool{
	"cudaLaunchKernel": true, "cudaLaunchKernel_ptsz": true, "cudaLaunchCooperativeKernel": true,
	"cudaFuncSetAttribute": true, "cudaFuncSetCacheConfig": true, "cudaFuncSetSharedMemConfig": true, "cudaFuncGetAttributes": true,
	"cudaOccupancyMaxActiveBlocksPerMultiprocessor": true, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": true,
	"cudaOccupancyMaxPotentialBlockSize": true, "cudaOccupancyMaxPotentialBlockSizeWithFlags": true,
	"cudaOccupancyMaxPotentialBlockSizeVariableSMem": true, "cudaOccupancyAvailableDynamicSMemPerBlock": true,
}

// kernelPointers keeps the type of kernels that are cast to void *: among the arguments of such a call the cast goes;
// elsewhere, where a kernel of this program is named, the shim registers it.
func (t *text) kernelPointers(s *stretch) {
	inCall := -1 // the token that closes the call's arguments
	for i := 0; i < len(s.toks); i++ {
		if s.isIdent(i) && kernelCalls[s.text(i)] && s.punct(i+1) == '(' {
			inCall = max(inCall, s.closing(i+1))
		}
		operand, ok := s.castToVoid(i)
		if !ok {
			continue
		}
		start, end := s.toks[i].Start, s.toks[operand].Start
		if s.punct(i) != '(' {
			end = s.toks[operand-1].Start // reinterpret_cast<void *>(k) keeps its parentheses
		}
		if i < inCall {
			t.replace(start, end, blank(s.src[start:end]))
			i = operand - 1
			continue
		}
		first := operand
		if s.punct(first) == '&' || s.punct(first) == '(' {
			first++
		}
		last := s.nameEnd(first)
		if last < 0 || !t.kernels[s.text(s.lastName(first, last))] || s.punct(last+1) == '(' || s.punct(last+1) == '<' {
			continue
		}
		t.insert(s.toks[first].Start, "::smux_cpu::kernel_pointer(")
		t.insert(s.toks[last].End, ", "+s.literal(first, last)+")")
		if s.punct(operand) == '&' {
			t.replace(s.toks[operand].Start, s.toks[operand].End, " ")
		}
	}
}

// castToVoid reports whether (void *), (const void *) or a named cast to these
// begins at token i, and where what is cast begins.
func (s *stretch) castToVoid(i int) (operand int, ok bool) {
	k, end := i+1, byte(')')
	switch {
	case s.punct(i) == '(':
		if s.isIdent(i-1) && !keywordBefore[s.text(i-1)] {
			return 0, false // f(void *p)
		}
	case s.is(i, "reinterpret_cast") && s.punct(i+1) == '<', s.is(i, "static_cast") && s.punct(i+1) == '<':
		k, end = i+2, '>'
	default:
		return 0, false
	}
	if s.is(k, "const") {
		k++
	}
	if !s.is(k, "void") {
		return 0, false
	}
	k++
	if s.is(k, "const") {
		k++
	}
	if s.punct(k) != '*' || s.punct(k+1) != end {
		return 0, false
	}
	k += 2
	if end == '>' {
		if s.punct(k) != '(' {
			return 0, false
		}
		k++
	}
	if !s.isIdent(k) && s.punct(k) != '&' && s.punct(k) != '(' && s.punct(k) != ':' {
		return 0, false
	}
	return k, true
}

// nameEnd returns the last token of the qualified name at token i, with its template arguments; -1 for none.
func (s *stretch) nameEnd(i int) int {
	if s.scope(i) {
		i += 2
	}
	for s.isIdent(i) {
		if s.punct(i+1) == '<' {
			if e := s.closingAngle(i + 1); e > 0 {
				i = e
			}
		}
		if !s.scope(i+1) || !s.isIdent(i+3) {
			return i
		}
		i += 3
	}
	return -1
}

// lastName returns the last identifier of a name outside of template arguments.
func (s *stretch) lastName(first, last int) (name int) {
	name = first
	for i := first; i <= last; i++ {
		if s.isIdent(i) {
			name = i
		}
		if s.punct(i) == '<' {
			break
		}
	}
	return name
}

// kernelNames returns the names of the kernels in view, and of those that have a parameter that is a reference.
func kernelNames(files []*parser.File) (all, referring map[string]bool) {
	all, referring = map[string]bool{}, map[string]bool{}
	for _, f := range files {
		for _, fn := range f.Functions {
			if fn.IsKernel() {
				all[fn.Name] = true
				referring[fn.Name] = referring[fn.Name] || slices.ContainsFunc(fn.Params, func(p parser.Param) bool {
					declared, _, _ := strings.Cut(f.Text(p.Node), "=")
					return strings.Contains(declared, "&")
				})
			}
		}
		for _, l := range f.Lost {
			all[l.Name] = true
		}
	}
	return all, referring
}

var conditions = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*(if|endif)`)

// IsConditional reports whether a function stands between #if and #endif: only the compiler knows whether the program has it.
func IsConditional(f *parser.File, fn *parser.Function) bool {
	depth := 0
	for _, m := range conditions.FindAllSubmatch(f.Src[:fn.Start], -1) {
		if depth++; string(m[1]) == "endif" {
			depth -= 2
		}
	}
	return depth > 0
}

// tellConditional tells the run-time of the kernels that were compiled although they need not be, by
//
//	static const ::smux_cpu::compiled_kernel smux_c1_k("k");
//
// after each: the others are no kernels of the program.
func tellConditional(t *text) {
	for _, fn := range t.file.Functions {
		if fn.IsKernel() && fn.Body != nil && t.scopeAt(fn.Start) == namespaceScope && IsConditional(t.file, fn) {
			t.numbers++
			t.insert(int(fn.Body.End), fmt.Sprintf(" static const ::smux_cpu::compiled_kernel smux_c%d_%s(%[2]q);", t.numbers, fn.Name))
		}
	}
}
