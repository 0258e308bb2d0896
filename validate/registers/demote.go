// Package registers judges kernels whose variables lie in shared memory instead of registers.
package registers

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// Demote leaves thread blocks what they are and takes registers from their threads. Its erasure:
//
//	volatile float &x = smux_x[smux_t];  x = E;     is   float x = E;   a slot in shared memory (slots.go)
//	const smux::word<float> x(smux_x[smux_t]);      the same, and vectors and arrays of them
//	const unsigned smux_t = …;  __shared__ float smux_x[…];             is nothing
//	asm volatile("" : "+r"(i));                     is nothing: i is set to itself (pin)
//	int i                                           is   const int i    where i is pinned
//	#pragma unroll, __launch_bounds__               mean nothing, where launches fit
type demotion struct {
	c    *kit.Comparison
	k    *kit.Kernel // takes the doubts
	a, b *ir.Func

	number   *ir.Var // the thread's number
	counted  *ir.Stmt
	arrays   map[string]*ir.Var // of slots, by name
	slots    []*slot
	pins     []pin
	mostRegs bool // the compiler may spill to shared memory
	undo     map[*ir.Stmt][]units.Unit
}

// slot is a variable that lies in shared memory.
type slot struct {
	name   string
	stmt   *ir.Stmt
	array  string
	form   string       // "" for a reference, "word", "vector2" to "vector4" or "array"
	vector string       // the type of a vector
	elem   []units.Unit // the type of an element
	stride int          // of components, 0 where there is one
	count  int          // of components
	words  bool         // components are of a class
}

// pin is an empty asm statement that sets variables to what they are.
type pin struct {
	names []string
	stmt  *ir.Stmt
}

// readDemotion finds what demote adds to a function of the new text.
func readDemotion(c *kit.Comparison, k *kit.Kernel, a, b *ir.Func) *demotion {
	d := &demotion{c: c, k: k, a: a, b: b, arrays: map[string]*ir.Var{}, undo: map[*ir.Stmt][]units.Unit{}}
	for _, s := range kit.Statements(b.Body) {
		d.top(s)
	}
	b.Body.Walk(func(s *ir.Stmt) bool {
		if s.Preproc && d.mostRegs {
			if _, mine := d.undo[s]; mine {
				return false
			}
		}
		if s.Op == ir.StmtCompound || s.Op == ir.StmtCase || s.Op == ir.StmtLabel {
			for i, t := range s.List {
				var next *ir.Stmt
				if i+1 < len(s.List) {
					next = s.List[i+1]
				}
				d.inside(t, next)
			}
		}
		return true
	})
	return d
}

// found reports whether anything of demote's was there.
func (d *demotion) found() bool { return len(d.slots)+len(d.pins) > 0 || d.mostRegs }

// top reads a statement at the top of a function.
func (d *demotion) top(s *ir.Stmt) {
	us := d.c.UnitsOf(s)
	switch {
	case s.Macro:
	case s.Op == ir.StmtDecl && len(s.Vars) == 1 && strings.HasPrefix(s.Vars[0].Name, kit.SlotPrefix):
		v := s.Vars[0]
		if _, _, ok := units.Match(us, "const unsigned "+v.Name+" ="); ok && d.number == nil {
			d.number, d.counted = v, s
			d.undo[s] = nil
		} else if us[0].Text == "__shared__" && len(v.Dims) == 1 && v.Dims[0] != nil && v.Init == nil && d.arrays[v.Name] == nil {
			d.arrays[v.Name] = v
			d.undo[s] = nil
		}
	case s.Preproc && units.Text(us) == `# if __CUDACC_VER_MAJOR__ > = 13 asm volatile ( ".pragma \"enable_smem_spilling\";" ) ; # endif`:
		d.mostRegs = true
		d.undo[s] = nil
	case kit.IsCheck(us):
		d.undo[s] = nil
	}
}

