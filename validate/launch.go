package validate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

func itoa(n int) string { return strconv.Itoa(n) }

// number reads a number in the text, 0 for anything else.
func number(word string) int {
	n, err := strconv.Atoi(strings.TrimRight(word, "uUlL"))
	if err != nil {
		return 0
	}
	return n
}

// host compares a host function: outside of launches it is the original's. A launch may have a statement
// before it that computes its parts.
func (c *comparison) host(r *Result, a, b definition) {
	la, lb := launchesIn(c.a, a), launchesIn(c.b, b)
	atA, atB := a.start, b.start
	equal := func(endA, endB int) bool {
		ua, ub := c.a.between(atA, endA), c.b.between(atB, endB)
		i, ok := same(ua, ub)
		if !ok {
			at := endB - 1
			if i < len(ub) {
				at = ub[i].start
			}
			r.doubt(Erasure, c.b.file, at, "this is not what the original has here")
		}
		return ok
	}
	if len(la) != len(lb) {
		r.doubt(Launches, c.b.file, b.start, "%s has %d launches and not %d", b.fn.Name, len(lb), len(la))
		return
	}
	for i := range la {
		parts := launchParts(c.b.between(atB, int(lb[i].Node.Start)))
		if !equal(int(la[i].Node.Start), parts.start(int(lb[i].Node.Start))) {
			return
		}
		c.launch(r, la[i], lb[i], parts)
		atA, atB = int(la[i].Node.End), int(lb[i].Node.End)
	}
	equal(a.end, b.end)
}

// parts is "const auto l = smux::merge<2, 64>(grid, block);" before a launch, "smux::sets<2>(…, bytes)"
// around it where the kernel has several sets of dynamic shared memory.
type parts struct {
	name               string
	at                 int
	shape              string // of merge, as units with blanks between
	sets               string // of sets, "" without
	grid, block, bytes []unit
	try                []unit // of try_merge, which merges where that fits: the most threads, or the kernel
	resident           string // "128" of resident, which starts as many blocks as stay; "" without
	kernel             []unit // the kernel that it asks about
	beside             []unit // the bytes of dynamic shared memory that it counts, nil for none
}

func (p *parts) start(at int) int {
	if p == nil {
		return at
	}
	return p.at
}

// launchParts reads the statement that ends some units.
func launchParts(us []unit) *parts {
	at := -1
	for i := range us {
		if _, _, ok := match(us[i:], "const auto $ = smux : :"); ok {
			at = i
		}
	}
	if at < 0 || us[len(us)-1].text != ";" {
		return nil
	}
	p := &parts{name: us[at+2].text, at: us[at].start}
	name, shape, args := smuxCall(us[at+4 : len(us)-1])
	if name == "resident" && (len(args) == 2 || len(args) == 3) {
		p.resident, p.kernel = shape, args[0]
		if len(args) == 3 {
			p.beside = args[2]
		}
		name, shape, args = smuxCall(args[1])
	}
	if name == "sets" && len(args) == 2 {
		p.sets, p.bytes = shape, args[1]
		name, shape, args = smuxCall(args[0])
	}
	if name == "try_merge" {
		// A kernel's template arguments have commas of their own.
		for len(args) > 1 && strings.Count(text(args[0]), "<") > strings.Count(text(args[0]), ">") {
			args[1] = slices.Concat(args[0], []unit{{text: ","}}, args[1])
			args = args[1:]
		}
	}
	if name == "try_merge" && len(args) > 2 {
		if p.try, args = args[0], args[1:]; len(args) == 3 && p.sets == "" {
			p.sets, p.bytes, args = shape, args[2], args[:2]
		}
		name = "merge"
	}
	if name != "merge" || len(args) != 2 {
		return nil
	}
	p.shape, p.grid, p.block = shape, args[0], args[1]
	return p
}

// smuxCall reads "smux::name<shape>(args)", which must be all of some units.
func smuxCall(us []unit) (name, shape string, args [][]unit) {
	b, rest, ok := match(us, "smux : : $ <")
	if !ok {
		return
	}
	end := indexOf(rest, ">")
	if end < 0 || end+1 >= len(rest) || rest[end+1].text != "(" || closing(rest, end+1) != len(rest)-1 {
		return
	}
	return b[0], text(rest[:end]), split(rest[end+2 : len(rest)-1])
}

