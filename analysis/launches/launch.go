package launches

import (
	"maps"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/hostcode"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/values"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
)

// InstancesOf returns the instances that a launch of the kernel counts to.
func InstancesOf(k *analysis.Kernel, l *analysis.Launch) []*analysis.Instance {
	return lists.Filter(k.Instances, func(in *analysis.Instance) bool { return in.Launch == l || slices.Contains(in.Alike, l) })
}

// WhyNoShape reports why no launch in view tells the block shape of a kernel.
func WhyNoShape(k *analysis.Kernel) string {
	if len(k.Launches) == 0 {
		return "no launch in view tells its block shape"
	}
	return "the block shapes of its launches are computed at run time"
}

// Find matches launches to this kernel: by name, in a file that sees the definition.
func Find(k *analysis.Kernel) {
	if o := k.Prog.Given[k.View]; o != nil {
		takeInstances(k, o)
		return
	}
	for _, l := range k.Prog.Launches {
		if l.View.Kernel != k.Name || !VisibleFrom(k, l.File) {
			continue
		}
		k.Launches = append(k.Launches, l)
		for _, in := range Instances(k, l) {
			addInstance(k, in)
		}
	}
	findIndirect(k)
	forgetUnknown(k)
	defer hide(k)
	if len(k.Instances) == 0 {
		in := &analysis.Instance{Shape: k.Prog.Block, Told: true}
		k.Instances = []*analysis.Instance{in}
	} else if k.Prog.Block.Known() {
		for _, in := range k.Instances {
			if !in.Shape.Known() {
				in.Shape, in.Told = k.Prog.Block, true
			}
		}
	}
}

// forgetUnknown forgets template arguments that not all launches tell: no assertion could name their values.
func forgetUnknown(k *analysis.Kernel) {
	for i := range k.Func.TParams {
		if !slices.ContainsFunc(k.Instances, func(in *analysis.Instance) bool { return i >= len(in.TArgs) || !in.TArgs[i].Uniform() }) {
			continue
		}
		for _, in := range k.Instances {
			if i < len(in.TArgs) {
				in.TArgs[i] = values.Unknown
			}
		}
	}
}

// addInstance adds an instance, to another one if they do not differ.
func addInstance(k *analysis.Kernel, in *analysis.Instance) {
	for _, o := range k.Instances {
		if same(o, in) && evaluate.SameTypes(k, o, in) {
			if o.Launch != in.Launch {
				o.Alike = append(o.Alike, in.Launch)
			}
			return
		}
	}
	k.Instances = append(k.Instances, in)
}

// VisibleFrom reports whether a launch in a file can mean the kernel.
func VisibleFrom(k *analysis.Kernel, f *parser.File) bool {
	// A forward declaration in the launching file ties the two together too.
	declared := func(c analysis.FuncIn) bool { return c.Fn.IsKernel() && c.Fn.Body == nil }
	return f == k.File || slices.Contains(k.Prog.Parsed.Reach(f), k.File) || slices.ContainsFunc(k.Prog.Unit(f).ByName[k.Name], declared)
}

func same(a *analysis.Instance, b *analysis.Instance) bool {
	return a.Shape == b.Shape && a.DynamicBytes == b.DynamicBytes && slices.EqualFunc(a.TArgs, b.TArgs, func(x, y values.Value) bool { return x.Known == y.Known && x.S == y.S })
}

// Instances returns the instances of the kernel that a launch launches: one for each instance of its host function.
func Instances(k *analysis.Kernel, l *analysis.Launch) []*analysis.Instance {
	e, host := hostcode.Expr(l, k.Prog)
	if e == nil {
		return []*analysis.Instance{{Launch: l}}
	}
	if l.By != nil {
		return []*analysis.Instance{instance(k, l, e, host, nil)}
	}
	return lists.Map(hostInstances(k.Prog, l, host), func(vals map[*ir.Var]values.Value) *analysis.Instance { return instance(k, l, e, host, vals) })
}

func instance(k *analysis.Kernel, l *analysis.Launch, e *ir.Expr, host *ir.Func, vals map[*ir.Var]values.Value) *analysis.Instance {
	in := &analysis.Instance{Launch: l}
	f := passedFrame(k.Prog, k, host, l.By)
	maps.Copy(f.Vals, vals)
	config := e.Kids[:len(l.View.Config)]
	if len(config) > 1 {
		from, block, at := passed(f, config[1], e, l.By)
		if d, ok := from.Extents(block, at); ok && d[0]*d[1]*d[2] <= hardware.MaxThreadsPerBlock {
			in.Shape = analysis.Shape{X: d[0], Y: d[1], Z: d[2]}
		}
	}
	if len(config) > 2 {
		if b := f.Eval(config[2]); b.Uniform() && b.S > 0 {
			in.DynamicBytes = int(b.S)
		}
	}
	for _, t := range e.TArgs {
		in.TArgs = append(in.TArgs, f.Eval(t))
	}
	return in
}

// takeInstances gives a kernel the launches and instances of the same one of another Program, but for what is hidden in this one.
func takeInstances(k *analysis.Kernel, from *analysis.Kernel) {
	same := map[*parser.Launch]*analysis.Launch{}
	for _, l := range k.Prog.Launches {
		same[l.View] = l
	}
	for _, l := range from.Launches {
		k.Launches = append(k.Launches, same[l.View])
	}
	k.Indirect = from.Indirect
	maps.Copy(followed(k), followed(from))
	for _, o := range from.Instances {
		in := *o
		in.Alike = nil
		if o.Launch != nil {
			in.Launch = o.Launch
			if !o.Launch.Indirect {
				in.Launch = same[o.Launch.View]
			}
		}
		for _, l := range o.Alike {
			if !l.Indirect {
				l = same[l.View]
			}
			in.Alike = append(in.Alike, l)
		}
		in.TArgs = slices.Clone(o.TArgs)
		k.Instances = append(k.Instances, &in)
	}
	hide(k)
}

// hide takes from the instances what the program hides.
func hide(k *analysis.Kernel) {
	for _, in := range k.Instances {
		if k.Prog.AnyShape {
			in.Shape, in.Told = analysis.Shape{}, false
		}
		for i, tp := range k.Func.TParams {
			if i < len(in.TArgs) && k.Prog.Cache.Hidden[tp.Name] != nil {
				in.TArgs[i] = values.Unknown
			}
		}
	}
}
