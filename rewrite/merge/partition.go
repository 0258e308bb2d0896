package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/analysis/regions"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// partition is the first half of co-vtb (PACT'12 §4.3), a rewrite of the original kernel by itself: one shared array
// is split along its first dimension into two arrays, of its first rows, which are to be each v-TB's own, and of the
// others, which stay public.
//
//	__shared__ float s[24][32];        __shared__ float s_private[16][32];
//	                                   __shared__ float s_public[24 - 16][32];
//	s[2][t] = a;                -->    s_private[2][t] = a;
//	b = s[20][t];                      b = s_public[20 - 16][t];
//	c = s[e][t];                       c = (e < 16 ? s_private[e][t] : s_public[e - 16][t]);
//
// It is the proof: which accesses are of which side, and which stores wait.
type partition struct {
	*mergeProof
	array    *analysis.Shared
	dims     []int
	private  int // rows
	subs     map[*ir.Expr]footprint.Subscripts
	accesses []*access
	delays   [][]motion.Delay // stores that wait, by region
}

// partitionWriter writes the kernel with two arrays.
type partitionWriter struct {
	*merger
	proof     *partition
	low, high string // names of the arrays of private and of public rows
}

// newPartition chooses the array and how many of its rows are private: as many as asked for, or half of them.
func newPartition(p *mergeProof, rows int) *partition {
	c := &partition{mergeProof: p}
	c.array, c.dims = splitArray(p.Kernel)
	k := p.Kernel
	if c.array == nil {
		for _, s := range k.Shared {
			if v := s.Var; !s.Dynamic && len(v.Dims) > 0 && len(footprint.Extents(k, s)) == 0 && v.Decl != nil && v.Decl.Inside(k.Func.Body) {
				p.Refuse(k.File, v.Range.Start, CodePartition, "the number of rows of %s is unknown, or differs between launches", s.Name)
				return nil
			}
		}
		p.Refuse(k.File, k.View.Start, CodePartition, "the kernel has no static shared array of its own with two rows or more")
		return nil
	}
	if c.private = rows; rows == 0 {
		c.private = c.dims[0] / 2
	}
	if c.private < 1 || c.private >= c.dims[0] {
		p.Refuse(k.File, c.array.Var.Range.Start, CodePartition, "%d of the %d rows of %s can't be private: at least one must be, and not all", c.private, c.dims[0], c.array.Name)
		return nil
	}
	return c
}

// splitArray is the array that co-vtb splits: the largest static one, one with
// several dimensions before one whose rows are single elements.
func splitArray(k *analysis.Kernel) (*analysis.Shared, []int) {
	var best *analysis.Shared
	var dims []int
	size := 0
	for _, s := range k.Shared {
		d := footprint.Extents(k, s)
		v := s.Var
		if s.Dynamic || len(d) == 0 || len(d) != len(v.Dims) || d[0] < 2 || v.Decl == nil || !v.Decl.Inside(k.Func.Body) {
			continue
		}
		bytes, _ := launches.SharedBytesOf(k, k.Instances[0], s)
		if best == nil || (len(d) > 1) != (len(dims) > 1) && len(d) > 1 || (len(d) > 1) == (len(dims) > 1) && bytes > size {
			best, dims, size = s, d, bytes
		}
	}
	return best, dims
}

// Partition says what co-vtb has to divide in a kernel: the rows of the array that
// it splits and their size, the bytes of shared memory that v-TBs take turns with
// however the rows are divided, and those that each v-TB has for itself.
func Partition(k *analysis.Kernel) (rows, rowBytes, otherBytes, ownBytes int, reasons []diag.Message) {
	p, reasons := beginMerge(k, variant.CoVTB, kit.Options{})
	if p == nil {
		return 0, 0, 0, 0, reasons
	}
	c := newPartition(p, 0)
	if c == nil {
		return 0, 0, 0, 0, p.Reasons
	}
	all, exact := launches.SharedBytesOf(k, k.Instances[0], c.array)
	if !exact {
		c.Refuse(k.File, c.array.Var.Range.Start, CodePartition, "the size of %s is not known", c.array.Name)
		return 0, 0, 0, 0, p.Reasons
	}
	for _, s := range k.Shared {
		bytes, _ := launches.SharedBytesOf(k, k.Instances[0], s)
		switch {
		case s == c.array:
		case isOwn(k, s, all/c.dims[0]):
			ownBytes += bytes
		default:
			otherBytes += bytes
		}
	}
	return c.dims[0], all / c.dims[0], otherBytes, ownBytes, nil
}

