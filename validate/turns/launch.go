package turns

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// launches compares the launches of a file.
type launches struct{ *kit.Comparison }

// Host compares a host function: outside of launches it is the original's. A launch may have a statement
// before it that computes its parts, and both may stand in braces of their own.
func Host(of *kit.Comparison, r *kit.Result, a, b kit.Definition) {
	c := launches{of}
	la, lb := kit.LaunchesIn(c.Old, a), kit.LaunchesIn(c.New, b)
	atA, atB := a.Start, b.Start
	braces := false
	equal := func(endA, endB int, p *parts) bool {
		ua, ub := c.Old.Between(atA, endA), slices.Clone(c.New.Between(atB, endB))
		if end := units.IndexOf(ub, ";"); braces && end >= 0 { // of the launch before
			if braces = end+1 >= len(ub) || ub[end+1].Text != "}"; !braces {
				ub = slices.Delete(ub, end+1, end+2)
			} else {
				ub = nil // more than the launch stands in them
			}
		}
		if p != nil && ub != nil {
			first := p.first - (len(c.New.Between(atB, endB)) - len(ub))
			ub = slices.Delete(ub, first, first+p.units)
			if !units.Same(ua, ub) && first > 0 && ub[first-1].Text == "{" && !units.Mentions(ub[first:], "=") {
				ub, braces = slices.Delete(ub, first-1, first), true
			}
		}
		at := units.Differ(ua, ub, endB-1)
		if at >= 0 || braces && p == nil {
			r.Doubt(kit.Erasure, c.New.File, max(at, atB), "this differs from the original")
		}
		return at < 0
	}
	if len(la) != len(lb) {
		r.Doubt(kit.Launches, c.New.File, b.Start, "%s has %d launches and not %d", b.Fn.Name, len(lb), len(la))
		return
	}
	for i := range la {
		p := c.launchParts(c.New.Between(atB, int(lb[i].Node.Start)))
		if p != nil {
			p.host = b.Fn
		}
		if !equal(int(la[i].Node.Start), int(lb[i].Node.Start), p) {
			return
		}
		c.launch(r, la[i], lb[i], p)
		atA, atB = int(la[i].Node.End), int(lb[i].Node.End)
	}
	equal(a.End, b.End, nil)
}

// launch compares one launch with each kernel that it may be of.
func (c launches) launch(r *kit.Result, a, b *parser.Launch, p *parts) {
	if p != nil && p.reshaped {
		c.reshaped(r, a, b, p)
		return
	}
	ks := c.Changed[b.Kernel]
	other := slices.ContainsFunc(c.New.File.Functions, func(fn *parser.Function) bool {
		return fn.Name == b.Kernel && fn.IsKernel() && fn.Body != nil && !slices.ContainsFunc(ks, func(k *kit.Kernel) bool { return k.Pos == c.New.File.Position(min(fn.Start, int(fn.Outer.Start))) })
	})
	if len(ks) == 0 || other {
		c.launchOf(nil, r, a, b, p)
	}
	for _, k := range ks {
		c.launchOf(k, r, a, b, p)
	}
}