func launchesIn(s *source, d definition) (out []*parser.Launch) {
	for _, l := range s.file.Launches {
		if d.start <= l.Open && l.Open < d.end && l.Call == "" {
			out = append(out, l)
		}
	}
	return out
}

// launch compares one launch.
func (c *comparison) launch(r *Result, a, b *parser.Launch, p *parts) {
	k := c.changed[b.Kernel]
	ua, ub := c.a.between(int(a.Node.Start), int(a.Node.End)), c.b.between(int(b.Node.Start), int(b.Node.End))
	if k != nil && k.state.main != nil && k.state.main.obj.kind == "unmerged" {
		k.launches++
		k = nil
	}
	if k == nil {
		if i, equal := same(ua, ub); !equal || p != nil {
			r.doubt(Launches, c.b.file, ub[min(i, len(ub)-1)].start, "this launch changed, and its kernel was not merged")
		}
		return
	}
	at := int(b.Node.Start)
	fail := func(format string, args ...any) { k.doubt(Launches, c.b.file, at, format, args...) }
	if a.Error != nil || b.Error != nil || a.Args == nil || b.Args == nil || k.state.main == nil {
		fail("this launch can't be read")
		return
	}
	if _, equal := same(c.a.between(int(a.Node.Start), a.Open), c.b.between(int(b.Node.Start), b.Open)); !equal {
		fail("another kernel is launched than by the original")
		return
	}
	obj := k.state.main.obj
	configA, configB := c.config(c.a, a), c.config(c.b, b)
	argsA, argsB := c.args(c.a, a), c.args(c.b, b)
	if len(configA) < 2 || len(configB) < 2 {
		fail("this launch has no grid or block")
		return
	}
	if p == nil {
		if p = partsInPlace(configB); p == nil {
			fail("the grid or the block is not the original's for %d merged blocks", obj.merged)
			return
		}
		if !once(configA[0]) || p.sets != "" && !once(configA[2]) {
			fail("an expression is evaluated twice, and may do something")
		}
	}
	if text(p.grid) != text(configA[0]) || text(p.block) != text(configA[1]) || !p.fits(c, obj, k.Name, c.a.between(int(a.Node.Start), a.Open)) {
		fail("the grid or the block is not the original's for %d merged blocks", obj.merged)
	}
	if !p.stays(obj, c.b.between(int(b.Node.Start), b.Open), configA) {
		fail("as many blocks as stay are not asked for as the kernel says")
	}
	wanted := []string{p.of("grid", ""), p.of("block", "")}
	added := []string{p.of("blocks", obj.axis)}
	sets := k.state.dynamicSets()
	if sets {
		added = append(added, p.of("set", ""))
		if len(configA) < 3 || text(p.bytes) != text(configA[2]) || !strings.HasPrefix(p.sets+" ", itoa(obj.sets(nil))+" ") {
			fail("the bytes of dynamic shared memory are not those that the kernel takes")
			return
		}
	}
	for i := 2; i < len(configA); i++ {
		want := text(configA[i])
		if i == 2 && sets {
			want = p.of("bytes", "")
		}
		wanted = append(wanted, want)
	}
	if len(configB) != len(wanted) || len(argsB) != len(argsA)+len(added) {
		fail("this launch has other parts than the original, or passes %d arguments and not %d", len(argsB), len(argsA)+len(added))
		return
	}
	for i, want := range wanted {
		if text(configB[i]) != want {
			k.doubt(Launches, c.b.file, configB[i][0].start, "this part of the launch is not the original's")
		}
	}
	var passed []string
	for _, arg := range argsA {
		passed = append(passed, text(arg))
	}
	passed = append(passed, added...)
	for i, arg := range argsB {
		if text(arg) != passed[i] {
			k.doubt(Launches, c.b.file, arg[0].start, "this argument is not the original's")
		}
	}
	k.launches++
}

