package merge

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// copied is a shared variable of which there are several sets: M slots, of which a v-TB takes one at a region, or N
// copies, one owned by each v-TB. Its name becomes that of a pointer to one set:
//
//	__shared__ float s[64];      -->      __shared__ float smux_s[2][64];
//	                                      auto s = smux_s[vtb.id];
//
// An owned copy is bound there for good; a slot is bound anew at the start of each region that uses it.
type copied struct {
	shared *analysis.Shared
	v      *ir.Var
	name   string // of all sets, picked when it is written
	owned  bool
	// in is the region that declares a variable of slots, nil where it is declared before all regions that use it.
	in *analysis.Region
}

// sets counts the sets of a shared variable.
func (p *mergeProof) sets(s *analysis.Shared) int {
	switch {
	case slices.Contains(p.privatized, s):
		return p.Factor
	case p.Sync == variant.SyncLock:
		return p.SharedSets
	}
	return 1
}

// slotted reports whether there are slots of a shared variable.
func (p *mergeProof) slotted(s *analysis.Shared) bool {
	return p.sets(s) > 1 && !slices.Contains(p.privatized, s)
}

// proveCopies proves that the shared variables of which there are several sets can have a leading dimension.
func (p *mergeProof) proveCopies() {
	k := p.Kernel
	if !slices.ContainsFunc(k.Shared, func(s *analysis.Shared) bool { return p.sets(s) > 1 }) {
		return
	}
	p.checkCopyUses()
	for _, s := range k.Shared {
		if p.sets(s) < 2 || s.Dynamic && !p.checkNamed(s) {
			continue
		}
		for _, v := range p.variables(s) {
			if p.checkCopied(s, v) {
				p.copies = append(p.copies, copied{shared: s, v: v, owned: !p.slotted(s), in: p.regionOf(v.Decl)})
			}
		}
	}
}

// emitCopies gives them one.
func (p *merger) emitCopies() {
	b := p.Buffer(p.Kernel.File)
	for _, e := range p.pointers {
		b.Replace(e.Range.Start, e.Range.End, "(*"+e.Name+")")
	}
	for _, a := range p.copies {
		p.copied = append(p.copied, p.declareCopies(a))
	}
}

// declareCopies edits a declaration: the name becomes that of all sets, and stands for one of them.
func (p *merger) declareCopies(a copied) copied {
	f, v := p.Kernel.File, a.v
	a.name = p.Fresh("smux_" + v.Name)
	all := fmt.Sprintf("%s[%d]", a.name, p.sets(a.shared))
	if a.shared.Dynamic {
		all = a.name
	}
	p.Buffer(f).Replace(v.Range.Start, v.Range.Start+len(v.Name), all)
	set := "0"
	switch {
	case a.owned:
		set = p.vtb + ".id"
	case a.in != nil:
		set = p.vtb + ".slot()"
	}
	p.InsertAfter(f, kit.StmtEnd(f, v.Decl), v.Decl.Outer.Start, fmt.Sprintf("auto %s = %s;", v.Name, p.set(a, set)))
	return a
}

// alignText is an alignment that a declaration gives as a number.
var alignText = regexp.MustCompile(`align\w*\s*\(\s*(\d{1,4})\s*\)`)

// set is the expression for a pointer to one set: arrays decay.
func (p *merger) set(a copied, index string) string {
	switch {
	case a.shared.Dynamic:
		return fmt.Sprintf("smux::set(%s, %s, %s)", a.name, index, p.bytes)
	case len(a.v.Dims) == 0:
		return a.name + " + " + index // a class may have an & of its own
	}
	return fmt.Sprintf("%s[%s]", a.name, index)
}

// bindSlots are the lines that let the names of a region's arrays stand for the set that the v-TB holds.
func (p *merger) bindSlots(r *analysis.Region) []string {
	var lines []string
	for _, a := range p.copied {
		if !a.owned && a.in != r && slices.Contains(r.Arrays, a.shared) {
			lines = append(lines, fmt.Sprintf("%s = %s;", a.v.Name, p.set(a, p.vtb+".slot()")))
		}
	}
	return lines
}

