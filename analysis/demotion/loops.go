package demotion

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/named"
	"github.com/smux-cuda/smux/parser"
)

// findLoops lists the loops whose unroll factor can be chosen.
func (c *Candidates) findLoops(k *analysis.Kernel, in *analysis.Instance) {
	for _, fn := range k.Functions {
		eachLoop(fn.Body, 0, func(loop *ir.Stmt, depth int) {
			if NotUnrolled(k, fn, loop) == "" {
				l := LoopOf(k, fn, loop, in)
				l.Depth = depth
				c.Loops = append(c.Loops, l)
			}
		})
	}
}

// LoopOf describes a loop, but for the loops around it; in gives constants, nil for the first instance in view.
func LoopOf(k *analysis.Kernel, fn *ir.Func, loop *ir.Stmt, in *analysis.Instance) Loop {
	l := Loop{Name: named.LoopName(k, fn, loop), Func: fn, Stmt: loop, Factor: unrollFactor(fn.File, loop)}
	if instance := instanceOf(k, in); instance != nil && loop.Op == ir.StmtFor {
		if trips, ok := footprint.Trips(k, instance, fn, loop); ok && same(trips) {
			l.Trips = trips[0]
		}
	}
	return l
}

// instanceOf is the instance to ask for constants: the first in view where none is given.
func instanceOf(k *analysis.Kernel, in *analysis.Instance) *analysis.Instance {
	if in == nil && len(k.Instances) > 0 {
		return k.Instances[0]
	}
	return in
}

func same(numbers []int64) bool {
	return !slices.ContainsFunc(numbers, func(n int64) bool { return n != numbers[0] })
}

// eachLoop calls f for the loops of a statement with the number of loops around each.
func eachLoop(s *ir.Stmt, depth int, f func(loop *ir.Stmt, depth int)) {
	if s == nil {
		return
	}
	if s.IsLoop() {
		f(s, depth)
		depth++
	}
	for _, c := range s.Children() {
		eachLoop(c, depth, f)
	}
}

// NotUnrolled reports why the unroll factor of a loop can't be chosen, "" where it can.
func NotUnrolled(k *analysis.Kernel, fn *ir.Func, loop *ir.Stmt) string {
	switch {
	case loop.Macro:
		return "the loop is written in a macro"
	case len(fn.Problems) > 0 || fn.View.Error != nil:
		return "the loop is in a function that smux can't parse"
	}
	if why := notAlone(k, fn); why != "" {
		return "the loop is in " + why
	}
	pragmas, outside := pragmasOf(fn.File, loop)
	switch {
	case outside:
		return "a #pragma about unrolling may stand before the loop: under an #if, or in a macro"
	case len(pragmas) > 1:
		return "several pragmas about unrolling stand before the loop"
	case len(pragmas) == 1 && pragmas[0].broken:
		return "the #pragma before the loop goes on in the next line"
	case len(pragmas) == 0 && strings.Contains(string(fn.File.Src[loop.Outer.Start:loop.Range.Start]), "unroll"):
		return "something stands between the loop and its #pragma"
	}
	return ""
}

// notAlone reports why a function is not to be changed for a kernel, "" where it can be.
func notAlone(k *analysis.Kernel, fn *ir.Func) string {
	switch {
	case fn == k.Func:
		return ""
	case fn.File != k.File:
		return "another file than the kernel's"
	case fn.View.Quals&parser.QualHost != 0 || fn.View.Quals&parser.QualDevice == 0:
		return "a function that is compiled for the host, too"
	case fn.View.Quals&parser.QualConstexpr != 0:
		return "a constexpr function"
	case !k.Alone(fn):
		return "a function that other kernels use, too"
	}
	return ""
}

var (
	unrollPragma = regexp.MustCompile(`^\s*#\s*pragma\s+(GCC\s+)?(no_?)?unroll(_completely)?\b`)
	// firstWord matches the name that a line begins with.
	firstWord = regexp.MustCompile(`^\w+`)
	// pragmaNumber matches the number after "unroll", in parentheses or not.
	pragmaNumber = regexp.MustCompile(`unroll\s*\(?\s*([0-9]+)\s*\)?\s*$`)
)

// pragma is one line about unrolling, without the comment after it.
type pragma struct {
	start, end int
	broken     bool // it goes on in the next line
}

// pragmasOf are the lines about unrolling that belong to a loop. outside reports
// that there may be such among the directives before them, or in a macro, which may belong to it.
func pragmasOf(f *parser.File, loop *ir.Stmt) (pragmas []pragma, outside bool) {
	at := loop.Range.Start
	for at > 0 && f.Src[at-1] != '\n' {
		at--
	}
	if strings.TrimSpace(string(f.Src[at:loop.Range.Start])) != "" {
		return nil, false // something else stands before it on its line
	}
	conditional := false
	for at > 0 {
		end := at - 1 // of the line before, without its line break
		start := end
		for start > 0 && f.Src[start-1] != '\n' {
			start--
		}
		line := strings.TrimRight(string(f.Src[start:end]), "\r")
		code := strings.TrimSpace(withoutComment(line))
		switch {
		case unrollPragma.MatchString(line) && conditional:
			return pragmas, true
		case unrollPragma.MatchString(line):
			text := strings.TrimRight(withoutComment(line), " \t")
			first := start + len(text) - len(strings.TrimLeft(text, " \t"))
			pragmas = append(pragmas, pragma{first, start + len(text), strings.HasSuffix(text, "\\")})
		case strings.HasPrefix(code, "#pragma") || code == "":
		case strings.HasPrefix(code, "#"):
			conditional = true
		default:
			_, macro := f.Macros.Lookup(firstWord.FindString(code), start)
			return pragmas, macro && !strings.HasSuffix(code, ";")
		}
		at = start
	}
	return pragmas, false
}

// withoutComment cuts off the comment that a line ends with.
func withoutComment(line string) string {
	if i := strings.Index(line, "//"); i >= 0 {
		line = line[:i]
	}
	if i := strings.Index(line, "/*"); i >= 0 {
		line = line[:i]
	}
	return line
}

// UnrollPragma returns where the line about unrolling stands that belongs to a loop, the comment after it left out.
func UnrollPragma(f *parser.File, loop *ir.Stmt) (start, end int, ok bool) {
	pragmas, _ := pragmasOf(f, loop)
	if len(pragmas) != 1 {
		return 0, 0, false
	}
	return pragmas[0].start, pragmas[0].end, true
}

// unrollFactor is that of a loop's pragma: 0 for none, -1 for one without a
// number or with one that is not a plain number.
func unrollFactor(f *parser.File, loop *ir.Stmt) int {
	start, end, ok := UnrollPragma(f, loop)
	if !ok {
		return 0
	}
	text := string(f.Src[start:end])
	if strings.Contains(text, "nounroll") || strings.Contains(text, "no_unroll") {
		return 1
	}
	if m := pragmaNumber.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			return n
		}
	}
	return -1
}