// inside reads a statement anywhere, of which the next one may be a part.
func (d *demotion) inside(s, next *ir.Stmt) {
	if s.Macro {
		return
	}
	us := d.c.UnitsOf(s)
	if names := pinned(us); names != nil {
		d.pins = append(d.pins, pin{names, s})
		d.undo[s] = nil
		return
	}
	sl := readSlot(us)
	if sl == nil || d.number == nil || d.arrays[sl.array] == nil || s.Op != ir.StmtDecl {
		return
	}
	words := strings.Split(sl.array, " ")
	if len(words) != 1 {
		return
	}
	sl.stmt = s
	d.slots = append(d.slots, sl)
	array := d.arrays[sl.array]
	size, _ := content.IntOf(d.c, array.Dims[0])
	switch {
	case sl.form == "array" && sl.stride > 0:
		sl.count = size / sl.stride
	case strings.HasPrefix(sl.form, "vector"):
		sl.count = units.Number(strings.TrimPrefix(sl.form, "vector"))
	default:
		sl.count = 1
	}
	d.undo[s] = sl.declared()
	if next == nil || next.Op != ir.StmtDecl || len(next.Vars) != 1 || !strings.HasPrefix(next.Vars[0].Name, kit.SlotPrefix+"v") {
		return
	}
	// float smux_v1{E}; x = smux_v1;
	value := next.Vars[0].Name
	list := s.Parent.List
	if i := slices.Index(list, next); i+1 < len(list) && units.Is(d.c.UnitsOf(list[i+1]), sl.name+" = "+value+" ;") && d.mentioned(value) == 2 {
		d.undo[next] = renamed(d.c.UnitsOf(next), value, "⟨value⟩")
		d.undo[list[i+1]] = renamed(d.c.UnitsOf(list[i+1]), value, "⟨value⟩")
	}
}

func renamed(us []units.Unit, from, to string) (out []units.Unit) {
	for _, u := range us {
		if u.Text == from {
			u.Text = to
		}
		out = append(out, u)
	}
	return out
}

// mentioned counts the uses of a name in the function.
func (d *demotion) mentioned(name string) (n int) {
	for _, u := range d.c.New.Between(d.b.Body.Range.Start, d.b.Body.Range.End) {
		if u.Text == name {
			n++
		}
	}
	return n
}

// declared returns the original's declaration of a slot's variable.
func (s *slot) declared() (out []units.Unit) {
	out = append(out, s.elem...)
	if s.vector != "" {
		out = []units.Unit{{Text: s.vector}}
	}
	out = append(out, units.Unit{Text: s.name})
	if s.form == "array" {
		out = append(out, units.Unit{Text: "["}, units.Unit{Text: units.Itoa(s.count)}, units.Unit{Text: "]"})
	}
	return append(out, units.Unit{Text: ";"})
}

// pinned reads "asm volatile("" : "+r"(i), "+l"(p));" and returns what it names.
func pinned(us []units.Unit) (names []string) {
	_, rest, ok := units.Match(us, `asm volatile ( "" :`)
	if !ok || len(rest) < 2 || !units.Is(rest[len(rest)-2:], ") ;") {
		return nil
	}
	for _, arg := range units.Split(rest[:len(rest)-2]) {
		b, more, ok := units.Match(arg, "$ ( $ )")
		if !ok || len(more) > 0 || !slices.Contains([]string{`"+r"`, `"+l"`, `"+f"`, `"+d"`}, b[0]) {
			return nil
		}
		names = append(names, b[1])
	}
	return names
}

// readSlot reads what binds a variable to its slot.
func readSlot(us []units.Unit) *slot {
	if _, rest, ok := units.Match(us, "const smux : : $ <"); ok {
		return readSlotClass(us[4].Text, rest)
	}
	i := units.IndexOf(us, "&")
	if i < 2 || len(us) != i+8 {
		return nil
	}
	b, _, ok := units.Match(us[i:], "& $ = $ [ $ ] ;")
	if !ok || !strings.HasPrefix(b[2], kit.SlotPrefix) {
		return nil
	}
	sl := &slot{name: b[0], array: b[1]}
	switch {
	case us[0].Text == "volatile" && !units.Mentions(us[1:i], "*"):
		sl.elem = us[1:i]
	case us[i-1].Text == "volatile" && us[i-2].Text == "*":
		sl.elem = us[:i-1]
	default:
		return nil
	}
	if units.Mentions(sl.elem, "volatile") {
		return nil
	}
	return sl
}

