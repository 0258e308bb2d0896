package turns

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// parts is "const auto l = smux::merge<2, 64>(grid, block);" before a launch, "smux::sets<2>(…, bytes)"
// around it where the kernel has several sets of dynamic shared memory.
type parts struct {
	name               string
	first, units       int          // the statement, among the units since the launch before
	between            []units.Unit // what stands between it and the launch: "CHECK ("
	shape              string       // of merge, as units with blanks between
	sets               string       // of sets, "" without
	grid, block, bytes []units.Unit
	try                []units.Unit // of try_merge, which merges where that fits: the most threads, or the kernel
	reshaped           bool         // try is the kernel of reshape, and shape that of the new blocks
	host               *parser.Function
	resident           string       // "128" of resident, which starts as many blocks as stay; "" without
	kernel             []units.Unit // the kernel that it asks about
	beside             []units.Unit // the bytes of dynamic shared memory that it counts, nil for none
}

// launchParts reads the statement before the one that a launch begins, or is in. Whatever the launch's statement
// evaluates before must not matter for it.
func (c launches) launchParts(us []units.Unit) *parts {
	at := -1
	for i := range us {
		_, _, merged := units.Match(us[i:], "const auto $ = smux : :")
		if _, _, shorter := units.Match(us[i:], "const auto $ = dim3 ("); merged || shorter {
			at = i
		}
	}
	before := at - 1
	for before > 0 && strings.HasPrefix(us[before].Text, "#") {
		before--
	}
	if at < 0 || before < 0 || !strings.Contains("{};:", us[before].Text) || units.Mentions(c.Old.Units, us[at+2].Text) {
		return nil
	}
	end := at + units.IndexOf(us[at:], ";")
	if end < at {
		return nil
	}
	p := &parts{name: us[at+2].Text, first: at, units: end + 1 - at, between: us[end+1:]}
	us = us[:end+1]
	if us[at+4].Text == "dim3" { // of a coarsened kernel
		if p.grid = us[at+4 : end]; c.directly(p) {
			return p
		}
		return nil
	}
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
	if name == "try_merge" || name == "reshape" {
		args = wholeKernel(args, 0)
	}
	if name == "reshape" && len(args) == 3 {
		p.reshaped, p.try, args, name = true, args[0], args[1:], "merge"
	}
	if n := len(args) - 1; name == "try_merge" && n > 3 && args[n][0].Text == "{" { // shapes of blocks that alone are merged
		if args = args[:n]; units.Text(args[3]) == "0" {
			args = args[:3]
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
	if !c.directly(p) {
		return nil
	}
	return p
}

// wholeKernel joins the parts of the argument that names a kernel: its template arguments have commas of their own.
func wholeKernel(args [][]units.Unit, i int) [][]units.Unit {
	args = slices.Clone(args)
	for i+1 < len(args) && strings.Count(units.Text(args[i]), "<") > strings.Count(units.Text(args[i]), ">") {
		args[i] = slices.Concat(args[i], []units.Unit{{Text: ","}}, args[i+1])
		args = slices.Delete(args, i+1, i+2)
	}
	return args
}

// directly reports whether a launch is the first thing that its statement does: nothing stands before it, or the head of
// an assignment, a return, an if or a macro that names nothing of the grid and the block.
func (c launches) directly(p *parts) bool {
	us := p.between
	if n := len(us) - 1; n > 0 && us[n].Text == "=" && !slices.ContainsFunc(us[:n], func(u units.Unit) bool {
		return !units.IsWord(u.Text) && u.Text != "*" && u.Text != ":" || u.Text == ")" || u.Text == "]"
	}) {
		us = nil // cudaError_t e =
	}
	if len(us) > 0 && us[0].Text == "return" {
		us = us[1:]
	}
	if len(us) > 0 && !once(slices.Concat(p.grid, p.block, p.bytes)) || len(us) != 2 && len(us) != 0 || len(us) == 2 && us[1].Text != "(" {
		return false
	}
	if len(us) == 0 || us[0].Text == "if" {
		return true
	}
	m, ok := c.New.File.Macros.Lookup(us[0].Text, us[0].Start)
	return ok && m.FunctionLike && !slices.ContainsFunc(parser.TokensBetween([]byte(m.Body), 0, len(m.Body)), func(t parser.Token) bool {
		word := m.Body[t.Start:t.End]
		return units.Mentions(slices.Concat(p.grid, p.block, p.bytes), word) && units.IsWord(word) && word != ")" && word != "]"
	})
}

// smuxCall reads "smux::name<shape>(args)", which must be all of some units.
func smuxCall(us []units.Unit) (name, shape string, args [][]units.Unit) {
	b, rest, ok := units.Match(us, "smux : : $ <")
	if !ok {
		return
	}
	end := units.IndexOf(rest, ">")
	if end < 0 || end+1 >= len(rest) || rest[end+1].Text != "(" || units.Closing(rest, end+1) != len(rest)-1 {
		return
	}
	return b[0], units.Text(rest[:end]), units.Split(rest[end+2 : len(rest)-1])
}

// fits reports whether a launch is merged as a kernel expects it. Where the launch decides when the program runs
// whether blocks are merged, those with barriers of their own must be of whole warps.
func (p *parts) fits(c *kit.Comparison, o *kit.Object, kernel string, launched []units.Unit) bool {
	if p.try == nil {
		return o.Threads() > 0 && slices.Contains(shapesIn(o), p.shape)
	}
	args := strings.Split(p.shape, " , ")
	warps := 1
	if n := c.Product(p.block); n > 0 {
		warps = n // it is known
	} else if len(args) > 1 {
		warps = units.Number(args[1])
	} else if len(p.block) == 1 {
		warps = launches{c}.instances(p.host, p.block[0].Text)
	}
	axis := "'x'"
	if len(args) > 2 {
		axis = args[2]
	}
	return o.Threads() == 0 && args[0] == units.Itoa(o.Merged) && (kit.TurnKinds[o.Kind].Block && !o.Lanes || warps > 0 && warps%32 == 0) && axis == "'"+o.Axis+"'" && p.limits(c, kernel, launched)
}

// limits reports whether a launch asks a kernel for the most threads of a block, or takes them for no more than its launch
// bounds say, or than every kernel without them can have.
func (p *parts) limits(c *kit.Comparison, kernel string, launched []units.Unit) bool {
	limit := strings.TrimPrefix(units.Text(p.try), ": : ")
	if limit == kernel || limit == units.Text(launched) {
		return true
	}
	for _, f := range c.NewNames.Prog.All() {
		for _, fn := range f.Functions {
			if fn.Name != kernel || !fn.IsKernel() || fn.Body == nil {
				continue
			}
			most := 256
			if _, bounds := kit.WithoutBounds(c.Head(c.SourceOf(f), fn)); len(bounds) > 0 {
				most = c.Product(bounds[0])
			}
			if units.Number(limit) > most {
				return false
			}
		}
	}
	return len(p.try) == 1 && units.Number(limit) > 0
}

// instances returns what divides all numbers that a parameter of a function template is given, 0 where that can't be told:
// each time the function is named, a number is.
func (c launches) instances(host *parser.Function, name string) (n int) {
	at := slices.IndexFunc(host.Template, func(p parser.TemplateParam) bool { return p.Name == name && !p.IsType && p.Default == nil })
	if at < 0 || host.Class != "" {
		return 0
	}
	for _, f := range c.NewNames.Prog.All() {
		us := c.SourceOf(f).Units
		for i, u := range us {
			if strings.HasPrefix(u.Text, "#") && slices.Contains(units.Words(u.Text), host.Name) {
				return 0
			}
			if u.Text != host.Name || f == c.New.File && host.Start <= u.Start && u.Start < int(host.Body.Start) {
				continue
			}
			if i+1 == len(us) || us[i+1].Text != "<" {
				return 0
			}
			args := units.Split(us[i+2 : i+1+max(1, units.IndexOf(us[i+1:], ">"))])
			if at >= len(args) || len(args[at]) != 1 || units.Number(args[at][0].Text) <= 0 {
				return 0
			}
			for m := units.Number(args[at][0].Text); m != 0; n, m = m, n%m {
			}
		}
	}
	return n
}

// stays reports whether a launch starts as many blocks as stay just where its kernel has them go on: that many of
// this kernel, of its size and bytes.
func (p *parts) stays(o *kit.Object, kernel []units.Unit, config [][]units.Unit) bool {
	if p.resident == "" || !o.Stays {
		return p.resident == "" && !o.Stays
	}
	size := units.Itoa(o.Threads() * o.Merged)
	if o.Axis != "x" {
		size += " , '" + o.Axis + "'"
	}
	bytes := "0"
	if len(config) > 2 && p.sets == "" {
		bytes = units.Text(config[2])
	}
	return p.resident == size && units.Text(p.kernel) == units.Text(kernel) && (units.Text(p.beside) == bytes || p.beside == nil && bytes == "0")
}

// shapesIn are the ways to write the template arguments of a merged launch: extents of 1 at the end may be left out.
func shapesIn(o *kit.Object) (out []string) {
	parts := []string{units.Itoa(o.Merged), units.Itoa(o.Block[0]), units.Itoa(o.Block[1]), units.Itoa(o.Block[2])}
	if o.Axis != "x" {
		return []string{strings.Join(parts, " , ") + " , '" + o.Axis + "'"}
	}
	out = []string{strings.Join(parts, " , ")}
	for n := 3; n > 1 && parts[n] == "1"; n-- {
		out = append(out, strings.Join(parts[:n], " , "))
	}
	return out
}

// dynamicSets reports whether a kernel has several sets of dynamic shared memory.
func dynamicSets(st *kit.KernelState) bool {
	for _, cp := range st.Copies {
		if cp.Bytes != "" {
			return true
		}
	}
	return false
}

// once reports whether it does not matter how often an expression is evaluated: it calls nothing but dim3,
// and sets nothing.
func once(us []units.Unit) bool {
	for i, u := range us {
		switch {
		case u.Text == "=" && !(i > 0 && strings.Contains("=!<>", us[i-1].Text)) && !(i+1 < len(us) && us[i+1].Text == "="):
			return false
		case (u.Text == "+" || u.Text == "-") && i+1 < len(us) && us[i+1].Text == u.Text && us[i+1].Start == u.End:
			return false
		case u.Text == "(" && i > 0 && us[i-1].Text != "dim3" && units.IsWord(us[i-1].Text) && us[i-1].Text != "sizeof":
			return false
		}
	}
	return true
}