// Delays reports whether co-vtb with so many private rows has definitions of rows that it
// takes out of the turns, in all regions that use the array that it splits.
func Delays(k *analysis.Kernel, private int) bool {
	array, _ := splitArray(k)
	if array == nil {
		return false
	}
	return !slices.ContainsFunc(k.Regions, func(r *analysis.Region) bool { return len(motion.Delays(k, r.Stmts, array, private)) == 0 }) && len(k.Regions) > 0
}

// isOwn reports whether a shared variable besides the one that is split is to be
// each v-TB's own: where it takes no more than one row of that.
func isOwn(k *analysis.Kernel, s *analysis.Shared, rowBytes int) bool {
	v := s.Var
	if s.Dynamic || v.Decl == nil || !v.Decl.Inside(k.Func.Body) {
		return false
	}
	for _, in := range k.Instances {
		if bytes, exact := launches.SharedBytesOf(k, in, s); !exact || bytes > rowBytes {
			return false
		}
	}
	return true
}

// proveAccesses proves that every use of the array can be told private or public. limit is how
// uneven the control around regions may be.
func (c *partition) proveAccesses(limit analysis.Uniformity) {
	k := c.Kernel
	c.subs = footprint.SubscriptsIn(k, c.array)
	c.findAccesses()
	if len(c.Reasons) == 0 && !c.has(-1) {
		c.Refuse(k.File, c.array.Var.Range.Start, CodePartition, "none of the first %d rows of %s is used: nothing would be private", c.private, c.array.Name)
		return
	}
	if c.checkDeclaration(); len(c.Reasons) > 0 {
		return
	}
	others := lists.Filter(k.Shared, func(s *analysis.Shared) bool { return s != c.array })
	for _, r := range regions.Under(k, limit, others...) {
		if r.List.Op == ir.StmtCompound && !r.List.Macro {
			c.delay(motion.Delays(k, r.Stmts, c.array, c.private))
		}
	}
	for _, a := range c.accesses {
		if !a.waits && a.side == 0 {
			c.checkEither(a)
		}
	}
}

// has reports whether there are accesses to a side, or to either.
func (c *partition) has(side int) bool {
	return slices.ContainsFunc(c.accesses, func(a *access) bool { return a.side == side || a.side == 0 })
}

// Describe shows which rows are private and what becomes of the accesses, as proofs are printed.
func (c *partition) Describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n\t%d of %d rows of %s private", c.private, c.dims[0], c.array.Name)
	for _, a := range c.accesses {
		what := []string{"private", "either", "public"}[a.side+1]
		if a.waits {
			what += " store that waits"
		}
		fmt.Fprintf(&b, "\n\t%s at %s", what, c.At(a.element.Range.Start))
	}
	return b.String()
}

// write makes the edits.
func (c *partition) write() *partitionWriter {
	w := &partitionWriter{merger: newMerger(c.mergeProof), proof: c}
	w.chooseNames()
	w.low, w.high = w.Fresh(c.array.Name+"_private"), w.Fresh(c.array.Name+"_public")
	w.declare()
	for _, all := range c.delays {
		w.delay(all)
	}
	for _, a := range c.accesses {
		if !a.waits {
			w.access(a)
		}
	}
	return w
}