// readSlotClass reads "word<float> x(smux_x[smux_t]);" and "vector3<float3, M, 128> x(…);" with M "volatile float &"
// or "smux::word<float>".
func readSlotClass(form string, rest []units.Unit) *slot {
	end := units.ClosingAngle(rest)
	if end < 0 {
		return nil
	}
	b, more, ok := units.Match(rest[end+1:], "$ ( $ [ $ ] ) ;")
	if !ok || len(more) > 0 || !strings.HasPrefix(b[2], kit.SlotPrefix) {
		return nil
	}
	sl := &slot{name: b[0], array: b[1], form: form}
	args := units.Split(rest[:end])
	switch {
	case form == "word" && len(args) == 1:
		sl.elem = args[0]
		return sl
	case len(args) != 3 || len(args[2]) != 1 || len(args[0]) == 0:
		return nil
	case form == "array":
		sl.elem = args[0]
	case (form == "vector2" || form == "vector3" || form == "vector4") && len(args[0]) == 1:
		sl.vector = args[0][0].Text
	default:
		return nil
	}
	sl.stride = units.Number(args[2][0].Text)
	member := args[1]
	if _, inner, ok := units.Match(member, "smux : : word <"); ok && len(inner) > 1 {
		member, sl.words = inner[:len(inner)-1], true
	} else if n := len(member) - 1; n > 1 && member[0].Text == "volatile" && member[n].Text == "&" {
		member = member[1:n]
	} else {
		return nil
	}
	if sl.elem != nil && units.Text(sl.elem) != units.Text(member) || sl.vector != "" && kit.ComponentOf(sl.vector) != kit.PlainName(units.Text(member)) {
		return nil
	}
	sl.elem = member
	return sl
}

// same lays the two functions side by side, and returns the first place where they differ, -1 for none.
func (d *demotion) same() int {
	torn, loose := map[string]bool{}, map[string]bool{}
	for _, s := range d.slots {
		torn[s.name], loose[s.name] = true, true
	}
	for _, p := range d.pins {
		for _, name := range p.names {
			loose[name] = true
		}
	}
	pa := &content.Plain{Texts: d.c, Source: d.c.Old, Fn: d.a, Torn: torn, Loose: loose}
	pb := &content.Plain{Texts: d.c, Source: d.c.New, Fn: d.b, Torn: torn, Loose: loose, Undo: d.undo}
	a, b := pa.Body(), pb.Body()
	if pa.Raw || pb.Raw || len(d.a.Problems)+len(d.b.Problems) > 0 {
		return d.b.Body.Range.Start
	}
	return units.Differ(a, b, d.b.Body.Range.End-1)
}

// Judge judges a kernel whose registers were brought down, and reports whether this is one.
func Judge(c *kit.Comparison, k *kit.Kernel, a, b *parser.Function) bool {
	la, lb := c.OldNames.Lower(c.Old.File, a), c.NewNames.Lower(c.New.File, b)
	d := readDemotion(c, k, la, lb)
	at := d.same()
	if at >= 0 && !d.found() {
		return false
	}
	k.Variant = "demote"
	headA, boundsA := kit.WithoutBounds(withoutMaxRegs(c.Head(c.Old, a)))
	headB, boundsB := kit.WithoutBounds(withoutMaxRegs(c.Head(c.New, b)))
	c.HeadFits(k, headA, headB, b)
	if at >= 0 {
		k.Doubt(kit.Erasure, c.New.File, at, "this differs from the original")
	}
	k.State.Main = kit.NewAlignment(c, k, la, lb)
	if k.Doubtful(kit.Erasure) {
		return true
	}
	k.Show(kit.Erasure, "token by token, with slots and pins undone", k.Pos)
	c.ReachFrom(k, lb)
	shapes, known := content.ShapesOf(c, k.Name)
	d.boundsFit(boundsA, boundsB, shapes, known)
	d.slotsFit(shapes, known, boundsB)
	d.pinsFit()
	return true
}