// fits reports whether a launch is merged as a kernel expects it. Where the launch decides when the program runs
// whether blocks are merged, those with barriers of their own must be of whole warps.
func (p *parts) fits(c *comparison, o *object, kernel string, launched []unit) bool {
	if p.try == nil {
		return o.threads() > 0 && slices.Contains(o.shapes(), p.shape)
	}
	args := strings.Split(p.shape, " , ")
	warps := 1
	if len(args) > 1 {
		warps = number(args[1])
	} else if n := c.product(p.block); n > 0 {
		warps = n // it is known
	}
	axis := "'x'"
	if len(args) > 2 {
		axis = args[2]
	}
	limit := strings.TrimPrefix(text(p.try), ": : ")
	return o.threads() == 0 && args[0] == itoa(o.merged) && (turnKinds[o.kind].block || warps > 0 && warps%32 == 0) && axis == "'"+o.axis+"'" &&
		(limit == kernel || limit == text(launched) || len(p.try) == 1 && number(limit) > 0)
}

// stays reports whether a launch starts as many blocks as stay just where its kernel has them go on: that many of
// this kernel, of its size and bytes.
func (p *parts) stays(o *object, kernel []unit, config [][]unit) bool {
	if p.resident == "" || !o.stays {
		return p.resident == "" && !o.stays
	}
	size := itoa(o.threads() * o.merged)
	if o.axis != "x" {
		size += " , '" + o.axis + "'"
	}
	bytes := "0"
	if len(config) > 2 && p.sets == "" {
		bytes = text(config[2])
	}
	return p.resident == size && text(p.kernel) == text(kernel) && (text(p.beside) == bytes || p.beside == nil && bytes == "0")
}

// partsInPlace reads the parts of a launch that computes them in its own text.
func partsInPlace(config [][]unit) *parts {
	gridName, gridShape, grid := smuxCall(config[0])
	blockName, blockShape, block := smuxCall(config[1])
	n, axis, _ := strings.Cut(gridShape, " ,")
	if gridName != "grid" || blockName != "block" || len(grid) != 1 || len(block) != 1 || !strings.HasPrefix(blockShape, n+" ") {
		return nil
	}
	p := &parts{shape: blockShape, grid: grid[0], block: block[0]}
	if axis != "" {
		for strings.Count(p.shape, ",") < 3 {
			p.shape += " , 1"
		}
		p.shape += " ," + axis
	}
	if len(config) > 2 {
		if name, shape, bytes := smuxCall(config[2]); name == "sets" && len(bytes) == 1 {
			p.sets, p.bytes = shape, bytes[0]
		}
	}
	return p
}

// of is how a launch writes one of its parts.
func (p *parts) of(part, axis string) string {
	if p.name != "" {
		return p.name + " . " + part
	}
	n, _, _ := strings.Cut(p.shape, " ,")
	switch part {
	case "grid":
		if i := strings.Index(p.shape, "'"); i >= 0 {
			n += " , " + p.shape[i:]
		}
		return "smux : : grid < " + n + " > ( " + text(p.grid) + " )"
	case "block":
		shape, _, _ := strings.Cut(p.shape, " , '")
		for strings.Contains(p.shape, "'") && strings.HasSuffix(shape, " , 1") && strings.Count(shape, ",") > 1 {
			shape = strings.TrimSuffix(shape, " , 1")
		}
		return "smux : : block < " + shape + " > ( " + text(p.block) + " )"
	case "blocks":
		return "smux : : dim ( " + text(p.grid) + " ) . " + axis
	case "bytes":
		return "smux : : sets < " + p.sets + " > ( " + text(p.bytes) + " )"
	}
	return "smux : : set_bytes ( " + text(p.bytes) + " )"
}

// shapes are the ways to write the template arguments of a merged launch: extents of 1 at the end may be left out.
func (o *object) shapes() (out []string) {
	parts := []string{itoa(o.merged), itoa(o.block[0]), itoa(o.block[1]), itoa(o.block[2])}
	if o.axis != "x" {
		return []string{strings.Join(parts, " , ") + " , '" + o.axis + "'"}
	}
	out = []string{strings.Join(parts, " , ")}
	for n := 3; n > 1 && parts[n] == "1"; n-- {
		out = append(out, strings.Join(parts[:n], " , "))
	}
	return out
}

