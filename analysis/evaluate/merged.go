package evaluate

import (
	"bytes"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/hostcode"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/hardware"
)

// MergedCall returns the call that a block of a merged launch is made by: smux::merge in
// smux_launch.block, or smux::block; nil where an expression is neither. launch is the part that
// a call of smux::sets or smux::resident leaves as it is.
func MergedCall(e *ir.Expr) *ir.Expr {
	if e.Op == ir.OpCall && e.Qual == "smux" && RuntimeName(e) == "block" {
		return e
	}
	for e = RuntimeCall(e); e != nil && e.Op == ir.OpCall && e.Qual == "smux"; {
		args := e.Args()
		switch name := RuntimeName(e); {
		case name == "merge" || name == "try_merge":
			return e
		case name == "sets" && len(args) == 2:
			e = args[0]
		case name == "resident" && len(args) >= 2:
			e = args[1]
		default:
			return nil
		}
	}
	return nil
}

// RuntimeCall returns the call of smux's runtime of which an expression is the block, as smux_launch.block; nil for any other.
func RuntimeCall(e *ir.Expr) *ir.Expr {
	if e.Op != ir.OpMember || RuntimeName(e) != "block" || e.Arrow {
		return nil
	}
	e = e.Kids[0]
	if v := e.Var; e.Op == ir.OpIdent && v != nil && v.Init != nil && v.Type.Const && !v.Static && v.Kind == ir.VarLocal {
		e = v.Init
	}
	if e.Op != ir.OpCall || e.Qual != "smux" {
		return nil
	}
	return e
}

// RuntimeName is a name of smux's runtime, which has a prefix where a macro has the name itself.
func RuntimeName(e *ir.Expr) string { return strings.TrimPrefix(e.Name, "smux_") }

// Stacked returns the number of original thread blocks in one of an instance whose launch an earlier
// rewrite merged, 1 for any other and if unknown.
func Stacked(k *analysis.Kernel, in *analysis.Instance) int {
	if in == nil || in.Launch == nil {
		return 1
	}
	e, host := hostcode.Expr(in.Launch, k.Prog)
	if e == nil || len(e.Kids) < 2 {
		return 1
	}
	call := MergedCall(e.Kids[1])
	if call == nil || len(call.TArgs) == 0 {
		return 1
	}
	f := NewEvaluator(k.Prog, analysis.Shape{}).NewFrame(host)
	if n := f.Eval(call.TArgs[0]); n.Uniform() && n.S > 0 && f.hasRuntime() {
		return int(n.S)
	}
	return 1
}

// MergedBlock is the block that a call takes which MergedCall returns.
func MergedBlock(call *ir.Expr) *ir.Expr {
	i, known := map[string]int{"block": 0, "merge": 1, "try_merge": 2}[RuntimeName(call)]
	if args := call.Args(); known && i < len(args) {
		return args[i]
	}
	return nil
}

// mergedExtents folds the block of a launch that an earlier rewrite merged:
// smux::merge<N, X, Y, Z>(g, b) stacks N blocks along z, and stops the program where b
// is not of the shape that it names. What smux::try_merge makes is not known.
func (f *Frame) mergedExtents(e, at *ir.Expr) ([3]int, bool) {
	none := [3]int{1, 1, 1}
	call := MergedCall(e)
	if call == nil || RuntimeName(call) == "try_merge" || len(call.TArgs) == 0 || len(call.TArgs) > 5 || !f.hasRuntime() {
		return none, false
	}
	if block := MergedBlock(call); block == nil || RuntimeName(call) == "block" && len(call.Args()) != 1 {
		return none, false
	}
	numbers := [4]int{0, 0, 1, 1}
	for i, t := range call.TArgs[:min(4, len(call.TArgs))] {
		v := f.Eval(t)
		if !v.Uniform() || v.S < 0 || v.S > hardware.MaxThreadsPerBlock {
			return none, false
		}
		numbers[i] = int(v.S)
	}
	shape := [3]int{numbers[1], numbers[2], numbers[3]}
	if numbers[1] == 0 {
		var ok bool
		if shape, ok = f.Extents(MergedBlock(call), at); !ok {
			return none, false
		}
	}
	shape[2] *= numbers[0]
	return shape, numbers[0] > 0
}

// hasRuntime reports whether smux's device runtime is in view: then smux::merge is its function and no other.
func (f *Frame) hasRuntime() bool {
	for _, file := range append(f.Ev.Prog.Parsed.Reach(f.Fn.File), f.Fn.File) {
		if bytes.Contains(file.Src, []byte("#ifndef SMUX_CUH")) || bytes.Contains(file.Src, []byte(`#include "smux.cuh"`)) {
			return true
		}
	}
	return false
}