// regionOf is the region that a statement of the kernel lies in, nil for none.
func (p *mergeProof) regionOf(s *ir.Stmt) *analysis.Region {
	if p.homes == nil {
		p.homes = map[*ir.Stmt]*analysis.Region{}
		for _, r := range p.regions {
			for _, t := range r.Stmts {
				p.homes[t] = r
			}
		}
	}
	for ; s != nil; s = s.Parent {
		if r := p.homes[s]; r != nil {
			return r
		}
	}
	return nil
}

// checkCopied proves that a declaration can be given a leading dimension.
func (p *mergeProof) checkCopied(s *analysis.Shared, v *ir.Var) bool {
	k := p.Kernel
	refuse := func(format string, args ...any) bool {
		f, at := k.File, k.View.Start
		if v.File == nil || v.File == f {
			at = v.Range.Start
		}
		p.Refuse(f, at, CodeSlots, format, args...)
		return false
	}
	switch {
	case v.Decl == nil || v.Decl.Op != ir.StmtDecl || !v.Decl.Inside(k.Func.Body):
		return refuse("%s is not declared in the kernel itself: its name can't stand for one of %d", s.Name, p.sets(s))
	case v.Macro || v.Decl.Macro || v.Decl.Parent == nil || v.Decl.Parent.Op != ir.StmtCompound:
		p.Refuse(k.File, v.Range.Start, kit.CodeMacro, "the declaration of %s inside a macro must change", s.Name)
		return false
	case v.Decl.Parent.Parent != nil && v.Decl.Parent.Parent.Op == ir.StmtSwitch:
		return refuse("%s is declared between the cases of a switch, which jump over what its name is bound to", s.Name)
	case s.Dynamic && len(v.Dims) == 0:
		return refuse("dynamic shared memory %s is not an array", v.Name)
	case v.Range.Start+len(v.Name) > len(k.File.Src) || string(k.File.Src[v.Range.Start:v.Range.Start+len(v.Name)]) != v.Name:
		return refuse("the declaration of %s is more than its name and dimensions", s.Name)
	case s.Dynamic && p.alignment(s, v) > setAlignment, !s.Dynamic && s.Bytes < 0 && p.alignment(s, v) > 1, !s.Dynamic && s.Bytes%p.alignment(s, v) != 0:
		return refuse("the second %s would not be aligned as the first is", v.Name)
	}
	r := p.regionOf(v.Decl)
	switch {
	case !p.slotted(s):
		// A cut region moves the declarations that are used after it.
		if r != nil && p.Sync == variant.SyncBlock && p.usedAfter(k.Func, v.Decl, r.End()) {
			return refuse("%s is declared in a region that is cut at its barriers, and used after it", s.Name)
		}
	case r == nil:
		for _, r := range p.regions {
			for _, o := range r.Arrays {
				if o == s && !(v.Decl.Range.End <= r.Start() && r.List.Inside(v.Decl.Parent)) {
					return refuse("%s is declared after the start of a region that uses it", v.Name)
				}
			}
		}
	}
	return true
}

// alignment returns the number of which the bytes of one set must be a multiple, for the next one to be aligned as
// the first is: 1 where an array's elements are all that is accessed. Larger units are at most 16 bytes, a matrix of
// tensor cores is aligned to 32, and what the declaration or a built-in promises is taken to be up to 128.
func (p *mergeProof) alignment(s *analysis.Shared, v *ir.Var) int {
	n := 1
	if decl := kit.Text(p.Kernel.File, v.Decl.Outer); strings.Contains(decl, "align") {
		n = 128
		if m := alignText.FindStringSubmatch(decl); m != nil {
			n, _ = strconv.Atoi(m[1])
			n = max(n, 16)
		}
	}
	for _, fn := range p.Kernel.Functions {
		addressed := func(e *ir.Expr) bool {
			return slices.ContainsFunc(e.Kids, func(kid *ir.Expr) bool { return pointers.MayAddress(p.Kernel, fn, kid, s) })
		}
		for e := range fn.Body.AllExprs() {
			switch {
			case e.Op == ir.OpAsm:
				n = max(n, 16)
			case e.Op == ir.OpCast && (e.Type.Ptr > 0 || e.Type.Ref || e.Type.IsAuto()) && addressed(e):
				n = max(n, 16)
			case e.Op == ir.OpCall && strings.HasSuffix(e.Name, "_matrix_sync"):
				n = max(n, 32)
			case e.Op == ir.OpCall && e.Name == "__builtin_assume_aligned":
				n = max(n, 128)
			}
		}
	}
	return n
}
