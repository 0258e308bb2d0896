package named

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// VariableName names a variable of a function in reach, for a person and for Variable: "sum" where only one variable
// of these functions is called so, else "sum@41" with the line it is declared in, or "sum@helpers.cuh:41" where that
// is a line of another file than the kernel's.
func VariableName(k *analysis.Kernel, fn *ir.Func, v *ir.Var) string {
	same := 0
	count := func(_ *ir.Func, o *ir.Var) {
		if o.Name == v.Name {
			same++
		}
	}
	eachVariable(k, variablesOf, count)
	if v.Kind == ir.VarParam {
		eachVariable(k, parametersOf, count)
	}
	if same == 1 {
		return v.Name
	}
	return v.Name + "@" + lineName(k, fn.File, v.Range.Start)
}

// Variable returns the variable that VariableName gives a name, ok false where there is none or more than one. A
// parameter has a name, too, where no variable in a body has that name.
func Variable(k *analysis.Kernel, name string) (fn *ir.Func, v *ir.Var, ok bool) {
	word, _, placed := strings.Cut(name, "@")
	n := 0
	match := func(f *ir.Func, o *ir.Var) {
		if o.Name == word && (!placed || word+"@"+lineName(k, f.File, o.Range.Start) == name) {
			fn, v = f, o
			n++
		}
	}
	eachVariable(k, variablesOf, match)
	if n == 0 {
		eachVariable(k, parametersOf, match)
	}
	return fn, v, n == 1
}

// eachVariable calls f for the variables in the bodies of the kernel and the functions that it reaches, or for
// their parameters.
func eachVariable(k *analysis.Kernel, of func(*ir.Func) []*ir.Var, f func(*ir.Func, *ir.Var)) {
	for _, fn := range k.Functions {
		for _, v := range of(fn) {
			f(fn, v)
		}
	}
}

func variablesOf(fn *ir.Func) []*ir.Var { return fn.Vars }

func parametersOf(fn *ir.Func) []*ir.Var { return fn.Params }

// LoopName names a loop of a function in reach, for a person and for Loop: "57", the line that it begins in; "57.2"
// for the second one that begins there; "helpers.cuh:57" in another file than the kernel's.
func LoopName(k *analysis.Kernel, fn *ir.Func, loop *ir.Stmt) string {
	name, nth := lineName(k, fn.File, loop.Range.Start), 0
	for _, f := range k.Functions {
		for s := range f.Body.All() {
			if s.IsLoop() && lineName(k, f.File, s.Range.Start) == name && s.Range.Start <= loop.Range.Start {
				nth++
			}
		}
	}
	if nth > 1 {
		return fmt.Sprintf("%s.%d", name, nth)
	}
	return name
}

// Loop returns the loop that LoopName gives a name.
func Loop(k *analysis.Kernel, name string) (fn *ir.Func, loop *ir.Stmt, ok bool) {
	for _, f := range k.Functions {
		f.Body.Walk(func(s *ir.Stmt) bool {
			if !ok && s.IsLoop() && LoopName(k, f, s) == name {
				fn, loop, ok = f, s, true
			}
			return !ok
		})
	}
	return fn, loop, ok
}

// lineName is the line of an offset, with the file's name where it is not the kernel's.
func lineName(k *analysis.Kernel, f *parser.File, at int) string {
	line := strconv.Itoa(f.Position(at).Line)
	if f != k.File {
		return filepath.Base(f.Name) + ":" + line
	}
	return line
}
