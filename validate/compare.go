package validate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// comparison is one file of the old program beside the one of the new program that it became.
type comparison struct {
	a, b   *source
	namesA *names
	namesB *names
	groups map[*ir.Func]map[string]bool

	devices      map[string][]*parser.Function // device functions of the new program, by name
	fileOf       map[*parser.Function]*parser.File
	declarations map[string][]declaration // what the new program declares outside of functions, by name
	low          map[*parser.Function]*ir.Func
	device       map[*ir.Func]bool
	classes      map[string]bool                       // of nothing but numbers
	sharing      map[string]bool                       // and those with shared memory of their own
	defines      bool                                  // an operator of a class
	origin       map[*parser.Function]*parser.Function // of device functions that changed
	apart        map[*parser.Function]bool             // those of all files that changed and are given no v-TB object
	changed      map[string]*Kernel                    // rewritten kernels of all files, by name

	included bool // the new text includes smux.cuh

	kernels, inner, hosts, last []func() // what is judged when all functions are laid side by side
}

// Programs judges a new program against an old one. Their files belong together in their order.
func Programs(a, b *parser.Program) *Result {
	r := &Result{Schema: Schema, Kernels: []*Kernel{}, Doubts: []Doubt{}}
	var all []*comparison
	shared := &comparison{devices: map[string][]*parser.Function{}, fileOf: map[*parser.Function]*parser.File{}, declarations: map[string][]declaration{}}
	for _, f := range b.All() {
		src := newSource(f)
		parts := runtimeParts(src.units)
		ofRuntime := func(at int) bool { // it is trusted, or a doubt
			return slices.ContainsFunc(parts, func(p runtimePart) bool { return p.holds(src, at) })
		}
		f.Declared(func(name string, d *parser.Node) {
			if !ofRuntime(int(d.Start)) {
				shared.declarations[name] = append(shared.declarations[name], declaration{f, d})
			}
		})
		for _, fn := range f.Functions {
			if ofRuntime(fn.Start) {
				continue
			}
			if fn.Body != nil && (fn.IsDevice() || fn.Quals == 0) {
				shared.devices[fn.Name] = append(shared.devices[fn.Name], fn)
				shared.fileOf[fn] = f
			}
		}
	}
	changed, apart := map[string]*Kernel{}, map[*parser.Function]bool{}
	for i, f := range b.Files {
		if i >= len(a.Files) {
			r.doubt(Erasure, f, 0, "the old program has no such file")
			continue
		}
		all = append(all, &comparison{
			a: newSource(a.Files[i]), b: newSource(f), namesA: &names{prog: a}, namesB: &names{prog: b}, groups: map[*ir.Func]map[string]bool{}, devices: shared.devices, fileOf: shared.fileOf, declarations: shared.declarations,
			low: map[*parser.Function]*ir.Func{}, device: map[*ir.Func]bool{}, origin: map[*parser.Function]*parser.Function{}, changed: changed, apart: apart,
		})
	}
	for _, c := range all {
		c.functions(r)
	}
	for _, c := range all {
		for _, judge := range c.kernels {
			judge()
		}
	}
	for _, c := range all {
		for _, judge := range c.inner {
			judge()
		}
	}
	for _, c := range all {
		for _, judge := range c.hosts {
			judge()
		}
		c.namedElsewhere(r)
	}
	for _, c := range all {
		for _, judge := range c.last {
			judge()
		}
	}
	for _, k := range r.Kernels {
		slices.SortStableFunc(k.Doubts, func(a, b Doubt) int {
			return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(a.Text, b.Text))
		})
	}
	for _, k := range changed {
		if k.Merged == 1 {
			continue // launched as it was
		}
		if k.launches == 0 {
			k.shown(Launches, "no launch in view")
			k.Shown[len(k.Shown)-1].Assumes = "whoever launches it does so as the rewritten launches do"
		} else if !k.doubtful(Launches) {
			k.shown(Launches, itoa(k.launches)+" compared")
		}
	}
	return r
}

// unitsOf returns the units of a statement of the new text.
func (c *comparison) unitsOf(s *ir.Stmt) []unit { return c.b.between(s.Range.Start, s.Range.End) }

// excerpt is what the original has at a place, short enough for a message.
func (c *comparison) excerpt(as []*ir.Stmt, i int) string {
	if i >= len(as) {
		return "nothing more"
	}
	line, _, more := strings.Cut(string(c.a.file.Src[as[i].Range.Start:as[i].Range.End]), "\n")
	if len(line) > 60 {
		line, more = line[:60], true
	}
	if more {
		line += " …"
	}
	return line
}