// declarator is the text of the array's declaration: what stands before its name, the
// inside of its first brackets, and what stands after them.
func (c *partition) declarator() (specifiers, rows, rest string, ok bool) {
	f, v := c.Kernel.File, c.array.Var
	specifiers, declarator := string(f.Src[v.Decl.Range.Start:v.Range.Start]), kit.Text(f, v.Range)
	open, end := kit.Brackets(declarator, len(v.Name))
	if len(v.Decl.Vars) != 1 || !strings.HasPrefix(declarator, v.Name) || open < 0 || !kit.OneLine(specifiers+declarator) {
		return "", "", "", false
	}
	return specifiers, strings.TrimSpace(declarator[open+1 : end-1]), declarator[end:], true
}

// checkDeclaration proves that there can be two declarations of the array's.
func (c *partition) checkDeclaration() {
	f, v := c.Kernel.File, c.array.Var
	d := v.Decl
	if v.Macro || d.Macro || d.Parent == nil || d.Parent.Op != ir.StmtCompound || d.Parent.Parent != nil && d.Parent.Parent.Op == ir.StmtSwitch {
		c.Refuse(f, v.Range.Start, CodePartition, "the declaration of %s can't become two at its place", c.array.Name)
	} else if _, _, _, ok := c.declarator(); !ok {
		c.Refuse(f, v.Range.Start, CodePartition, "the declaration of %s is more than its type, name and dimensions, on one line", c.array.Name)
	}
}

// declare makes two declarations of the array's.
func (w *partitionWriter) declare() {
	c := w.proof
	f, v := c.Kernel.File, c.array.Var
	specifiers, rows, rest, _ := c.declarator()
	w.Buffer(f).Replace(v.Range.Start, v.Range.End-len(rest), fmt.Sprintf("%s[%d]", w.low, c.private))
	if c.has(1) {
		public := kit.Minus(f, v.Dims[0], rows, c.private)
		w.InsertAfter(f, kit.StmtEnd(f, v.Decl), v.Decl.Outer.Start, fmt.Sprintf("%s%s[%s]%s;", specifiers, w.high, public, rest))
	}
}

// owned are the variables of the split kernel that are each v-TB's own.
func (w *partitionWriter) owned(k *analysis.Kernel) []*analysis.Shared {
	c := w.proof
	row, _ := launches.SharedBytesOf(c.Kernel, c.Kernel.Instances[0], c.array)
	out := lists.Filter(k.Shared, func(s *analysis.Shared) bool {
		return s.Name == w.low || s.Name != w.high && isOwn(k, s, row/c.dims[0])
	})
	return slices.Clip(out)
}

// subtract makes of the text [start, end), which is that of e, the difference.
func (c *partition) subtract(b *edit.Buffer, e *ir.Expr, start, end int) {
	old := string(c.Kernel.File.Src[start:end])
	from := start + len(old) - len(strings.TrimLeft(old, " \t"))
	to := start + len(strings.TrimRight(old, " \t"))
	inner := strings.TrimSpace(old)
	switch out := kit.Minus(c.Kernel.File, e, inner, c.private); {
	case strings.HasPrefix(out, inner):
		b.Insert(to, out[len(inner):])
	case strings.HasPrefix(out, "("+inner):
		b.Insert(from, "(")
		b.Insert(to, out[len(inner)+1:])
	default:
		b.Replace(from, to, out)
	}
}

// macroText returns the text that the macro used in a range stands for: its body with the arguments in the places of
// the parameters, other macros left as they are. It is "" where that is not just a matter of text.
func (c *partition) macroText(r ir.Range) string {
	f := c.Kernel.File
	use := kit.Text(f, r)
	name := use
	var args []string
	if open := strings.IndexByte(use, '('); open >= 0 {
		name = strings.TrimSpace(use[:open])
		_, end := kit.Parentheses(use, open)
		if end != len(use) {
			return ""
		}
		args = kit.SplitArguments(use[open+1 : end-1])
	}
	m, found := f.Macros.Lookup(name, r.Start)
	if !kit.IsName(name) || !found || m.Ambiguous || m.Overridable || m.Variadic || m.FunctionLike != (args != nil) || strings.ContainsAny(m.Body, `#"'`) ||
		args != nil && len(args) != max(1, len(m.Params)) || len(kit.WordOffsets(m.Body, name)) > 0 || strings.ContainsAny(use, `"'`) {
		return ""
	}
	var out strings.Builder
	for i := 0; i < len(m.Body); {
		j := i
		for j < len(m.Body) && parser.IsWordRune(rune(m.Body[j])) {
			j++
		}
		if j == i {
			out.WriteByte(m.Body[i])
			i++
			continue
		}
		word := m.Body[i:j]
		for n, p := range m.Params {
			if p == word {
				word = strings.TrimSpace(args[n])
				break
			}
		}
		out.WriteString(word)
		i = j
	}
	return strings.TrimSpace(out.String())
}

