package harness

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
)

// Choice holds the facts about how kernels are launched that nobody says how to run.
type Choice struct {
	// Usual returns the block and the dynamic shared memory with which a kernel is launched,
	// as far as the program tells: zeros where it does not.
	Usual func(f *parser.File, fn *parser.Function) (block [3]int, shared int)
	// Grid and Block are those of all launches where they are not zero.
	Grid, Block [3]int64
	// Threads is the number that a launch may have where nobody says how many it has, 0: no matter.
	Threads int64
	// Alias asks for a run in which pointers that may be one are one.
	Alias bool
}

// Chosen is a run that was chosen for a kernel. What its arrays must hold is found by
// running it: Counts is open until then.
type Chosen struct {
	Kernel  string // with template arguments
	launch  []string
	values  []string // NAME=VALUE
	Arrays  []Array
	aliases []string // NAME=OTHER
}

// Array is an array of a run: how many elements is in Count.
type Array struct {
	Name, Type, Fill string
	Count            int64
}

// String returns the run as a smux:bench comment has it, without the mark.
func (c *Chosen) String() string {
	items := slices.Concat([]string{c.Kernel}, c.launch, c.values)
	for _, a := range c.Arrays {
		items = append(items, fmt.Sprintf("%s=%s[%d]:%s", a.Name, a.Type, a.Count, a.Fill))
	}
	return strings.Join(append(items, c.aliases...), " ")
}

// RunOfCopy returns the number, from 0, of the run that makes a copy to the host, which are counted
// from 1 on: each run copies each of its arrays back. It is -1 for none.
func RunOfCopy(runs []*Chosen, number int) int {
	for i, c := range runs {
		if number -= len(c.Arrays); number <= 0 {
			return i
		}
	}
	return -1
}

// Spec returns the run as a specification.
func (c *Chosen) Spec() (*Spec, error) {
	return parseItems(phrase{text: c.String(), flag: commentMark + " " + c.String()}, &Spec{})
}

// Choose chooses runs for all kernels of a program, or for those of the names, as nobody says how to
// run them: several sizes with odd tails, scalars from what the kernel compares them with
// and from small and odd numbers, and arrays of values that tell elements apart. Templates
// run as their visible instances. A kernel that nothing can be chosen for is in skipped,
// with the reason.
func Choose(prog *parser.Program, kernels []string, how Choice) (runs []*Chosen, skipped []diag.Message) {
	for _, f := range append(append([]*parser.File{}, prog.Files...), headersOf(prog)...) {
		for _, fn := range f.Functions {
			if !fn.IsKernel() || fn.Body == nil || fn.Specialization || fn.Instantiation {
				continue
			}
			names := namesOf(prog, f, fn, kernels)
			if len(names) == 0 && (len(kernels) == 0 || slices.Contains(PlainNames(kernels), fn.Name)) {
				skipped = append(skipped, diag.Message{Pos: f.Position(fn.Start), Code: CodeKernel, Help: "write --kernel '" + fn.Name + "<ARGUMENTS>'",
					Text: "the template " + fn.Name + " has no instance in view, so nothing is chosen for it"})
			}
			for _, name := range names {
				c := &chooser{prog: prog, file: f, fn: fn, name: name, how: how}
				chosen, why := c.runs()
				if why != nil {
					skipped = append(skipped, *why)
				}
				runs = append(runs, chosen...)
			}
		}
	}
	return runs, skipped
}