// launchOf compares a launch of a kernel, which is nil where it did not change.
func (c launches) launchOf(k *kit.Kernel, r *kit.Result, a, b *parser.Launch, p *parts) {
	ua, ub := c.Old.Between(int(a.Node.Start), int(a.Node.End)), c.New.Between(int(b.Node.Start), int(b.Node.End))
	if k != nil && k.State.Main != nil && k.Merged == 1 {
		k.Launches++
		k = nil
	}
	if k == nil {
		if at := units.Differ(ua, ub, int(b.Node.Start)); at >= 0 || p != nil {
			r.Doubt(kit.Launches, c.New.File, max(at, int(b.Node.Start)), "this launch changed, and its kernel was not merged")
		}
		return
	}
	fail := func(format string, args ...any) {
		k.Doubt(kit.Launches, c.New.File, int(b.Node.Start), format, args...)
	}
	from, to := c.launchText(c.Old, a), c.launchText(c.New, b)
	switch {
	case from == nil || to == nil || len(from.config) < 2 || k.State.Main == nil:
		fail("this launch can't be read")
		return
	case from.head != to.head:
		fail("another kernel is launched than by the original, or in another way")
		return
	}
	obj := k.State.Main.Obj
	if obj.Kind == kit.Coarsened {
		part := 0 // the grid
		if obj.OfThreads {
			part = 1
		}
		grid := c.partOf(part, p, from, b)
		if obj.OfThreads && c.capped(a.Kernel) {
			fail("the kernel has a cap on its threads, at which launches of more may fail that fewer don't")
			return
		}
		if grid == "" || a.Call != "" {
			fail("the %s is not the original's, or may be another one where the kernel is passed its length", [2]string{"grid", "block"}[part])
			return
		}
		length := grid + " . " + obj.Axis
		if obj.Whole {
			length = "make_uint3 ( " + grid + " . x , " + grid + " . y , " + grid + " . z )"
		}
		c.partsFit(k, from.lists(a, k.State, slices.Replace(texts(from.config), part, part+1, shorter(obj, grid)), []string{length}, ""), to, b)
		return
	}
	if p == nil || units.Text(p.grid) != units.Text(from.config[0]) || units.Text(p.block) != units.Text(from.config[1]) || !p.fits(c.Comparison, obj, k.Name, from.kernel) {
		fail("the grid or the block is not the original's for %d merged blocks", obj.Merged)
		return
	}
	if !p.stays(obj, from.kernel, from.config) {
		fail("as many blocks as stay are not asked for as the kernel says")
	}
	added := []string{p.name + " . blocks"}
	if obj.Whole {
		added = []string{p.name + " . whole"}
	}
	sets := dynamicSets(k.State)
	none := len(from.config) < 3 && p.bytes == nil // bytes of dynamic shared memory
	switch {
	case sets && none:
		added = append(added, "0")
	case sets:
		added = append(added, p.name+" . set")
		if len(from.config) < 3 || units.Text(p.bytes) != units.Text(from.config[2]) || !strings.HasPrefix(p.sets+" ", units.Itoa(obj.Sets(nil))+" ") {
			fail("the bytes of dynamic shared memory are not those that the kernel takes")
			return
		}
	}
	if a.Settings != nil && !sets && p.bytes != nil {
		fail("the kernel has no sets of dynamic shared memory, and the launch asks for some")
	}
	config := []string{p.name + " . grid", p.name + " . block"}
	for i := 2; i < len(from.config); i++ {
		if config = append(config, units.Text(from.config[i])); i == 2 && sets {
			config[2] = p.name + " . bytes"
		}
	}
	c.partsFit(k, from.lists(a, k.State, config, added, p.name), to, b)
}

// reshaped compares a launch in blocks of another shape, and notes the kernels that it may be of.
func (c launches) reshaped(r *kit.Result, a, b *parser.Launch, p *parts) {
	from, to, extents := c.launchText(c.Old, a), c.launchText(c.New, b), strings.Split(p.shape, " , ")
	ks := slices.DeleteFunc(slices.Clone(r.Kernels), func(k *kit.Kernel) bool { return k.Name != b.Kernel })
	if from == nil || to == nil || a.Call != "" || len(from.config) < 2 || from.head != to.head || !p.limits(c.Comparison, b.Kernel, from.kernel) || p.resident+p.sets != "" || len(ks) == 0 ||
		units.Text(p.grid) != units.Text(from.config[0]) || units.Text(p.block) != units.Text(from.config[1]) ||
		len(extents) > 3 || slices.ContainsFunc(extents, func(n string) bool { return units.Number(n) < 1 }) {
		r.Doubt(kit.Launches, c.New.File, int(b.Node.Start), "this launch is not the original's in blocks of another shape, or its kernel is not in view")
		return
	}
	config := slices.Concat([]string{p.name + " . grid", p.name + " . block"}, texts(from.config[2:]), []string{""}, texts(from.args))
	for _, k := range ks {
		c.partsFit(k, config, to, b)
		if k.Merged > 1 || k.Block != [3]int{} || k.Variant == "assume-shape" {
			k.Doubt(kit.Launches, c.New.File, int(b.Node.Start), "the kernel is for blocks of one shape, or of several blocks of the original")
		}
		if at := (kit.Reshape{Kernel: k, Axes: "xyz"[:len(extents)]}); !slices.Contains(c.Reshapes, at) {
			c.Reshapes = append(c.Reshapes, at)
		}
	}
}