// Function judges a device function that differs from the original's, for the kernels that reach it. What it does not show
// may be shown by a run of these kernels.
func Function(c *kit.Comparison, r *kit.Result, a, b *parser.Function, run func(*parser.Function, []*parser.Function) bool) {
	k := &kit.Kernel{Name: b.Name, State: &kit.KernelState{}}
	la, lb := c.OldNames.Lower(c.Old.File, a), c.Lowered(b)
	d := readDemotion(c, k, la, lb)
	callers := reaching(c, b)
	defer func() {
		if k.Doubtful(kit.Erasure) && run(a, callers) {
			return
		}
		// What is not shown of the function is not shown of the kernels that reach it.
		told := false
		for _, of := range r.Kernels {
			if !slices.ContainsFunc(callers, func(fn *parser.Function) bool { return fn.Name == of.Name }) {
				continue
			}
			told = true
			if of.Variant == kit.Same {
				of.Variant = "demote"
			}
			if shapes, known := content.ShapesOf(c, of.Name); k.Block != [3]int{} && of.Block == [3]int{} && known {
				of.Block = shapes[0]
			}
			of.Shown = append(of.Shown, k.Shown...)
			of.Doubts = append(of.Doubts, k.Doubts...)
		}
		if !told {
			r.Doubts = append(r.Doubts, k.Doubts...)
		}
	}()
	c.HeadFits(k, c.Head(c.Old, a), c.Head(c.New, b), b)
	if at := d.same(); at >= 0 {
		k.Doubt(kit.Erasure, c.New.File, at, "the device function %s is not the original's", b.Name)
	}
	if k.Doubtful(kit.Erasure) {
		return
	}
	k.Show(kit.Erasure, "token by token, with slots and pins undone", c.New.File.Position(b.Start))
	c.ReachFrom(k, lb)
	d.pinsFit()
	if len(d.slots)+len(d.arrays) == 0 && d.number == nil {
		return
	}
	if c.Escapes(b.Name) {
		d.doubt(b.Start, "the address of %s may be taken, and it may be called by any kernel", b.Name)
	}
	for _, fn := range callers {
		shapes, known := content.ShapesOf(c, fn.Name)
		_, bounds := kit.WithoutBounds(c.Head(c.SourceOf(c.FileOf[fn]), fn))
		d.slotsFit(shapes, known, bounds)
	}
}

// reaching returns the kernels of the new program that may call a device function.
func reaching(c *kit.Comparison, g *parser.Function) (out []*parser.Function) {
	for _, f := range c.NewNames.Prog.All() {
		for _, fn := range f.Functions {
			if !fn.IsKernel() || fn.Body == nil {
				continue
			}
			c.FileOf[fn] = f
			k := &kit.Kernel{State: &kit.KernelState{}}
			c.ReachFrom(k, c.Lowered(fn))
			if slices.ContainsFunc(k.State.Reach, func(low *ir.Func) bool { return low.View == g }) {
				out = append(out, fn)
			}
		}
	}
	return out
}

// withoutMaxRegs leaves out "__maxnreg__(n)", which only says how many registers a thread may have.
func withoutMaxRegs(us []units.Unit) []units.Unit {
	for i := range us {
		if b, _, ok := units.Match(us[i:], "__maxnreg__ ( $ )"); ok && units.Number(b[0]) > 0 {
			return append(append([]units.Unit(nil), us[:i]...), us[i+4:]...)
		}
	}
	return us
}

// boundsFit checks that no launch has more threads than the launch bounds let it have.
func (d *demotion) boundsFit(a, b [][]units.Unit, shapes [][3]int, known bool) {
	at := d.b.View.Start
	switch {
	case len(b) == 0 && len(a) == 0:
		return
	case len(b) == 0:
		return // fewer things that the compiler knows
	case len(a) > 0 && units.Text(a[0]) == units.Text(b[0]):
		return
	}
	most := d.c.Product(b[0])
	if most == 0 {
		d.k.Doubt(kit.Numbers, d.c.New.File, at, "it is not known how many threads these launch bounds let a block have")
		return
	}
	if len(a) > 0 {
		if was := d.c.Product(a[0]); was > 0 && was <= most {
			return
		}
	}
	for _, s := range shapes {
		if s[0]*s[1]*s[2] > most {
			d.k.Doubt(kit.Numbers, d.c.New.File, at, "a launch has more threads than these launch bounds")
			return
		}
	}
	shown := d.k.Show(kit.Numbers, "every launch in view has no more threads than the launch bounds", d.c.New.File.Position(at))
	if !known {
		shown.Assumes = "every launch has blocks of at most " + units.Itoa(most) + " threads"
	}
}