func (c *comparison) lowered(fn *parser.Function) *ir.Func {
	if c.low[fn] == nil {
		c.low[fn] = c.namesB.lower(c.fileOf[fn], fn)
		c.device[c.low[fn]] = true
	}
	return c.low[fn]
}

// definition is a function of a file with the range of its text.
type definition struct {
	fn         *parser.Function
	start, end int
}

// definitions returns the functions of a file that lie in no other, in their order.
func definitions(s *source, skip map[int]bool) (out []definition) {
	for _, fn := range s.file.Functions {
		start, end := min(fn.Start, int(fn.Outer.Start)), int(fn.Outer.End)
		if us := s.between(start, end); len(us) == 0 || skip[s.indexOf(us[0])] {
			continue
		}
		out = append(out, definition{fn, start, end})
	}
	slices.SortStableFunc(out, func(a, b definition) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	end := -1
	return slices.DeleteFunc(out, func(d definition) bool {
		if d.start < end {
			return true
		}
		end = d.end
		return false
	})
}

// indexOf returns the index of a unit of the file.
func (s *source) indexOf(u unit) int {
	i, _ := slices.BinarySearchFunc(s.units, u.start, func(u unit, at int) int { return cmp.Compare(u.start, at) })
	return i
}

// functions lays the functions of the two files side by side; what is between them must be the same.
func (c *comparison) functions(r *Result) {
	skip := c.runtimeFits(c.b, r)
	as, bs := definitions(c.a, nil), definitions(c.b, skip)
	atA, atB := 0, 0
	outside := func(endA, endB int) bool {
		ua, ub := c.a.between(atA, endA), slices.Clone(c.b.between(atB, endB))
		ub = slices.DeleteFunc(ub, func(u unit) bool { return skip[c.b.indexOf(u)] })
		at := differ(ua, ub, endB)
		if at >= 0 {
			r.doubt(Erasure, c.b.file, min(at, len(c.b.file.Src)), "this is not what the original has here")
		}
		return at < 0
	}
	i := 0
	for _, d := range bs {
		from := (*definition)(nil)
		clone := i > 0 && as[i-1].fn.Name == d.fn.Name && (i >= len(as) || as[i].fn.Name != d.fn.Name) && d.fn.IsDevice()
		switch {
		case clone:
			from = &as[i-1]
			if len(c.b.between(atB, d.start)) > 0 {
				r.doubt(Erasure, c.b.file, d.start, "this is not what the original has here")
			}
		case i < len(as) && as[i].fn.Name == d.fn.Name:
			from = &as[i]
			if !outside(from.start, d.start) {
				return
			}
			i++
		default:
			r.doubt(Erasure, c.b.file, d.start, "the original has no function %s here", d.fn.Name)
			return
		}
		atA, atB = from.end, d.end
		if same(c.a.between(from.start, from.end), c.b.between(d.start, d.end)) {
			if d.fn.IsKernel() && d.fn.Body != nil {
				r.Kernels = append(r.Kernels, &Kernel{Name: d.fn.Name, Pos: c.b.file.Position(d.start), Variant: Same, Merged: 1, Shown: []Obligation{}, Doubts: []Doubt{}})
			}
			continue
		}
		if (d.fn.Body == nil) != (from.fn.Body == nil) {
			r.doubt(Erasure, c.b.file, d.start, "this is a declaration in one program and a definition in the other")
			continue
		}
		switch {
		case d.fn.IsKernel():
			k := &Kernel{Name: d.fn.Name, Pos: c.b.file.Position(d.start), Variant: "unknown", Merged: 1, Shown: []Obligation{}, Doubts: []Doubt{}}
			k.state = &kernelState{copies: map[string]*copies{}, aligned: map[*parser.Function]*alignment{}}
			if d.fn.Body != nil {
				r.Kernels = append(r.Kernels, k)
				c.changed[k.Name] = k
				c.kernels = append(c.kernels, func() { c.kernelGuarded(k, from.fn, d.fn); c.headerFits(k, r) })
				c.last = append(c.last, func() { c.macrosAsDefined(k, from.fn, d.fn) })
			} else {
				c.declared(r, *from, d)
			}
		case d.fn.IsDevice():
			c.deviceForm(r, from.fn, d.fn)
		default:
			c.hosts = append(c.hosts, func() { c.host(r, *from, d) })
		}
	}
	if i < len(as) {
		r.doubt(Erasure, c.b.file, len(c.b.file.Src), "the original's function %s is gone", as[i].fn.Name)
		return
	}
	outside(len(c.a.file.Src), len(c.b.file.Src))
}