// access makes an access one to the private rows, the public ones, or either.
func (w *partitionWriter) access(a *access) {
	b := w.Buffer(w.Kernel.File)
	e := a.row()
	switch {
	case a.use.End > 0:
		b.Replace(a.use.Start, a.use.End, a.text[:a.nameAt]+w.side(a, a.side)+a.text[a.tail:])
	case a.side < 0:
		b.Replace(a.name.Range.Start, a.name.Range.End, w.low)
	case a.side > 0:
		b.Replace(a.name.Range.Start, a.name.Range.End, w.high)
		w.proof.subtract(b, e, a.begin+a.rowAt, a.begin+a.rowEnd)
	default:
		b.Replace(a.name.Range.Start, a.begin+a.tail, w.side(a, 0))
	}
}

// sideOf tells on which side all rows of an access lie: -1 private, 1 public, 0 for
// either. An access that no thread makes may be either.
func (c *partition) sideOf(element *ir.Expr) int {
	subs := c.subs[element]
	switch {
	case subs == nil || !subs[0].Known:
		return 0
	case subs[0].Max < int64(c.private):
		return -1
	case subs[0].Min >= int64(c.private):
		return 1
	}
	return 0
}

// side is the text of an access to one side. That to either compares the row when it is
// made, and is an lvalue of the array's element type, as the original is.
func (w *partitionWriter) side(a *access, side int) string {
	row, rest := a.text[a.rowAt:a.rowEnd], a.text[a.rowEnd+1:a.tail]
	switch {
	case side < 0:
		return w.low + "[" + row + "]" + rest
	case side > 0:
		return w.high + "[" + kit.Minus(w.Kernel.File, a.row(), row, w.proof.private) + "]" + rest
	}
	return "(" + w.rowText(a) + " < " + kit.Number(w.proof.private) + " ? " + w.side(a, -1) + " : " + w.side(a, 1) + ")"
}

// rowText is the first subscript of an access, as an operand.
func (w *partitionWriter) rowText(a *access) string {
	return kit.Operand(w.Kernel.File, a.row(), strings.TrimSpace(a.text[a.rowAt:a.rowEnd]))
}

// checkEither proves that the row of an access can be evaluated twice: it is the same both times and has no effects.
func (c *partition) checkEither(a *access) {
	refuse := func(why string) {
		c.Refuse(c.Kernel.File, a.element.Range.Start, CodePartition, why, c.array.Name)
	}
	again := func(s *ir.Expr) bool {
		return c.Kernel.IsPure(c.Kernel.Func, s) && !s.Any(func(t *ir.Expr) bool { return evaluate.SharedVar(c.Kernel, c.Kernel.Func, t) == c.array })
	}
	switch {
	case slices.ContainsFunc(kit.Subscripts(a.element), func(s *ir.Expr) bool { return !again(s) }):
		refuse("a subscript of %s has effects or reads it, and would be written twice")
	case !(c.Kernel.IsPure(c.Kernel.Func, a.row()) && c.Kernel.Effect(c.Kernel.Func, a.row()).Steady()):
		refuse("the row of %s is read from memory, which could change between a comparison and the access: give it a name first")
	case !kit.OneLine(a.text[a.nameAt:a.tail]):
		refuse("an access to %s that must be written twice reaches over several lines or holds a comment")
	}
}
