package cost

import (
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/workload"
)

// Costs of matrix fragments (wmma), which all lanes of a warp hold together; seen for 16x16 elements of 16 bits.
const (
	costMatrixShared = 4 // load or store, with addresses
	costMatrixGlobal = 8
)

// matrix computes a function of wmma; ok is false for what is none.
func (f *frame) matrix(e *ir.Expr) (ok bool) {
	args, known := e.Args(), intrinsic.Of(e.Name)
	if known.Kind == intrinsic.Matrix && f.x.noting() {
		defer f.fragments(known.Op, args)
	}
	switch {
	case known.Kind != intrinsic.Matrix:
		return false
	case known.Op == "multiply" && len(args) == 4:
		f.x.issue(known.Cost.Single)
	case known.Op == "load" && len(args) >= 3:
		f.matrixAccess(args[0], f.eval(args[1]), true)
	case known.Op == "store" && len(args) >= 3:
		f.matrixAccess(args[1], f.eval(args[0]), false)
	default:
		return false
	}
	return true
}

// matrixAccess moves a fragment row by row.
func (f *frame) matrixAccess(fragment *ir.Expr, p value, load bool) {
	x := f.x
	rows, columns := f.fragment(fragment)
	row := columns * float64(max(1, p.typ.elem().size()))
	lane := rows * row / hardware.WarpSize
	w := workload.Work{Issue: costMatrixGlobal}
	switch o := f.pointee(p).to.obj; {
	case o == nil:
	case o.space == inShared:
		w.Issue, w.Shared = costMatrixShared, rows*row/128
	case load:
		w.Loads = rows * max(hardware.SectorBytes, row)
	default:
		w.Stores = rows * max(hardware.SectorBytes, row)
	}
	x.count(w, lane)
	if w.Loads > 0 && x.mute == 0 {
		x.pend(p)
		x.gathers(f.pointee(p).to.obj, w.Loads)
	}
}

// fragment is the rows and columns of a fragment, by its declaration
// fragment<use, m, n, k, …>; 16x16 where that is out of sight.
func (f *frame) fragment(e *ir.Expr) (rows, columns float64) {
	rows, columns = 16, 16
	r := e.Root()
	if r == nil || r.Var == nil {
		return
	}
	if known, ok := f.x.fragmentSizes[r.Var]; ok {
		return known[0], known[1]
	}
	defer func() { f.x.fragmentSizes[r.Var] = [2]float64{rows, columns} }()
	_, args, ok := strings.Cut(r.Var.Type.Base, "fragment<")
	words := strings.Split(args, ",")
	if !ok || len(words) < 4 {
		return
	}
	var dims [3]float64
	for i := range dims {
		if dims[i] = f.macroNumber(strings.TrimSpace(words[i+1]), r.Range.Start); dims[i] == 0 {
			return
		}
	}
	switch use := words[0]; {
	case strings.HasSuffix(use, "matrix_a"):
		return dims[0], dims[2]
	case strings.HasSuffix(use, "matrix_b"):
		return dims[2], dims[1]
	}
	return dims[0], dims[1]
}

// elements is fragment.num_elements: those that a lane holds.
func (f *frame) elements(e *ir.Expr) (v value, ok bool) {
	if r := e.Root(); e.Name != "num_elements" || r == nil || r.Var == nil || !strings.Contains(r.Var.Type.Base, "fragment<") {
		return value{}, false
	}
	rows, columns := f.fragment(e)
	return constant(int64(max(1, rows*columns/hardware.WarpSize)), intType), true
}

// macroNumber is a number, or the macro or constant of one; 0 for anything else.
func (f *frame) macroNumber(word string, at int) float64 {
	if text, err := f.fn.File.Macros.Expand(word, at); err == nil {
		word = strings.Trim(text, "() ")
	}
	if n, err := strconv.ParseFloat(word, 64); err == nil {
		return n
	}
	if v := f.x.k.GlobalVar(f.fn, word); v != nil && v.Init != nil {
		if n := f.eval(v.Init); n.isConstant() {
			return float64(n.s)
		}
	}
	return 0
}

// fragments notes which fragments an operation needs, and which it makes.
func (f *frame) fragments(op string, args []*ir.Expr) {
	switch {
	case op == "multiply" && len(args) == 4:
		for _, a := range args[1:] {
			f.x.needs(f.read(f.lvalue(a)))
		}
		f.makesFragment(args[0])
	case op == "store" && len(args) >= 2:
		f.x.needs(f.read(f.lvalue(args[1])))
	case (op == "load" || op == "fill") && len(args) > 0:
		f.makesFragment(args[0])
	}
}

// makesFragment gives a fragment a value: each lane holds a part of its elements.
func (f *frame) makesFragment(e *ir.Expr) {
	rows, columns := f.fragment(e)
	bytes := 4
	if r := e.Root(); r != nil && r.Var != nil {
		if _, args, ok := strings.Cut(r.Var.Type.Base, "fragment<"); ok {
			if words := strings.Split(strings.TrimRight(args, "> "), ","); len(words) > 4 {
				if t, ok := builtinType(words[4]); ok {
					bytes = t.size()
				}
			}
		}
	}
	l := f.lvalue(e)
	if l.to.obj != nil {
		return // in memory: an array that is not indexed by constants
	}
	v := value{typ: l.typ, id: f.x.fresh()}
	f.x.appears(v.id, max(1, int(rows*columns)*bytes/hardware.WarpSize/4))
	f.write(l, v)
}