// namesOf returns the names under which a kernel is to be run: with the template arguments of
// its visible instances.
func namesOf(prog *parser.Program, f *parser.File, fn *parser.Function, kernels []string) (out []string) {
	qualified := (&definition{f, fn}).qualified()
	if len(kernels) > 0 {
		for _, k := range kernels {
			plain, arguments, _ := strings.Cut(k, "<")
			if strings.TrimSpace(plain) != fn.Name && strings.TrimSpace(plain) != qualified {
				continue
			}
			if arguments != "" || !fn.IsTemplate {
				out = append(out, k)
			}
		}
		if len(out) > 0 || !slices.Contains(PlainNames(kernels), fn.Name) {
			return out
		}
	}
	if !fn.IsTemplate {
		return []string{qualified}
	}
	add := func(arguments string) {
		if name := qualified + arguments; arguments != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	written := func(file *parser.File, arguments *parser.Node) string {
		return strings.Join(strings.Fields(file.Text(arguments)), " ")
	}
	for _, file := range prog.Files {
		for _, l := range file.Launches {
			switch {
			case l.Kernel != fn.Name:
			case l.TemplateArgs != nil:
				add(written(file, l.TemplateArgs))
			default:
				add(deducedArguments(file, l, f, fn))
			}
		}
		for _, g := range file.Functions {
			if g.Instantiation && g.Name == fn.Name && g.Declared != nil {
				g.Declared.Walk(func(n *parser.Node) bool {
					if n.Kind == parser.KindTemplateArgumentList {
						add(written(file, n))
						return false
					}
					return true
				})
			}
		}
	}
	return out
}

// chooser chooses the runs of one kernel.
type chooser struct {
	prog      *parser.Program
	file      *parser.File
	fn        *parser.Function
	name      string
	how       Choice
	arguments map[string]string
	first     []Argument // the parameters so far, with what they get first
}

// mostRuns is the largest number of runs of one kernel.
const mostRuns = 6

// plainRuns is the number of runs where no parameter asks for more.
const plainRuns = 3

func (c *chooser) runs() ([]*Chosen, *diag.Message) {
	refuse := func(format string, args ...any) *diag.Message {
		return &diag.Message{Pos: c.file.Position(c.fn.Start), Code: CodeParameter, Text: c.name + ": " + fmt.Sprintf(format, args...),
			Help: "say how it is run in a smux:bench comment, or give it a program"}
	}
	if c.fn.Error != nil {
		return nil, refuse("smux can't parse the kernel")
	}
	template := ""
	if i := strings.IndexByte(c.name, '<'); i >= 0 {
		template = c.name[i:]
	}
	var err error
	if c.arguments, err = (&Spec{Kernel: c.fn.Name, Template: template}).templateArguments(c.fn); err != nil {
		m := asMessage(err)
		return nil, &m
	}
	usual, shared := c.usual()
	block := c.block(usual)
	most := 1
	if c.how.Grid[0] == 0 {
		most = plainRuns
	}
	values := make([][]string, len(c.fn.Params))
	var out []*Chosen
	for k := 0; k < most; k++ {
		run := &Chosen{Kernel: c.name}
		grid := c.grid(k)
		run.launch = []string{"grid=" + extentsText(grid), "block=" + extentsText(block)}
		if shared > 0 {
			run.launch = append(run.launch, "shared="+strconv.Itoa(shared))
		}
		for i := range c.fn.Params {
			p := &c.fn.Params[i]
			if p.Name == "" && !p.Variadic {
				return nil, refuse("parameter %d has no name", i+1)
			}
			if p.Variadic {
				return nil, refuse("it takes any number of parameters")
			}
			t := typeOf(c.file, c.fn, p, c.arguments)
			switch {
			case t.template:
				return nil, refuse("the type of %s depends on template arguments that are not known", p.Name)
			case t.pointers > 1:
				run.values = append(run.values, c.item(p.Name)+"=nullptr")
			case t.pointers == 1:
				array := Array{Name: c.item(p.Name), Type: t.base, Count: grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2], Fill: "distinct"}
				if t.base == "void" {
					array.Type = "unsigned char"
				}
				if members, ok := c.pointerMembers(t.base); !ok || len(members) > 0 {
					return nil, refuse("%s points to structures with pointers in them", p.Name)
				}
				run.Arrays = append(run.Arrays, array)
			default:
				if k == 0 {
					if values[i] = c.candidates(p, t, grid, block); values[i] == nil {
						return nil, refuse("nothing is chosen for a parameter of type %s", t.base)
					}
					c.first = append(c.first, Argument{Name: p.Name, Value: values[i][0], value: phrase{text: values[i][0]}})
					most = min(max(most, len(values[i])), mostRuns)
				} else if list := c.candidates(p, t, grid, block); list != nil {
					values[i] = list // they depend on the grid
				}
				run.values = append(run.values, c.item(p.Name)+"="+values[i][k%len(values[i])])
				members, ok := c.pointerMembers(t.base)
				if !ok {
					return nil, refuse("%s has pointers that are private", t.base)
				}
				for _, m := range members {
					array := Array{Name: p.Name + m.path, Type: m.typ, Count: grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2], Fill: "distinct"}
					run.Arrays = append(run.Arrays, array)
				}
			}
		}
		out = append(out, run)
	}
	if alias := c.aliased(out[0]); alias != nil {
		out = append(out, alias)
	}
	return out, nil
}