// dynamicSets reports whether a kernel has several sets of dynamic shared memory.
func (st *kernelState) dynamicSets() bool {
	for _, cp := range st.copies {
		if cp.bytes != "" {
			return true
		}
	}
	return false
}

// once reports whether it does not matter how often an expression is evaluated: it calls nothing but dim3,
// and sets nothing.
func once(us []unit) bool {
	for i, u := range us {
		switch {
		case u.text == "=" && !(i > 0 && strings.Contains("=!<>", us[i-1].text)) && !(i+1 < len(us) && us[i+1].text == "="):
			return false
		case (u.text == "+" || u.text == "-") && i+1 < len(us) && us[i+1].text == u.text && us[i+1].start == u.end:
			return false
		case u.text == "(" && i > 0 && us[i-1].text != "dim3" && isWord(us[i-1].text) && us[i-1].text != "sizeof":
			return false
		}
	}
	return true
}

func isWord(s string) bool {
	return s[0] == '_' || s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z' || s[0] == ']' || s[0] == ')'
}

func (c *comparison) config(s *source, l *parser.Launch) (out [][]unit) {
	us := s.between(l.Open, l.Close)
	for n := 0; n < 3 && len(us) > 0; us = us[1:] {
		n += len(us[0].text) // "<<<", and "<< <"
	}
	for n := 0; n < 3 && len(us) > 0; us = us[:len(us)-1] {
		n += len(us[len(us)-1].text)
	}
	return split(us)
}

func (c *comparison) args(s *source, l *parser.Launch) [][]unit {
	return split(s.between(int(l.Args.Start)+1, int(l.Args.End)-1))
}

// local reports whether a name in a device function is that of a variable of the function.
func (c *comparison) local(u unit) bool {
	return slices.ContainsFunc(c.b.file.Functions, func(fn *parser.Function) bool {
		if fn.Quals == 0 || fn.Body == nil || u.start < int(fn.Declared.Start) || u.start >= int(fn.Body.End) {
			return false
		}
		low := c.namesB.lower(c.b.file, fn)
		return slices.ContainsFunc(append(slices.Clone(low.Vars), low.Params...), func(v *ir.Var) bool { return v.Name == u.text })
	})
}

// mentions looks for other uses of rewritten kernels than their launches: what is launched by its address, or
// asked for its attributes, is not followed.
func (c *comparison) mentions(r *Result) {
	for name, k := range c.changed {
		if k.Merged == 1 {
			continue // it is launched as it was
		}
		var inLaunch []*parser.Launch
		for _, l := range c.b.file.Launches {
			if l.Kernel == name {
				inLaunch = append(inLaunch, l)
			}
		}
		for i, u := range c.b.units {
			if u.text == name {
				launched := slices.ContainsFunc(inLaunch, func(l *parser.Launch) bool { return int(l.Node.Start) <= u.start && u.start < l.Open })
				defined := slices.ContainsFunc(c.b.file.Functions, func(fn *parser.Function) bool {
					return fn.Name == name && fn.IsKernel() && fn.Declared != nil && int(fn.Declared.Start) <= u.start && u.start < int(fn.Declared.End)
				})
				cache := i > 1 && is(c.b.units[i-2:i], "cudaFuncSetCacheConfig (")
				at := i
				for at > 9 && c.b.units[at-1].text == ":" {
					at-- // "::k"
				}
				asked := at > 8 && c.b.units[at-1].text == "(" && (mentions(c.b.units[at-9:at], "try_merge") || mentions(c.b.units[at-9:at], "resident"))
				if !launched && !defined && !cache && !asked && !c.local(u) {
					k.doubt(Launches, c.b.file, u.start, "the kernel is named here, and may be launched as it was")
				}
			} else if strings.HasPrefix(u.text, "# define") && slices.Contains(words(u.text), name) {
				k.doubt(Launches, c.b.file, u.start, "a macro names the kernel, and may launch it")
			}
		}
	}
}
