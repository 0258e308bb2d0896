package validate

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/numbers"
	"github.com/smux-cuda/smux/validate/turns"
	"github.com/smux-cuda/smux/validate/units"
)

// Programs judges a new program against an old one. Their files belong together in their order.
func Programs(a, b *parser.Program) *Result {
	r := &Result{Schema: Schema, Kernels: []*Kernel{}, Doubts: []Doubt{}}
	var all []*kit.Comparison
	shared := &kit.Comparison{Devices: map[string][]*parser.Function{}, Sources: map[*parser.File]*units.Source{}, FileOf: map[*parser.Function]*parser.File{}, Declarations: map[string][]kit.Declaration{}}
	for _, f := range b.All() {
		src := shared.SourceOf(f)
		parts := runtimeParts(src.Units)
		ofRuntime := func(at int) bool { // it is trusted, or a doubt
			return slices.ContainsFunc(parts, func(p runtimePart) bool { return p.holds(src, at) })
		}
		f.Declared(func(name string, d *parser.Node) {
			if !ofRuntime(int(d.Start)) {
				shared.Declarations[name] = append(shared.Declarations[name], kit.Declaration{File: f, Node: d})
			}
		})
		for _, fn := range f.Functions {
			if ofRuntime(fn.Start) {
				continue
			}
			if fn.Body != nil && (fn.IsDevice() || fn.Quals == 0) {
				shared.Devices[fn.Name] = append(shared.Devices[fn.Name], fn)
				shared.FileOf[fn] = f
			}
		}
	}
	changed, apart := map[string][]*Kernel{}, map[*parser.Function]bool{}
	for i, f := range b.Files {
		if i >= len(a.Files) {
			r.Doubt(Erasure, f, 0, "the old program has no such file")
			continue
		}
		all = append(all, &kit.Comparison{
			Old: units.NewSource(a.Files[i]), New: shared.SourceOf(f), Sources: shared.Sources, OldNames: kit.NewNames(a, nil), NewNames: kit.NewNames(b, nil), Groups: map[*ir.Func]map[string]bool{}, Devices: shared.Devices, FileOf: shared.FileOf, Declarations: shared.Declarations,
			Low: map[*parser.Function]*ir.Func{}, Device: map[*ir.Func]bool{}, Origin: map[*parser.Function]*parser.Function{}, Changed: changed, Apart: apart, Constant: content.Constant,
		})
	}
	for _, c := range all {
		judge{c}.functions(r)
		judge{c}.headers(r)
	}
	for _, c := range all {
		for _, judge := range c.Kernels {
			judge()
		}
	}
	for _, c := range all {
		for _, judge := range c.Inner {
			judge()
		}
	}
	for _, c := range all {
		for _, judge := range c.Hosts {
			judge()
		}
		turns.NamedElsewhere(c, r)
		for _, s := range c.Reshapes {
			if f, fn := numbers.Reshaped(c, s.Kernel, s.Axes); fn != nil {
				turns.Waits(c, s.Kernel)
				judge{c}.unnamedFit(s.Kernel, f, fn)
			}
		}
	}
	for _, c := range all {
		for _, judge := range c.Last {
			judge()
		}
	}
	for _, k := range r.Kernels {
		slices.SortStableFunc(k.Doubts, func(a, b Doubt) int {
			return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(a.Text, b.Text))
		})
	}
	for _, k := range slices.Concat(slices.Collect(maps.Values(changed))...) {
		if k.Merged == 1 {
			continue // launched as it was
		}
		if k.Launches == 0 {
			k.Show(Launches, "no launch in view").Assumes = "other launches must be like the rewritten ones"
		} else if !k.Doubtful(Launches) {
			k.Show(Launches, units.Itoa(k.Launches)+" compared")
		}
	}
	return r
}

