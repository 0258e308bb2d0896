// Package sizes finds the integer constants of a program that set how large a kernel's thread block, its shared
// arrays or its unrolled loops are: macros, constants, enumerators, default arguments and template arguments of
// launches whose value is written as one number in one place.
//
// Which of them set a size is not guessed from names: each is given another value, the program is read again, and
// what the analysis knows of the kernel is compared. So a launch that follows a constant through other macros and
// variables is seen to follow it. Where a block shape or the choice of a template argument comes through calls, which
// the analysis does not follow, the host code is searched backwards for what may be its source. That a program still
// computes the same with another value is not said: nothing but a run can show that.
package sizes

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/usual"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// Constant is an integer that a program writes as a number, and what depends on it.
type Constant struct {
	Name  string // of the macro, variable or enumerator; "argument 2 of kernel" for a template's
	File  *parser.File
	Value int64
	// Places are byte offsets of the digits in File, ascending: one but for template
	// arguments, which all launches of the kernel have alike.
	Places [][2]int
	Sets   []Size // what changes with it, by kernel in order of the program, then by name
	// Offered are the values among which the program itself chooses, as by a switch over
	// template arguments; nil for any.
	Offered []int64

	name string // as the program spells it
}

// Size is a size of a kernel: "block shape", "shared array tile", "shared memory", "dynamic
// shared memory", "unrolling in line 40".
type Size struct {
	Kernel *analysis.Kernel
	What   string
}

// Position returns the position of the first digits.
func (c *Constant) Position() diag.Position { return c.File.Position(c.Places[0][0]) }

// Of returns what the constant sets of a kernel.
func (c *Constant) Of(k *analysis.Kernel) (out []string) {
	for _, s := range c.Sets {
		if s.Kernel == k {
			out = append(out, s.What)
		}
	}
	return out
}

// Text returns the constant's file with another value.
func (c *Constant) Text(value int64) []byte {
	var out []byte
	at := 0
	for _, p := range c.Places {
		out = append(out, c.File.Src[at:p[0]]...)
		out = strconv.AppendInt(out, value, 10)
		at = p[1]
	}
	return append(out, c.File.Src[at:]...)
}

// With returns the program with another value of the constant. The error is that of reading it.
func (c *Constant) With(p *analysis.Program, value int64) (*analysis.Program, error) {
	parsed, err := p.Parsed.WithTexts(map[string][]byte{c.File.Name: c.Text(value)})
	if err != nil {
		return nil, fmt.Errorf("reading %s with %s = %d: %w", c.File.Name, c.Name, value, err)
	}
	return p.On(parsed), nil
}

// Values returns what else is worth a try, ascending: powers of two from a quarter to four times the value, and what
// divides it or is a multiple of it in that range; of these the offered ones.
func (c *Constant) Values() (out []int64) {
	for n := max(1, c.Value/4); n <= 4*c.Value; n++ {
		power := n&(n-1) == 0
		if n != c.Value && (power || c.Value%n == 0 || n%c.Value == 0) && (c.Offered == nil || slices.Contains(c.Offered, n)) {
			out = append(out, n)
		}
	}
	return out
}

// largest is the largest value of a constant that may set a size.
const largest = 1 << 16

// Find returns the constants that set a size of some kernels of a program, in the order of files and places.
func Find(p *analysis.Program, kernels ...*analysis.Kernel) ([]*Constant, error) {
	before := lists.Map(kernels, sizesOf)
	all, sources := candidates(p, kernels)
	var out []*Constant
	for _, c := range all {
		now, err := c.With(p, c.other())
		if err != nil {
			return nil, err
		}
		for i, k := range kernels {
			c.Sets = append(c.Sets, c.compare(k, before[i], Kernel(now, k))...)
			c.choose(k, sources[i])
		}
		if len(c.Sets) > 0 {
			out = append(out, c)
		}
	}
	return out, nil
}