// partsFit compares the parts of a launch with those that it must have.
func (c launches) partsFit(k *kit.Kernel, wanted []string, to *launchText, b *parser.Launch) {
	for i, part := range wanted {
		if i >= len(to.all) || units.Text(to.all[i]) != part {
			at := int(b.Node.End) - 1
			if i < len(to.all) && len(to.all[i]) > 0 {
				at = to.all[i][0].Start
			}
			k.Doubt(kit.Launches, c.New.File, at, "this part of the launch is not the original's")
			return
		}
	}
	if len(to.all) != len(wanted) {
		k.Doubt(kit.Launches, c.New.File, int(b.Node.Start), "this launch has other parts than the original")
	}
	k.Launches++
}

// partOf returns the name of the grid, or the block, of the original in the launch of a coarsened kernel: what the statement
// before it computes, or a variable that nothing in the launch changes; "" where that isn't so.
func (c launches) partOf(part int, p *parts, from *launchText, b *parser.Launch) string {
	of := from.config[part]
	if whole := units.Text(of); p != nil {
		if len(of) > 1 && of[0].Text == "{" { // a list of extents, as dim3's constructor takes them
			whole = units.Text(of[1 : len(of)-1])
		}
		if text := units.Text(p.grid); text == "dim3 ( "+whole+" )" || text == whole && units.Closing(of, 1) == len(of)-1 {
			return p.name
		}
		return ""
	}
	name := units.Text(of)
	rest := slices.Concat(slices.Concat(slices.Delete(slices.Clone(from.config), part, part+1)...), slices.Concat(from.args...))
	for _, fn := range c.New.File.Functions {
		if fn.Body == nil || b.Open < fn.Start || b.Open >= int(fn.Body.End) || units.Mentions(rest, name) {
			continue
		}
		low := ir.LowerFor(&c.NewNames.Cache, c.New.File, fn, []*parser.Node{fn.Body})
		all := lists.Filter(append(slices.Clone(low.Vars), low.Params...), func(v *ir.Var) bool { return v.Name == name })
		unlike := func(v *ir.Var) bool { // whichever of them the launch names
			return v.Type.Base != "dim3" || v.Type.Ptr > 0 || len(v.Dims) > 0 || (v.Type.Ref || v.AddrTaken) && !once(rest)
		}
		if len(all) > 0 && !slices.ContainsFunc(all, unlike) {
			return name
		}
	}
	return ""
}

// shorter is the grid of a coarsened kernel.
func shorter(o *kit.Object, grid string) string {
	var out []string
	for _, axis := range []string{"x", "y", "z"} {
		part := grid + " . " + axis
		if axis == o.Axis {
			part = tooMany(o, grid) + " ? " + part + " : ( " + part + " + " + units.Itoa(o.Merged-1) + " ) / " + units.Itoa(o.Merged)
		}
		out = append(out, part)
	}
	return "dim3 ( " + strings.Join(out, " , ") + " )"
}

// capped: a declaration of a kernel may say how many threads, or registers of each, it has at most.
func (c launches) capped(kernel string) bool {
	return slices.ContainsFunc(c.NewNames.Prog.All(), func(f *parser.File) bool {
		return slices.ContainsFunc(f.Functions, func(fn *parser.Function) bool {
			return fn.Name == kernel && fn.IsKernel() && (fn.LaunchBounds != nil || fn.ParamList == nil ||
				units.Mentions(c.SourceOf(f).Between(min(fn.Start, int(fn.Outer.Start)), int(fn.ParamList.Start)), "__maxnreg__"))
		})
	})
}

// tooMany is the condition under which the original's launch fails, and so has to fail as it is.
func tooMany(o *kit.Object, grid string) string {
	all := strings.ReplaceAll("@ . x * @ . y * @ . z > 1024", "@", grid)
	switch {
	case o.OfThreads && o.Axis == "z":
		return grid + " . z > 64 || " + all
	case o.OfThreads:
		return all
	case o.Axis == "x":
		return grid + " . x > 0x7fffffff"
	}
	return grid + " . " + o.Axis + " > 0xffff"
}

