package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// parts is "const auto l = smux::merge<2, 64>(grid, block);" before a launch, "smux::sets<2>(…, bytes)"
// around it where the kernel has several sets of dynamic shared memory.
type parts struct {
	name               string
	first, units       int    // the statement, among the units since the launch before
	between            []unit // what stands between it and the launch: "CHECK ("
	shape              string // of merge, as units with blanks between
	sets               string // of sets, "" without
	grid, block, bytes []unit
	try                []unit // of try_merge, which merges where that fits: the most threads, or the kernel
	host               *parser.Function
	resident           string // "128" of resident, which starts as many blocks as stay; "" without
	kernel             []unit // the kernel that it asks about
	beside             []unit // the bytes of dynamic shared memory that it counts, nil for none
}

// launchParts reads the statement before the one that a launch begins, or is in. Whatever the launch's statement
// evaluates before must not matter for it.
func (c launches) launchParts(us []unit) *parts {
	at := -1
	for i := range us {
		if _, _, ok := match(us[i:], "const auto $ = smux : :"); ok {
			at = i
		}
	}
	before := at - 1
	for before > 0 && strings.HasPrefix(us[before].text, "#") {
		before--
	}
	if at < 0 || before < 0 || !strings.Contains("{};:", us[before].text) || mentions(c.a.units, us[at+2].text) {
		return nil
	}
	end := at + indexOf(us[at:], ";")
	if end < at {
		return nil
	}
	p := &parts{name: us[at+2].text, first: at, units: end + 1 - at, between: us[end+1:]}
	us = us[:end+1]
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
		args = wholeKernel(args, 0)
	}
	if n := len(args) - 1; name == "try_merge" && n > 3 && args[n][0].text == "{" { // shapes of blocks that alone are merged
		if args = args[:n]; text(args[3]) == "0" {
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
func wholeKernel(args [][]unit, i int) [][]unit {
	args = slices.Clone(args)
	for i+1 < len(args) && strings.Count(text(args[i]), "<") > strings.Count(text(args[i]), ">") {
		args[i] = slices.Concat(args[i], []unit{{text: ","}}, args[i+1])
		args = slices.Delete(args, i+1, i+2)
	}
	return args
}

// directly reports whether a launch is the first thing that its statement does: nothing stands before it, or the head of
// an assignment, a return, an if or a macro that names nothing of the grid and the block.
func (c launches) directly(p *parts) bool {
	us := p.between
	if n := len(us) - 1; n > 0 && us[n].text == "=" && !slices.ContainsFunc(us[:n], func(u unit) bool {
		return !isWord(u.text) && u.text != "*" && u.text != ":" || u.text == ")" || u.text == "]"
	}) {
		us = nil // cudaError_t e =
	}
	if len(us) > 0 && us[0].text == "return" {
		us = us[1:]
	}
	if len(us) > 0 && !once(slices.Concat(p.grid, p.block, p.bytes)) || len(us) != 2 && len(us) != 0 || len(us) == 2 && us[1].text != "(" {
		return false
	}
	if len(us) == 0 || us[0].text == "if" {
		return true
	}
	m, ok := c.b.file.Macros.Lookup(us[0].text, us[0].start)
	return ok && m.FunctionLike && !slices.ContainsFunc(parser.TokensBetween([]byte(m.Body), 0, len(m.Body)), func(t parser.Token) bool {
		word := m.Body[t.Start:t.End]
		return mentions(slices.Concat(p.grid, p.block, p.bytes), word) && isWord(word) && word != ")" && word != "]"
	})
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

// fits reports whether a launch is merged as a kernel expects it. Where the launch decides when the program runs
// whether blocks are merged, those with barriers of their own must be of whole warps.
func (p *parts) fits(c *comparison, o *object, kernel string, launched []unit) bool {
	if p.try == nil {
		return o.threads() > 0 && slices.Contains(shapesIn(o), p.shape)
	}
	args := strings.Split(p.shape, " , ")
	warps := 1
	if n := c.product(p.block); n > 0 {
		warps = n // it is known
	} else if len(args) > 1 {
		warps = number(args[1])
	} else if len(p.block) == 1 {
		warps = launches{c}.instances(p.host, p.block[0].text)
	}
	axis := "'x'"
	if len(args) > 2 {
		axis = args[2]
	}
	limit := strings.TrimPrefix(text(p.try), ": : ")
	return o.threads() == 0 && args[0] == itoa(o.merged) && (turnKinds[o.kind].block || warps > 0 && warps%32 == 0) && axis == "'"+o.axis+"'" &&
		(limit == kernel || limit == text(launched) || len(p.try) == 1 && number(limit) > 0)
}

// instances returns what divides all numbers that a parameter of a function template is given, 0 where that can't be told:
// each time the function is named, a number is.
func (c launches) instances(host *parser.Function, name string) (n int) {
	at := slices.IndexFunc(host.Template, func(p parser.TemplateParam) bool { return p.Name == name && !p.IsType && p.Default == nil })
	if at < 0 || host.Class != "" {
		return 0
	}
	for _, f := range c.namesB.prog.All() {
		us := newSource(f).units
		for i, u := range us {
			if strings.HasPrefix(u.text, "#") && slices.Contains(words(u.text), host.Name) {
				return 0
			}
			if u.text != host.Name || f == c.b.file && host.Start <= u.start && u.start < int(host.Body.Start) {
				continue
			}
			if i+1 == len(us) || us[i+1].text != "<" {
				return 0
			}
			args := split(us[i+2 : i+1+max(1, indexOf(us[i+1:], ">"))])
			if at >= len(args) || len(args[at]) != 1 || number(args[at][0].text) <= 0 {
				return 0
			}
			for m := number(args[at][0].text); m != 0; n, m = m, n%m {
			}
		}
	}
	return n
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

// shapes are the ways to write the template arguments of a merged launch: extents of 1 at the end may be left out.
func shapesIn(o *object) (out []string) {
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
func dynamicSets(st *kernelState) bool {
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