// candidates are the constants that may set a size of some kernels, and where the sizes of
// each kernel come from in the host code.
func candidates(p *analysis.Program, kernels []*analysis.Kernel) ([]*Constant, [][]followed) {
	hosts, near, sources := newFlow(p.Parsed), wordsNear(kernels), make([][]followed, len(kernels))
	for i, k := range kernels {
		sources[i] = hosts.follow(k)
		for _, f := range sources[i] {
			for v := range f.from {
				near[v.name] = true
			}
		}
	}
	return constants(p.Parsed, near), sources
}

// Named returns the constant of a name that Find gives it for some kernels, nil where there
// is none. Sets is empty: nothing is tried.
func Named(p *analysis.Program, name string, kernels ...*analysis.Kernel) *Constant {
	all, _ := candidates(p, kernels)
	if i := slices.IndexFunc(all, func(c *Constant) bool { return c.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// choose adds the sizes whose values come from the constant as far as host code can be
// followed, where the analysis does not know them: it reads no call.
func (c *Constant) choose(k *analysis.Kernel, from []followed) {
	for _, f := range from {
		if !c.named(f.from) {
			continue
		}
		if c.Offered == nil {
			c.Offered = slices.Clone(f.offered)
		} else if f.offered != nil { // what all of its choices offer
			c.Offered = slices.DeleteFunc(c.Offered, func(n int64) bool { return !slices.Contains(f.offered, n) })
		}
		if size := (Size{k, f.what}); !slices.Contains(c.Sets, size) {
			c.Sets = append(c.Sets, size)
		}
	}
}

// other is the value that is tried to see what changes.
func (c *Constant) other() int64 {
	if c.Value >= 512 {
		return c.Value / 2
	}
	return 2 * c.Value
}

// compare returns what is different of a kernel with another value, nil for a kernel that is gone.
func (c *Constant) compare(k *analysis.Kernel, before map[string]string, after *analysis.Kernel) (out []Size) {
	if after == nil {
		return nil
	}
	is := sizesOf(after)
	for _, what := range slices.Sorted(maps.Keys(before)) {
		if is[what] != before[what] {
			out = append(out, Size{k, what})
		}
	}
	for _, what := range c.unrolls(k) {
		out = append(out, Size{k, what})
	}
	return out
}

// Kernel returns a kernel in a program that With has made of its own: the one that is as
// many-th in its file. nil where the files no longer have as many functions.
func Kernel(now *analysis.Program, k *analysis.Kernel) *analysis.Kernel {
	i := slices.Index(k.File.Functions, k.View)
	for _, f := range now.Parsed.All() {
		if f.Name != k.File.Name || i < 0 || len(f.Functions) != len(k.File.Functions) {
			continue
		}
		if fn := f.Functions[i]; fn.Name == k.View.Name && fn.Body != nil {
			return now.Kernel(f, fn)
		}
	}
	return nil
}

// sizesOf describes a kernel's sizes, by what each is the size of: all values that it has in the launches in view.
func sizesOf(k *analysis.Kernel) map[string]string {
	all := map[string][]string{}
	add := func(what string, size ...any) { all[what] = append(all[what], fmt.Sprint(size...)) }
	for _, in := range usual.Counted(k) { // what a launch only usually has follows a constant, too
		if dims, ok := in.BlockShape(); ok {
			add("block shape", dims)
		} else {
			add("block shape", "not known")
		}
		bytes, exact := launches.SharedBytes(k, in)
		add("shared memory", bytes, exact)
		for _, s := range k.Shared {
			bytes, exact := launches.SharedBytesOf(k, in, s)
			if s.Dynamic {
				add("dynamic shared memory", bytes, exact)
			} else {
				add("shared array "+s.Name, bytes, exact)
			}
		}
	}
	for _, s := range k.Shared {
		if !s.Dynamic {
			add("shared array "+s.Name, s.Dims, s.Bytes)
		}
	}
	out := map[string]string{}
	for what, list := range all {
		slices.Sort(list)
		out[what] = strings.Join(slices.Compact(list), "; ")
	}
	return out
}