func texts(parts [][]units.Unit) []string {
	return lists.Map(parts, units.Text)
}

// launchText is the text of a launch in parts.
type launchText struct {
	head   string         // all up to its lists, with their lengths
	kernel []units.Unit   // how the kernel is named
	config [][]units.Unit // grid, block, bytes, stream
	args   [][]units.Unit // those of the kernel, or of the call that launches it
	all    [][]units.Unit // in their order in the text
}

func (c launches) launchText(s *units.Source, l *parser.Launch) *launchText {
	start, end := int(l.Node.Start), int(l.Node.End)
	if l.Error != nil || l.Call == "" && (l.Args == nil || len(l.Config) < 2) {
		return nil
	}
	if l.Call == "" {
		t := &launchText{head: units.Text(s.Between(start, l.Open)), kernel: s.Between(start, l.Open), config: c.config(s, l), args: units.Split(s.Between(int(l.Args.Start)+1, int(l.Args.End)-1))}
		t.all = append(append(slices.Clone(t.config), nil), t.args...)
		return t
	}
	us := s.Between(start, end)
	open := units.IndexOf(us, "(")
	t := &launchText{head: units.Text(us[:open]), kernel: s.Between(l.Open, l.Close), args: units.Split(us[open+1 : len(us)-1])}
	named := 0
	if l.Settings != nil {
		named = 1
	}
	t.args = wholeKernel(t.args, named)
	t.all = t.args
	for i, n := range l.Config {
		if l.Settings != nil && l.SettingsName == nil {
			break
		}
		t.config = append(t.config, s.Between(int(n.Start), int(n.End)))
		if l.Settings != nil {
			t.config[i] = append(slices.Clone(s.Between(int(l.SettingsName.Start), int(l.SettingsName.End))), units.Unit{Text: "."}, units.Unit{Text: l.SettingOf(i)})
		}
	}
	return t
}

// lists are the parts that the launch of the merged kernel has: with another configuration, and what the kernel is
// passed more where it takes it.
func (t *launchText) lists(l *parser.Launch, st *kit.KernelState, config, added []string, name string) (out []string) {
	packed := func(us []units.Unit) string {
		list := units.Text(us)
		for i, more := range added {
			list = fmt.Sprintf("smux : : arguments < %d , %d > ( %s , %s )", st.Extra+i, st.Params+i, list, more)
		}
		return list
	}
	insert := func(args [][]units.Unit) {
		for i := range len(args) + 1 {
			if i == min(st.Extra, len(args)) {
				out = append(out, added...)
			}
			if i < len(args) {
				out = append(out, units.Text(args[i]))
			}
		}
	}
	switch {
	case l.Call == "":
		out = append(config, "")
		insert(t.args)
	case l.Settings == nil:
		out = slices.Concat([]string{units.Text(t.args[0])}, config[:2], []string{packed(t.args[3])}, config[2:])
	default:
		setting := units.Text(t.config[0][:len(t.config[0])-2])
		if out = []string{"smux : : configured ( " + setting + " , " + name + " )", units.Text(t.args[1])}; l.Packed != nil {
			return append(out, packed(t.args[2]))
		}
		insert(t.args[2:])
	}
	return out
}

func (c launches) config(s *units.Source, l *parser.Launch) (out [][]units.Unit) {
	us := s.Between(l.Open, l.Close)
	for n := 0; n < 3 && len(us) > 0; us = us[1:] {
		n += len(us[0].Text) // "<<<", and "<< <"
	}
	for n := 0; n < 3 && len(us) > 0; us = us[:len(us)-1] {
		n += len(us[len(us)-1].Text)
	}
	return units.Split(us)
}