// definitions returns the functions of a file that lie in no other, in their order.
func definitions(s *units.Source, skip map[int]bool) (out []kit.Definition) {
	for _, fn := range s.File.Functions {
		start, end := min(fn.Start, int(fn.Outer.Start)), int(fn.Outer.End)
		if us := s.Between(start, end); len(us) == 0 || skip[s.IndexOf(us[0])] {
			continue
		}
		out = append(out, kit.Definition{Fn: fn, Start: start, End: end})
	}
	slices.SortStableFunc(out, func(a, b kit.Definition) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	end := -1
	return slices.DeleteFunc(out, func(d kit.Definition) bool {
		if d.Start < end {
			return true
		}
		end = d.End
		return false
	})
}

// judge judges the kernels of a file.
type judge struct{ *kit.Comparison }

// functions lays the functions of the two files side by side; what is between them must be the same.
func (c judge) functions(r *Result) {
	was, now := c.OldNames, c.NewNames
	before, skip := c.runtimeFits(c.Old, r), c.runtimeFits(c.New, r)
	as, bs := definitions(c.Old, before), definitions(c.New, skip)
	atA, atB := 0, 0
	outside := func(endA, endB int) bool {
		ua, ub := slices.Clone(c.Old.Between(atA, endA)), slices.Clone(c.New.Between(atB, endB))
		ua = slices.DeleteFunc(ua, func(u units.Unit) bool { return before[c.Old.IndexOf(u)] })
		ub = slices.DeleteFunc(ub, func(u units.Unit) bool { return skip[c.New.IndexOf(u)] })
		at := units.Differ(ua, ub, endB)
		if at >= 0 {
			r.Doubt(Erasure, c.New.File, min(at, len(c.New.File.Src)), "this differs from the original")
		}
		return at < 0
	}
	i := 0
	for _, d := range bs {
		from := (*kit.Definition)(nil)
		clone := i > 0 && as[i-1].Fn.Name == d.Fn.Name && (i >= len(as) || as[i].Fn.Name != d.Fn.Name) && d.Fn.IsDevice()
		switch {
		case clone:
			from = &as[i-1]
			if len(c.New.Between(atB, d.Start)) > 0 {
				r.Doubt(Erasure, c.New.File, d.Start, "this differs from the original")
			}
		case i < len(as) && as[i].Fn.Name == d.Fn.Name:
			from = &as[i]
			if !outside(from.Start, d.Start) {
				return
			}
			i++
		default:
			r.Doubt(Erasure, c.New.File, d.Start, "the original has no function %s here", d.Fn.Name)
			return
		}
		atA, atB = from.End, d.End
		if units.Same(c.Old.Between(from.Start, from.End), c.New.Between(d.Start, d.End)) {
			if d.Fn.IsKernel() && d.Fn.Body != nil {
				r.Kernels = append(r.Kernels, &Kernel{Name: d.Fn.Name, Pos: c.New.File.Position(d.Start), Variant: Same, Merged: 1, Shown: []Obligation{}, Doubts: []Doubt{}})
			}
			continue
		}
		if (d.Fn.Body == nil) != (from.Fn.Body == nil) {
			r.Doubt(Erasure, c.New.File, d.Start, "this is a declaration in one program and a definition in the other")
			continue
		}
		switch {
		case d.Fn.IsKernel():
			k := &Kernel{Name: d.Fn.Name, Pos: c.New.File.Position(d.Start), Variant: "unknown", Merged: 1, Shown: []Obligation{}, Doubts: []Doubt{}}
			k.State = &kit.KernelState{Copies: map[string]*kit.CopySet{}, Aligned: map[*parser.Function]*kit.Alignment{}}
			if d.Fn.Body != nil {
				r.Kernels = append(r.Kernels, k)
				c.Changed[k.Name] = append(c.Changed[k.Name], k)
				c.Kernels = append(c.Kernels, func() { c.kernelGuarded(k, was, now, from.Fn, d.Fn); c.runtimeSeen(k) })
				c.Last = append(c.Last, func() { c.macrosAsDefined(k, from.Fn, d.Fn) })
			} else {
				turns.Declared(c.Comparison, r, *from, d)
			}
		case d.Fn.IsDevice():
			c.deviceForm(r, from.Fn, d.Fn)
		default:
			c.Hosts = append(c.Hosts, func() { turns.Host(c.Comparison, r, *from, d) })
		}
	}
	if i < len(as) {
		r.Doubt(Erasure, c.New.File, len(c.New.File.Src), "the original's function %s is gone", as[i].Fn.Name)
		return
	}
	outside(len(c.Old.File.Src), len(c.New.File.Src))
}

// headers compares the headers that the two files include, which give names their meaning. The runtime's holds nothing else.
func (c judge) headers(r *Result) {
	was, _ := headersOf(c.OldNames.Prog, c.Old.File)
	now, runtime := headersOf(c.NewNames.Prog, c.New.File)
	for _, h := range runtime {
		s := c.SourceOf(h)
		mine := c.runtimeFits(s, r)
		if i := slices.IndexFunc(s.Units, func(u units.Unit) bool { return !mine[s.IndexOf(u)] }); i >= 0 {
			r.Doubt(Runtime, h, s.Units[i].Start, "this is no part of smux's runtime")
		}
	}
	for i, h := range now {
		if i >= len(was) || baseName(was[i]) != baseName(h) {
			r.Doubt(Erasure, h, 0, "the original does not include this header, or it is not in view there")
			return
		}
		if bytes.Equal(was[i].Src, h.Src) {
			continue
		}
		if at := units.Differ(c.SourceOf(was[i]).Units, c.SourceOf(h).Units, len(h.Src)); at >= 0 {
			r.Doubt(Erasure, h, at, "this header differs from the original's")
		}
	}
	if len(was) > len(now) {
		r.Doubt(Erasure, c.New.File, 0, "the original's header %s is not included, or not in view", was[len(now)].Name)
	}
}

// headersOf returns the headers that a file includes, but for those that are compared as files; those of the runtime are apart.
func headersOf(p *parser.Program, f *parser.File) (out, runtime []*parser.File) {
	for _, h := range p.Reach(f)[1:] {
		switch {
		case baseName(h) == runtimeHeader:
			runtime = append(runtime, h)
		case !slices.Contains(p.Files, h):
			out = append(out, h)
		}
	}
	return out, runtime
}
