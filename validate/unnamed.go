package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// unnamedFit doubts a kernel that may run code which no call names, and which waits for other threads, or asks for what the
// rewrite changes: constructors, destructors, operators and conversions, what members begin with, and default arguments.
// The kernel may run those of the classes, and the arguments of the functions, to whose names its text leads.
func (c judge) unnamedFit(k *Kernel, f *parser.File, b *parser.Function) {
	named := c.NewNamed()
	named.Function(f, b)
	all := named.Pastes || b.IsTemplate
	doubt := func(f *parser.File, us []units.Unit, what string) {
		if len(us) > 0 && c.asks(k, f, us) {
			k.Doubt(kit.Builtins, f, us[0].Start, "%s can run without a call that names it, and speaks of the thread block", what)
		}
	}
	for _, fns := range c.Devices {
		for _, fn := range fns {
			unnamed := fn.Class != "" && fn.Name == fn.Class || strings.HasPrefix(fn.Name, "~") || strings.HasPrefix(fn.Name, "operator")
			if unnamed && (all || fn.Class == "" || named.Names[fn.Class]) {
				f := c.FileOf[fn]
				doubt(f, c.SourceOf(f).Between(fn.Start, int(fn.Body.End)), strings.TrimPrefix(fn.Class+"::"+fn.Name, "::"))
			}
		}
	}
	for _, f := range c.NewNames.Prog.All() {
		for _, fn := range f.Functions {
			for _, q := range fn.Params {
				if q.Default != nil && named.Names[fn.Name] {
					doubt(f, c.SourceOf(f).Between(int(q.Default.Start), int(q.Default.End)), "an argument of "+fn.Name)
				}
			}
		}
		for _, class := range f.Classes {
			if class.Body == nil || class.Name != "" && (len(c.Declarations[class.Name]) == 0 || !all && !named.Names[class.Name]) {
				continue
			}
			us := slices.DeleteFunc(slices.Clone(c.SourceOf(f).Between(int(class.Body.Start)+1, int(class.Body.End))), func(u units.Unit) bool {
				return slices.ContainsFunc(f.Functions, func(fn *parser.Function) bool {
					return fn.Body != nil && fn.Start <= u.Start && u.Start < int(fn.Body.End)
				})
			})
			if units.Mentions(us, "=") || units.Mentions(us, "{") {
				doubt(f, us, "what a "+class.Name+" begins with")
			}
		}
	}
}

// asks reports whether units, or what they name, wait for other threads, or ask for a built-in that a kernel's rewrite changes.
func (c judge) asks(k *Kernel, f *parser.File, us []units.Unit) bool {
	asked := []string{"asm", "__asm__", "this_thread_block", "this_grid", "this_cluster", "coalesced_threads", "tiled_partition"}
	obj := kit.Unmerged()
	if k.State.Main != nil {
		obj = k.State.Main.Obj
	}
	if k.Merged > 1 || obj.Kind == kit.Renumbered {
		asked = append(asked, "blockIdx", "gridDim", "threadIdx", "blockDim", "__shared__") // merged blocks are stacked along z
	}
	if obj.OfThreads {
		asked = append(asked, "threadIdx.x", "threadIdx.y", "blockDim.x", "blockDim.y", "warpSize")
	}
	if obj.OfThreads && obj.Kind == kit.Renumbered {
		asked = append(asked, "extern __shared__", "volatile")
	}
	named := c.NewNamed()
	named.Units(f, us)
	for name, is := range named.Names {
		if is && (slices.Contains(asked, name) || strings.HasPrefix(name, "__syncthreads") || strings.HasPrefix(name, "__barrier_sync")) {
			return true
		}
	}
	return false
}
