package validate

import (
	"slices"
	"strconv"
	"strings"

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

// host compares a host function: outside of launches it is the original's.
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
		if !equal(int(la[i].Node.Start), int(lb[i].Node.Start)) {
			return
		}
		c.launch(r, la[i], lb[i])
		atA, atB = int(la[i].Node.End), int(lb[i].Node.End)
	}
	equal(a.end, b.end)
}

func launchesIn(s *source, d definition) (out []*parser.Launch) {
	for _, l := range s.file.Launches {
		if d.start <= l.Open && l.Open < d.end {
			out = append(out, l)
		}
	}
	return out
}

// launch compares one launch.
func (c *comparison) launch(r *Result, a, b *parser.Launch) {
	k := c.changed[b.Kernel]
	ua, ub := c.a.between(int(a.Node.Start), int(a.Node.End)), c.b.between(int(b.Node.Start), int(b.Node.End))
	if k == nil {
		if i, equal := same(ua, ub); !equal {
			r.doubt(Launches, c.b.file, ub[min(i, len(ub)-1)].start, "this launch changed and its kernel did not")
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
	grid := configA[0]
	suffix := ""
	if obj.axis != "x" {
		suffix = " , '" + obj.axis + "'"
	}
	if text(configB[0]) != "smux : : grid < "+itoa(obj.merged)+suffix+" > ( "+text(grid)+" )" {
		fail("the grid is not the original's for %d merged blocks", obj.merged)
	}
	if !once(grid) {
		fail("the grid's expression is evaluated twice, and may do something")
	}
	shape := itoa(obj.merged) + " , " + itoa(obj.block[0])
	full := shape + " , " + itoa(obj.block[1]) + " , " + itoa(obj.block[2])
	if obj.block[2] == 1 && obj.block[1] != 1 {
		shape += " , " + itoa(obj.block[1])
	}
	if obj.block[2] != 1 {
		shape = full
	}
	block := text(configB[1])
	if block != "smux : : block < "+shape+" > ( "+text(configA[1])+" )" && block != "smux : : block < "+full+" > ( "+text(configA[1])+" )" {
		fail("the block is not the original's for %d merged blocks", obj.merged)
	}
	added := []string{"smux : : dim ( " + text(grid) + " ) . " + obj.axis}
	sets := k.state.dynamicSets()
	switch {
	case len(configA) != len(configB):
		fail("this launch has %d parts and not %d", len(configB), len(configA))
	case len(configA) > 2:
		bytes := text(configA[2])
		plain := text(configB[2]) == bytes
		scaled := strings.HasPrefix(text(configB[2]), "smux : : sets < "+itoa(obj.sets())) && strings.HasSuffix(text(configB[2]), " > ( "+bytes+" )")
		if sets && !scaled || !sets && !plain {
			fail("the bytes of dynamic shared memory are not those that the kernel takes")
		}
		if sets {
			added = append(added, "smux : : set_bytes ( "+bytes+" )")
			if !once(configA[2]) {
				fail("the bytes' expression is evaluated twice, and may do something")
			}
		}
		for i := 3; i < len(configA); i++ {
			if text(configA[i]) != text(configB[i]) {
				fail("the stream is not the original's")
			}
		}
	}
	if len(argsB) != len(argsA)+len(added) {
		fail("this launch passes %d arguments and not %d", len(argsB), len(argsA)+len(added))
		return
	}
	for i, arg := range argsB {
		want := ""
		if i < len(argsA) {
			want = text(argsA[i])
		} else {
			want = added[i-len(argsA)]
		}
		if text(arg) != want {
			k.doubt(Launches, c.b.file, arg[0].start, "this argument is not the original's")
		}
	}
	k.launches++
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
	return split(s.between(l.Open+3, l.Close-3))
}

func (c *comparison) args(s *source, l *parser.Launch) [][]unit {
	return split(s.between(int(l.Args.Start)+1, int(l.Args.End)-1))
}

// mentions looks for other uses of rewritten kernels than their launches: what is launched by its address, or
// asked for its attributes, is not followed.
func (c *comparison) mentions(r *Result) {
	for name, k := range c.changed {
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
				cache := i > 1 && us2(c.b.units, i) == "cudaFuncSetCacheConfig ("
				if !launched && !defined && !cache {
					k.doubt(Launches, c.b.file, u.start, "the kernel is named here, and may be launched as it was")
				}
			} else if strings.HasPrefix(u.text, "# define") && mentionsWord(u.text, name) {
				k.doubt(Launches, c.b.file, u.start, "a macro names the kernel, and may launch it")
			}
		}
	}
}

func us2(us []unit, i int) string { return us[i-2].text + " " + us[i-1].text }

func mentionsWord(line, word string) bool { return slices.Contains(strings.Fields(line), word) }