// local reports whether a name is that of a variable of the function it stands in, or of a member.
func (c launches) local(i int) bool {
	u := c.New.Units[i]
	if i > 0 && (c.New.Units[i-1].Text == "." || i > 1 && units.Is(c.New.Units[i-2:i], "- >")) || i > 2 && units.Is(c.New.Units[i-3:i], "smux : :") {
		return true
	}
	return slices.ContainsFunc(c.New.File.Functions, func(fn *parser.Function) bool {
		if fn.Body == nil || u.Start < fn.Start || u.Start >= int(fn.Body.End) {
			return false
		}
		low := ir.LowerFor(&c.NewNames.Cache, c.New.File, fn, []*parser.Node{fn.Body}) // all of it
		found := slices.ContainsFunc(append(slices.Clone(low.Vars), low.Params...), func(v *ir.Var) bool {
			return v.Name == u.Text && !v.Macro && (fn.Quals != 0 || v.Range.Start <= u.Start && u.Start < v.Range.End && (v.Init == nil || u.Start < v.Init.Range.Start))
		})
		kit.Walk(low.Body, func(e *ir.Expr) bool {
			found = found || e.Op == ir.OpIdent && !e.Macro && e.Range.Start == u.Start && e.Var != nil && (e.Var.Kind == ir.VarLocal || e.Var.Kind == ir.VarParam)
			return true
		})
		return found
	})
}

// NamedElsewhere looks for other uses of rewritten kernels than their launches: what is launched by its address is not
// followed. What is asked of one is another kernel's answer, which a program must bear.
func NamedElsewhere(of *kit.Comparison, r *kit.Result) {
	c := launches{of}
	for _, k := range slices.Concat(slices.Collect(maps.Values(c.Changed))...) {
		name := k.Name
		if k.Merged == 1 {
			continue // it is launched as it was
		}
		for i, u := range c.New.Units {
			switch {
			case strings.HasPrefix(u.Text, "# define") && slices.Contains(units.Words(u.Text), name):
				k.Doubt(kit.Launches, c.New.File, u.Start, "a macro names the kernel, and may launch it")
			case u.Text != name || c.local(i) || content.DeclaresAt(c.New.File, name, u.Start):
			case i+1 < len(c.New.Units) && c.New.Units[i+1].Text == "(": // another function of that name: nobody calls a kernel so
			case slices.ContainsFunc(c.New.File.Launches, func(l *parser.Launch) bool {
				return l.Kernel == name && (l.Call == "" && int(l.Node.Start) <= u.Start && u.Start < l.Open || l.Call != "" && l.Open <= u.Start && u.Start < l.Close)
			}):
			default:
				switch call := c.callAround(i); {
				case c.asked(i), call == "cudaFuncSetCacheConfig":
				case strings.HasPrefix(call, "cudaOccupancy"), call == "cudaFuncGetAttributes":
					k.Show(kit.Launches, "the runtime is asked about the kernel", c.New.File.Position(u.Start)).Assumes = "the program bears any answer of the runtime about the registers, threads and blocks of the kernel"
				default:
					k.Doubt(kit.Launches, c.New.File, u.Start, "the kernel is named here, and may be launched as it was")
				}
			}
		}
	}
}

// asked reports whether a kernel's name is the first argument of smux::try_merge<…> or smux::resident<…>, which ask how
// many threads and blocks it may have.
func (c launches) asked(i int) bool {
	us := c.New.Units
	for i > 1 && us[i-1].Text == ":" { // ::k, inner::k
		if i -= 2; i > 0 && units.IsWord(us[i-1].Text) {
			i--
		}
	}
	if i < 3 || us[i-1].Text != "(" || us[i-2].Text != ">" {
		return false
	}
	for i -= 2; i > 0 && us[i].Text != "<"; {
		i--
	}
	return i > 3 && (units.Is(us[i-4:i], "smux : : try_merge") || units.Is(us[i-4:i], "smux : : resident"))
}

// callAround is the name of the call of which a unit is an argument, "" where it is none's.
func (c launches) callAround(i int) string {
	us, depth := c.New.Units, 0
	for i--; i > 0; i-- {
		switch us[i].Text {
		case ")", "]", "}":
			depth++
		case "(", "[", "{":
			if depth--; depth < 0 && us[i].Text == "(" && units.IsWord(us[i-1].Text) && us[i-1].Text != ")" {
				return us[i-1].Text
			} else if depth < 0 && us[i].Text != "(" {
				return ""
			} else if depth < 0 {
				depth = 0
			}
		case ";":
			return ""
		}
	}
	return ""
}
