package choose

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/harness"
	"github.com/smux-cuda/smux/verify/harness/ctype"
)

// Choice holds the facts about how kernels are launched that nobody says how to run.
type Choice struct {
	// Usual returns the block and the dynamic shared memory with which a kernel is launched,
	// as far as the program tells: zeros where it does not.
	Usual func(f *parser.File, fn *parser.Function) (block [3]int, shared int)
	// Grid is that of all launches where it is not zero, Block that of all for which Usual has none.
	Grid, Block [3]int64
	// Threads is the number that a launch may have where nobody says how many it has, 0: no matter.
	Threads int64
	// Alias asks for a run in which pointers that may be one are one.
	Alias bool
}

// Chosen is a run that was chosen for a kernel. What its arrays must hold is found by running it: Counts is open until then.
type Chosen struct {
	Kernel  string // with template arguments
	launch  []string
	numbers []string // NAME=VALUE of what is no array
	Arrays  []Array
	aliases []string // NAME=OTHER
	by      *chooser
	setting
}

// Array is an array of a run: how many elements is in Count.
type Array struct {
	Name, Type, Fill string
	Count            int64
}

// String returns the run as a smux:bench comment has it, without the mark.
func (c *Chosen) String() string {
	items := slices.Concat([]string{c.Kernel}, c.launch, c.numbers)
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
func (c *Chosen) Spec() (*harness.Spec, error) {
	return harness.ParseItems(harness.Phrase{Text: c.String(), Flag: harness.CommentMark + " " + c.String()}, &harness.Spec{})
}

// Choose chooses runs for all kernels of a program, or for those of the names, as nobody says how to run them: several sizes with odd
// tails, scalars from what the kernel compares them with and from small and odd numbers, and arrays of values that tell elements
// apart. Templates run as their visible instances. A kernel that nothing can be chosen for is in skipped, with the reason.
func Choose(prog *parser.Program, kernels []string, how Choice) (runs []*Chosen, skipped []diag.Message) {
	programs := map[[3]int64]*analysis.Program{}
	for _, f := range slices.Concat(prog.Files, harness.HeadersOf(prog)) {
		for _, fn := range f.Functions {
			if !fn.IsKernel() || fn.Body == nil || fn.Specialization || fn.Instantiation {
				continue
			}
			names := harness.NamesOf(prog, f, fn, kernels)
			if len(names) == 0 && (len(kernels) == 0 || slices.Contains(harness.PlainNames(kernels), fn.Name)) {
				skipped = append(skipped, diag.Message{Pos: f.Position(fn.Start), Code: harness.CodeKernel, Help: "write --kernel '" + fn.Name + "<ARGUMENTS>'",
					Text: "the template " + fn.Name + " has no instance in view, so nothing is chosen for it"})
			}
			if n := len(names); n > mostInstances && len(kernels) == 0 {
				skipped = append(skipped, diag.Message{Pos: f.Position(fn.Start), Code: harness.CodeKernel, Help: "--kernel '" + names[1] + "' runs another one",
					Text: fmt.Sprintf("%s has %d instances, of which %d are run", fn.Name, n, mostInstances)})
				for i := range mostInstances {
					names[i] = names[i*n/mostInstances]
				}
				names = names[:mostInstances]
			}
			for _, name := range names {
				c := &chooser{kernelText: kernelText{f, fn}, prog: prog, name: name, how: how, programs: programs}
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

// mostInstances is the largest number of instances of a template that are run where nobody names one.
const mostInstances = 6

// chooser chooses the runs of one kernel.
type chooser struct {
	kernelText
	prog      *parser.Program
	name      string
	how       Choice
	arguments map[string]string
	first     []harness.Argument             // numbers, with what they get first
	known     int                            // of them, those before the parameter under way
	programs  map[[3]int64]*analysis.Program // by the block that launches out of sight are taken to have
	named     map[string]bool                // what the kernel and the functions that it reaches name
	shared    int                            // bytes of dynamic shared memory
	blocks    [][3]int64                     // that the text allows, the likeliest first

	standsForBlock map[string]bool // the names that asBlock matches, once they were looked for
}

// kernelText is a kernel as it is written.
type kernelText struct {
	file *parser.File
	fn   *parser.Function
}

// mostRuns is the largest number of runs of one kernel.
const mostRuns = 6

// setting holds what runs of a kernel differ in.
type setting struct {
	grid, block [3]int64
	number      int      // of the run
	other       int      // 0 for a run that is chosen first, else the number of one that is compared with it
	fill        string   // of arrays of numbers
	chance      int      // 0, or what numbers and contents of arrays are drawn by
	kept        []string // those of numbers, of a run that is compared with one by chance
	layout      int      // 0, or the number of one in which lengths and strides are small and fit each other
}

func (c *chooser) refuse(format string, args ...any) *diag.Message {
	return &diag.Message{Pos: c.file.Position(c.fn.Start), Code: harness.CodeParameter, Text: c.name + ": " + fmt.Sprintf(format, args...),
		Help: "say how it is run in a smux:bench comment, or give it a program"}
}

// unset returns a variable of the module, but no floating-point one, that host code sets and the kernel names, "" for none.
func (c *chooser) unset() string {
	k := c.kernel([3]int64{})
	c.names() // which fills named
	for _, f := range c.prog.All() {
		for _, by := range f.Functions {
			if by.Body == nil || by.IsKernel() || by.IsDevice() {
				continue
			}
			for _, word := range harness.Words.FindAllString(f.Text(by.Body), -1) {
				if v := k.GlobalVar(k.Func, word); v != nil && c.named[word] && (v.Kind == ir.VarGlobal || v.Kind == ir.VarConstant) && v.Init == nil && (v.Type.Ptr > 0 || !floats.MatchString(v.Type.Base)) {
					return word
				}
			}
		}
	}
	return ""
}

var floats = regexp.MustCompile(`^(float|double|half|__half|__nv_bfloat16)[1-4]?$`)

func (c *chooser) runs() ([]*Chosen, *diag.Message) {
	if c.fn.Error != nil {
		return nil, c.refuse("smux can't parse the kernel")
	}
	if name := c.unset(); name != "" {
		return nil, c.refuse("host code sets %s, and alone the kernel would find zeros there", name)
	}
	template := ""
	if i := strings.IndexByte(c.name, '<'); i >= 0 {
		template = c.name[i:]
	}
	var err error
	if c.arguments, err = (&harness.Spec{Kernel: c.fn.Name, Template: template}).TemplateArguments(c.fn); err != nil {
		m := harness.AsMessage(err)
		return nil, &m
	}
	var usual [3]int64
	usual, c.shared = c.usual()
	c.blocks = c.block(usual)
	if most := count(c.blocks[0]); usual[0] > 0 && most > count(usual) { // shared memory for each thread, most often
		c.shared = int(int64(c.shared) * most / count(usual))
	}
	most := 1
	if c.how.Grid[0] == 0 {
		most = harness.PlainRuns
	}
	var out []*Chosen
	for k := 0; k < most; k++ {
		run, values, why := c.run(setting{grid: c.grid(k), block: c.blocks[0], number: k, fill: "distinct"})
		if why != nil {
			return nil, why
		}
		if k == 0 {
			most = min(max(most, values), mostRuns)
		}
		if !slices.ContainsFunc(out, func(o *Chosen) bool { return o.String() == run.String() }) {
			out = append(out, run)
		}
	}
	if alias := c.aliased(out[0]); alias != nil {
		out = append(out, alias)
	}
	return out, nil
}

// SmallLayout reports whether the run has lengths and strides that are small, so that some blocks or warps may do nothing.
func (c *Chosen) SmallLayout() bool { return c.layout > 0 }

// OneWarp reports whether the run has one warp, and the kernel may be for one.
func (c *Chosen) OneWarp() bool { return count(c.block) == hardware.WarpSize && c.by.forOneWarp() }

// Others returns runs of the same kernel that the text allows as well as this one: with other blocks, lengths, and contents of arrays, and the
// same constants that the text asks for.
func (c *Chosen) Others() (out []*Chosen) {
	by, known := c.by, map[string]bool{c.String(): true}
	// Each of the blocks comes with several in the grid and values that differ, and the likeliest with few values as well.
	add := func(s setting) {
		if s.number = c.number; c.chance > 0 {
			s.kept = c.numbers
		}
		run, _, why := by.run(s)
		if why == nil && !known[run.String()] {
			known[run.String()] = true
			out = append(out, run)
		}
	}
	for i, fill := range []string{"iota", "distinct", fewValues, "iota", "distinct", "distinct", "iota", "distinct", fewValues, fewValues, "iota"} {
		add(setting{grid: by.grid(i), block: by.blocks[i%min(mostOthers, len(by.blocks))], other: i + 1, fill: fill})
	}
	for i := 1; i <= mostLayouts && by.hasLayout(); i++ {
		add(setting{grid: by.grid(0), block: by.blocks[0], other: i, layout: i, fill: "distinct"})
	}
	if c.chance > 0 { // its numbers may not fit each other: others that come to the same place tell
		out = append(out, slices.DeleteFunc(c.ByChance(othersByChance, "distinct"), func(o *Chosen) bool { return known[o.String()] })...)
	}
	return out
}

// Runs reports whether the kernel is a function, or names it, or a function that it reaches does.
func (c *Chosen) Runs(function string) bool {
	c.by.names()
	return c.by.fn.Name == function || c.by.named[function]
}

// ByChance returns runs of the same kernel with numbers and contents of arrays by chance, the same each time; arrays are filled so, most often.
func (c *Chosen) ByChance(n int, fill string) (out []*Chosen) {
	for i := 1; i <= n; i++ {
		run, _, why := c.by.run(setting{grid: c.by.grid(i), block: c.by.blocks[0], chance: i, fill: fill})
		if why == nil {
			out = append(out, run)
		}
	}
	return out
}

// mostOthers is the largest number of blocks that a run is compared with, othersByChance that of runs by chance.
const mostOthers, othersByChance = 4, 24

// OneBlock reports whether the run has one thread block.
func (c *Chosen) OneBlock() bool { return count(c.grid) == 1 }

// IsCut reports whether an array may be accessed beyond the most elements that one gets.
func (c *Chosen) IsCut() bool {
	return slices.ContainsFunc(c.Arrays, func(a Array) bool { return a.Count >= mostElements })
}

// FewValues reports whether what its arrays hold is the same in most elements, so that threads may do the same, or nothing.
func (c *Chosen) FewValues() bool { return c.fill == fewValues }

// OwnValues reports whether arrays of whole numbers hold the number of each element, which is often that of a thread.
func (c *Chosen) OwnValues() bool { return c.fill == "iota" }

// Repeats reports whether what the kernel only reads of whole numbers is bytes, more than there are values: they are no places of which each is another.
func (c *Chosen) Repeats() (repeats bool) {
	for _, a := range c.Arrays {
		p, typ := harness.ParamNamed(c.by.fn, a.Name), ctype.Canonical(a.Type)
		if p == nil || ctype.Bits[typ] == 0 || !harness.HasWord(c.by.file.Text(p.Node), "const") {
			continue
		}
		if ctype.Bytes[typ] > 1 {
			return false
		}
		repeats = repeats || a.Count > 256
	}
	return repeats
}

const fewValues = "random(0,2)"

// run makes a run, and returns as well the largest number of values that a parameter should have in turn.
func (c *chooser) run(s setting) (run *Chosen, values int, why *diag.Message) {
	run = &Chosen{Kernel: c.name, by: c, setting: s}
	run.launch = []string{"grid=" + extentsText(s.grid), "block=" + extentsText(s.block)}
	if c.shared > 0 {
		run.launch = append(run.launch, "shared="+strconv.Itoa(c.shared))
	}
	c.known = 0
	rows := false
	array := func(name, typ string) {
		if typ == "void" {
			typ = "unsigned char"
		}
		fill := s.fill
		scalar, _ := ctype.Components(typ)
		scalar = ctype.Canonical(scalar)
		whole := ctype.Bits[scalar] != 0
		if scalar == "" || fill == "iota" && !whole {
			fill = "distinct"
		}
		if scalar == "bool" && fill == "distinct" {
			fill = "random" // some of both
		}
		waited := waited(c, name)
		switch levels := c.levels(name, scalar); {
		case waited && !strings.HasPrefix(levels, "const"):
			fill = "zero"
		case whole && scalar == ctype.Canonical(typ) && ctype.Bytes[scalar] >= 4 && c.holdsRows(name):
			fill, rows = "rows", true
		case scalar != "" && fill != fewValues && levels != "":
			fill = levels
		case rows && whole && s.other == 0 && s.number%2 == 1: // columns, say: rows have some in common
			fill = "random"
		}
		if s.chance > 0 && waited {
			fill = drawn(name, s.chance, fill, fill, s.fill)
		} else if s.chance > 0 && scalar != "" {
			fill = drawn(name, s.chance, fill, fill, fill, "random", fewValues, "zero", signedFill(whole))
		}
		run.Arrays = append(run.Arrays, Array{Name: name, Type: typ, Count: count(s.grid) * count(s.block), Fill: fill})
	}
	for i := range c.fn.Params {
		p := &c.fn.Params[i]
		if p.Name == "" && !p.Variadic {
			return nil, 0, c.refuse("parameter %d has no name", i+1)
		}
		if p.Variadic {
			return nil, 0, c.refuse("it takes any number of parameters")
		}
		t := harness.TypeOf(c.file, c.fn, p, c.arguments)
		switch {
		case t.Template:
			return nil, 0, c.refuse("the type of %s depends on template arguments that are not known", p.Name)
		case t.Pointers > 1:
			return nil, 0, c.refuse("%s points to pointers", p.Name)
		case t.Pointers == 1:
			if members, ok := c.pointerMembers(t.Base); !ok || slices.ContainsFunc(members, func(m member) bool { return !m.number }) {
				return nil, 0, c.refuse("%s points to structures with pointers in them", p.Name)
			}
			array(c.item(p.Name), t.Base)
		default:
			list := c.candidates(p, t, s)
			if list == nil {
				return nil, 0, c.refuse("nothing is chosen for a parameter of type %s", t.Base)
			}
			values = max(values, len(list))
			value := run.drawn(p.Name, t.Known, list)
			if c.known == len(c.first) {
				c.first = append(c.first, harness.Argument{Name: p.Name, Value: value, Phrase: harness.Phrase{Text: value}})
			}
			c.known++
			run.numbers = append(run.numbers, c.item(p.Name)+"="+value)
			members, ok := c.pointerMembers(t.Base)
			if !ok {
				return nil, 0, c.refuse("%s has pointers that are private", t.Base)
			}
			for _, m := range members {
				if !m.number {
					array(p.Name+m.path, m.typ)
				} else if list := c.numbers(m.path[strings.LastIndexByte(m.path, '.')+1:], ctype.Canonical(m.typ), s); list != nil {
					values = max(values, len(list))
					run.numbers = append(run.numbers, p.Name+m.path+"="+run.drawn(p.Name+m.path, ctype.Canonical(m.typ), list))
				}
			}
		}
	}
	return run, values, nil
}

// drawn returns one of the values for the next number, or one by chance.
func (c *Chosen) drawn(name, known string, list []string) string {
	_, fits := c.by.layout(name, c.setting.layout)
	switch {
	case c.kept != nil && (c.setting.layout == 0 || !fits):
		_, value, _ := strings.Cut(c.kept[len(c.numbers)], "=")
		return value
	case c.chance > 0 && c.setting.layout == 0:
		return drawn(name, c.chance, slices.Concat(list, byChance(known, c.setting))...)
	}
	return list[c.number%len(list)]
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
		p := harness.ParamNamed(c.fn, a.Name)
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

// grid returns the grid of the k-th run: few blocks, an odd number of them first, and one where the text tells no blocks apart.
func (c *chooser) grid(k int) [3]int64 {
	if c.how.Grid[0] > 0 {
		return c.how.Grid
	}
	out := c.gridNamed(k)
	if c.how.Threads > 0 && count(c.blocks[0])*count(out) > c.how.Threads {
		return [3]int64{1, 1, 1}
	}
	return out
}

func (c *chooser) gridNamed(k int) [3]int64 {
	out := [3]int64{1, 1, 1}
	for i, d := range []string{"x", "y", "z"} {
		if c.names("blockIdx."+d, "gridDim."+d) {
			out[i] = [3][3]int64{{3, 1, 2}, {2, 2, 2}, {2, 2, 2}}[i][k%3]
		}
	}
	if c.names("this_grid", "%ctaid") || count(out) == 1 && blocksMeet(c) {
		out[0] = 3
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
	if shared == 0 && slices.ContainsFunc(c.kernel([3]int64{}).Shared, func(s *analysis.Shared) bool { return s.Dynamic }) {
		shared = hardware.SharedPerBlock / 2
	}
	return block, shared
}

func extentsText(d [3]int64) string {
	return strings.TrimSuffix(strings.TrimSuffix(fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2]), "x1"), "x1")
}