// item is a parameter's name in a comment.
func (c *chooser) item(name string) string {
	switch name {
	case "grid", "block", "shared":
		return "param." + name
	}
	return name
}

// aliased returns a run in which two pointers are one, where the signature allows it: neither is
// restricted, and they point to the same type. nil for none.
func (c *chooser) aliased(run *Chosen) *Chosen {
	if !c.how.Alias {
		return nil
	}
	var first *Array
	for i := range run.Arrays {
		a := &run.Arrays[i]
		p := paramNamed(c.fn, a.Name)
		if p == nil || strings.Contains(c.file.Text(p.Node), "restrict") {
			continue
		}
		if first == nil {
			first = a
			continue
		}
		if a.Type == first.Type {
			out := *run
			out.Arrays = slices.DeleteFunc(slices.Clone(run.Arrays), func(o Array) bool { return o.Name == a.Name })
			out.aliases = []string{a.Name + "=" + first.Name}
			return &out
		}
	}
	return nil
}

// grid returns the grid of the k-th run: few blocks, an odd number of them first.
func (c *chooser) grid(k int) [3]int64 {
	if c.how.Grid[0] > 0 {
		return c.how.Grid
	}
	out := [3]int64{[]int64{3, 1, 2}[k%3], 1, 1}
	if c.uses("blockIdx", "y") {
		out[1] = 2
	}
	if c.uses("blockIdx", "z") {
		out[2] = 2
	}
	if c.how.Threads > 0 {
		if usual, _ := c.usual(); count(usual)*count(out) > c.how.Threads {
			return [3]int64{1, 1, 1}
		}
	}
	return out
}

func count(of [3]int64) int64 { return of[0] * of[1] * of[2] }

// usual returns the block that the kernel has in view, zeros for none, and the bytes of dynamic shared memory.
func (c *chooser) usual() (block [3]int64, shared int) {
	if c.how.Usual != nil {
		var dims [3]int
		dims, shared = c.how.Usual(c.file, c.fn)
		block = [3]int64{int64(dims[0]), int64(dims[1]), int64(dims[2])}
	}
	if shared == 0 && strings.Contains(c.file.Text(c.fn.Body), "extern ") {
		shared = hardware.SharedPerBlock / 2
	}
	return block, shared
}

// block returns the block: the usual one where there is one, else what the kernel asks for, else 64 threads or fewer.
func (c *chooser) block(usual [3]int64) [3]int64 {
	out := [3]int64{64, 1, 1}
	switch {
	case c.how.Block[0] > 0:
		return c.how.Block
	case usual[0] > 0:
		return usual
	case c.uses("threadIdx", "z"):
		out = [3]int64{4, 4, 4}
	case c.uses("threadIdx", "y"):
		out = [3]int64{8, 8, 1}
	}
	written := c.asWritten()
	for i, n := range written {
		if n > 0 {
			out[i] = n
		}
	}
	if count(out) > hardware.MaxThreadsPerBlock {
		out = [3]int64{max(written[0], 1), max(written[1], 1), max(written[2], 1)}
	}
	if written != [3]int64{} {
		return out
	}
	for c.how.Threads > 0 && count(out) > 1 && count(out)*count(c.grid(0)) > c.how.Threads {
		longest := 0
		for i := range out {
			if out[i] >= out[longest] {
				longest = i
			}
		}
		out[longest] /= 2
	}
	return out
}

// uses reports whether a member of a variable is named in the kernel's body, or in a
// function of its file.
func (c *chooser) uses(variable, member string) bool {
	for _, fn := range c.file.Functions {
		if fn != c.fn && !fn.IsDevice() || fn.Body == nil {
			continue
		}
		if strings.Contains(c.file.Text(fn.Body), variable+"."+member) {
			return true
		}
	}
	return false
}

func extentsText(d [3]int64) string {
	switch {
	case d[2] > 1:
		return fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2])
	case d[1] > 1:
		return fmt.Sprintf("%dx%d", d[0], d[1])
	}
	return strconv.FormatInt(d[0], 10)
}
