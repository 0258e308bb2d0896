// Package choose chooses launches of kernels that no program launches, by their text.
package choose

import (
	"math/bits"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/harness"
)

// block returns the blocks that the kernel may have, the likeliest first: the usual one alone where there is one. Else one thread where
// the text tells no threads apart; or blocks as the text writes them, 64 threads, or 256 of the only block, and those that the extents of shared arrays
// suggest, of which come first those in which all elements are named, and none past an end.
func (c *chooser) block(usual [3]int64) [][3]int64 {
	out := [3]int64{1, 1, 1}
	axes := 0
	for i, d := range []string{"x", "y", "z"} {
		if i == 0 && c.names("threadIdx.x", "blockDim.x", "sync", "shfl", "this_", "%tid") || i == 0 && tellsNone(c) && c.names("atomic") || i > 0 && c.names("threadIdx."+d) {
			out[i], axes = 64, i+1
		}
	}
	switch {
	case c.how.Block[0] > 0 && usual[0] == 0:
		return [][3]int64{c.how.Block}
	case axes == 0 && usual[0] == 0:
		return [][3]int64{out}
	}
	// A launch in view may be one of another instance.
	tile := c.ofTemplate(axes)
	switch outside := usual[0] > tile[0] || usual[1] > tile[1]; {
	case axes == 1 && argumentOfBlock(c) > 0:
		return [][3]int64{{argumentOfBlock(c), 1, 1}}
	case count(tile) > 1 && (usual[0] == 0 || outside):
		return [][3]int64{tile}
	case usual[0] > 0:
		return [][3]int64{usual}
	}
	for i := range out {
		out[i] = max(min(out[i], [][3]int64{{64}, {8, 8}, {4, 4, 4}}[axes-1][i]), 1) // what is not told apart stays 1
	}
	if count(c.gridNamed(0)) == 1 && axes == 1 {
		out[0] = 256 // all that there are
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
	if written == [3]int64{} {
		for c.how.Threads > 0 && count(out) > 1 && count(out)*count(c.gridNamed(0)) > c.how.Threads {
			longest := 0
			for i := range out {
				if out[i] >= out[longest] {
					longest = i
				}
			}
			out[longest] /= 2
		}
	}
	return c.fitting(out, axes, written[0])
}

// ofTemplate returns the block whose threads are, along each axis, as many as the elements of a shared array along a dimension, where the number
// is a template argument of the kernel, or of a function that it calls and that has the array: tile<16>(a, b). The analysis, and so fit,
// knows no instances.
func (c *chooser) ofTemplate(axes int) [3]int64 {
	out := [3]int64{1, 1, 1}
	for _, call := range templateCall.FindAllStringSubmatch(c.name+"("+c.file.Text(c.fn.Body), -1) {
		for _, fn := range c.file.Functions {
			if fn.Name != call[1] || fn.Body == nil {
				continue
			}
			for i, argument := range strings.Split(call[2], ",") {
				n, ok := c.constantNamed(strings.TrimSpace(argument))
				if !ok || i >= len(fn.Template) {
					continue
				}
				dims := regexp.MustCompile(`__shared__[^;=]*?\w((?:\s*\[\s*` + fn.Template[i].Name + `\s*\])+)\s*;`).FindStringSubmatch(c.file.Text(fn.Body))
				for d := range out {
					if d < axes && dims != nil && d < strings.Count(dims[1], "[") {
						out[d] = n
					}
				}
			}
		}
	}
	return out
}

var templateCall = regexp.MustCompile(`(\w+)\s*<([\w\s,]+)>\s*\(`)

// mostBlocks is the largest number of blocks of which the subscripts are computed.
const mostBlocks = 24

// fitting returns a block and others that the extents of shared arrays and the numbers in the text suggest, the better first; rows as wide as written.
func (c *chooser) fitting(first [3]int64, axes int, wide int64) (out [][3]int64) {
	halo := false        // threads beyond the tile that is written may load what lies around it
	var loading [3]int64 // with such threads
	add := func(b [3]int64) {
		if n := count(b); n > 0 && (axes == 1 || wide == 0 || b[0] == wide || halo) && n <= c.mostThreads() && len(out) < mostBlocks && !slices.Contains(out, b) &&
			(c.how.Threads == 0 || n*count(c.gridNamed(0)) <= c.how.Threads || len(out) == 0) {
			out = append(out, b)
		}
	}
	add(first)
	k := c.kernel(first)
	halo = c.fit(first) != whole && len(k.Shared) > 0
	for _, s := range k.Shared {
		// A halo makes an array longer than the block, and a thread may have two elements, or one of two arrays.
		for _, halves := range []int{2, 1, 4, 0} { // 0: the array as it is
			b := first
			for i := range min(axes, len(s.Dims)) {
				if b[i] = int64(s.Dims[len(s.Dims)-1-i]); halves > 0 {
					b[i] = even(b[i] * int64(halves) / 2)
				}
			}
			if halves == 0 && (!halo || wide == 0 || axes == 1) {
				continue
			}
			b[1] = min(b[1], max(even(b[1]*c.mostThreads()/max(count(b), 1)), 1)) // a thread may have several rows
			if len(s.Dims) > 0 {
				add(b)
			}
			if halves == 0 {
				loading = b
			}
		}
	}
	if len(k.Shared) > 0 && c.fit(out[0]) != whole {
		for e := range k.Func.Body.AllExprs() {
			if e.Op == ir.OpInt && e.Int >= 4 && even(e.Int) == e.Int {
				for _, b := range [][3]int64{{e.Int, first[1], first[2]}, {e.Int, even(count(first) / first[2] / e.Int), first[2]}} {
					if b[1] == 1 || axes > 1 {
						add(b)
					}
				}
			}
		}
	}
	for n := int64(16); axes == 2 && n <= 32; n *= 2 {
		add([3]int64{n, n, 1})
	}
	sizes := []int64{64, c.mostThreads(), 128, 256}
	if c.forOneWarp() {
		sizes = slices.Insert(sizes, 0, hardware.WarpSize)
	}
	for _, n := range sizes {
		add([3]int64{n / (first[1] * first[2]), first[1], first[2]})
	}
	worth := map[[3]int64]int{}
	best := outside
	for _, b := range out {
		worth[b] = c.fit(b)
		best = max(best, worth[b])
	}
	slices.SortStableFunc(out, func(a, b [3]int64) int { return worth[b] - worth[a] })
	out = slices.DeleteFunc(out, func(b [3]int64) bool { return worth[b] == inside && best == whole })
	if i := slices.Index(out, loading); i > 1 { // what keeps subscripts inside is not always seen
		out = slices.Insert(slices.Delete(out, i, i+1), 1, loading)
	}
	return out
}

// forOneWarp reports whether the kernel may be for blocks of one warp: its lanes meet, and nothing tells warps apart.
func (c *chooser) forOneWarp() bool {
	return c.names("shfl", "ballot", "syncwarp", "any_sync", "all_sync", "lane") && !c.names("/32", "warpSize")
}

// even returns a number of threads that programs have, and no more than n: of warps, or a power of two.
func even(n int64) int64 {
	if n > 0 && n%hardware.WarpSize != 0 {
		return 1 << (bits.Len64(uint64(n)) - 1)
	}
	return n
}

func (c *chooser) mostThreads() int64 {
	if n, ok := evaluate.MaxThreads(c.kernel([3]int64{}), nil); ok && n > 0 {
		return int64(n)
	}
	return hardware.MaxThreadsPerBlock
}

// kernel returns the kernel as analysed for a block.
func (c *chooser) kernel(block [3]int64) *analysis.Kernel {
	p := c.programs[block]
	if p == nil {
		p = passes.NewProgram(c.prog, [3]int{int(block[0]), int(block[1]), int(block[2])})
		c.programs[block] = p
	}
	return p.Kernel(c.file, c.fn)
}

// What fit returns, the better the larger.
const (
	outside = iota // an element past an end is named
	inside         // none is
	whole          // and each element of an array of which some are set is
)

// fit tells how the subscripts of shared arrays lie inside of these with a block, as far as they can be computed.
func (c *chooser) fit(block [3]int64) int {
	k := c.kernel(block)
	set := map[*ir.Expr]bool{}
	for e := range k.Func.Body.AllExprs() {
		if e.Op == ir.OpAssign && e.Tok == "=" {
			set[e.Kids[0]] = true
		}
	}
	out := whole
	for _, s := range k.Shared {
		if len(s.Dims) > 0 && len(footprint.SubscriptsIn(k, s)) == 0 {
			out = inside // for all that is known
		}
		for i, dim := range s.Dims {
			var spans []footprint.Span // that are set
			for e, subscripts := range footprint.SubscriptsIn(k, s) {
				span := subscripts[i]
				if span.Known && (span.Min < 0 || span.Max >= int64(dim)) {
					return outside
				}
				if set[e] && !span.Known {
					span = footprint.Span{Min: 0, Max: int64(dim) - 1}
				}
				if set[e] {
					spans = append(spans, span)
				}
			}
			slices.SortFunc(spans, func(a, b footprint.Span) int { return int(a.Min - b.Min) })
			next := int64(0)
			for _, span := range spans {
				if span.Min <= next {
					next = max(next, span.Max+1)
				}
			}
			if len(spans) > 0 && next < int64(dim) {
				out = inside
			}
		}
	}
	return out
}

// names reports whether the kernel or a function that it reaches names one of the words: VARIABLE.MEMBER, or a part of any name; "/32" is a division by the
// threads of a warp.
func (c *chooser) names(words ...string) bool {
	if c.named == nil {
		c.named = map[string]bool{}
		for _, fn := range c.kernel([3]int64{}).Functions {
			for e := range fn.Body.AllExprs() {
				c.named[e.Name] = true
				switch {
				case e.Op == ir.OpMember:
					c.named[e.Kids[0].Name+"."+e.Name] = true
				case e.Op == ir.OpBinary && e.Kids[1].Op == ir.OpInt && (e.Tok == "/" && e.Kids[1].Int == 32 || e.Tok == ">>" && e.Kids[1].Int == 5):
					c.named["/32"] = true
				}
			}
		}
	}
	for name := range c.named {
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) }) {
			return true
		}
	}
	return false
}

// argumentOfBlock returns the template argument whose parameter's name says that it is a block's threads, 0 for none.
func argumentOfBlock(c *chooser) int64 {
	for _, p := range c.fn.Template {
		if n, ok := c.constantNamed(c.arguments[p.Name]); ok && n > 0 && n <= hardware.MaxThreadsPerBlock && blockNames.MatchString(p.Name) {
			return n
		}
	}
	return 0
}

var blockNames = regexp.MustCompile(`(?i)^(k?block_?(size|dim|threads)(_?x)?|(k?n|num)_?threads|threads(_?per_?block)?|tpb)$`)

// asWritten returns the threads that the kernel itself takes a block to have: along a dimension as many as the constant by which
// it counts blocks, in
//
//	blockIdx.x * TILE + threadIdx.x
//
// or as the step of a loop in which each thread begins at its own number, or adds it to the loop's:
//
//	for (int j = 0; j < TILE; j += ROWS) … tile[threadIdx.y + j] …
//
// 0 where the text says nothing. With fewer threads a right kernel would leave elements alone.
func (c *chooser) asWritten() (out [3]int64) {
	k := c.kernel([3]int64{})
	facts := evaluate.FactsOf(k, nil)
	for _, fn := range k.Functions {
		constant := func(e *ir.Expr) int64 {
			n, ok := facts.Constant(fn, e)
			if !ok && fn == k.Func {
				n, ok = c.constantNamed(c.file.Text(&parser.Node{Start: uint32(e.Range.Start), End: uint32(e.Range.End)}))
			}
			if !ok {
				return 0
			}
			return max(n, 0)
		}
		set := func(d int, n int64, step bool) {
			if n > 0 && (out[d] == 0 || step) {
				out[d] = n
			}
		}
		steps := map[*ir.Var]int64{} // of counters of loops
		for s := range fn.Body.All() {
			if p := s.Post; s.Op == ir.StmtFor && p != nil && p.Op == ir.OpAssign && p.Tok == "+=" && p.Kids[0].Var != nil {
				v, n := p.Kids[0].Var, constant(p.Kids[1])
				steps[v] = n
				for d := range 3 {
					if v.Init != nil && isNumber(v.Init, "threadIdx", d) || slices.ContainsFunc(v.Writes, func(w *ir.Expr) bool {
						return w.Op == ir.OpAssign && w.Tok == "=" && isNumber(w.Kids[1], "threadIdx", d)
					}) {
						set(d, n, true)
					}
				}
			}
		}
		for e := range fn.Body.AllExprs() {
			for d := range 3 {
				terms := termsOf(e)
				if len(terms) < 2 || !slices.ContainsFunc(terms, func(t *ir.Expr) bool { return isNumber(t, "threadIdx", d) }) {
					continue
				}
				for _, t := range terms {
					if t.Op == ir.OpIdent && t.Var != nil {
						set(d, steps[t.Var], true)
					}
					if t = given(t); t.Op != ir.OpBinary || t.Tok != "*" {
						continue
					}
					for i, side := range t.Kids {
						if isNumber(side, "blockIdx", d) {
							set(d, constant(t.Kids[1-i]), false)
						}
					}
				}
			}
		}
	}
	if max(out[0], 1)*max(out[1], 1)*max(out[2], 1) > hardware.MaxThreadsPerBlock {
		return [3]int64{}
	}
	return out
}

// termsOf returns the terms of a sum.
func termsOf(e *ir.Expr) []*ir.Expr {
	if e.Op == ir.OpBinary && e.Tok == "+" {
		return append(termsOf(e.Kids[0]), termsOf(e.Kids[1])...)
	}
	return []*ir.Expr{e}
}

// given is an expression without casts, or what a variable that keeps one value is declared with.
func given(e *ir.Expr) *ir.Expr {
	for {
		switch v := e.Var; {
		case e.Op == ir.OpCast && len(e.Kids) == 1:
			e = e.Kids[0]
		case e.Op == ir.OpIdent && v != nil && v.Init != nil && len(v.Writes) == 0 && !v.AddrTaken:
			e = v.Init
		default:
			return e
		}
	}
}

// isNumber reports whether an expression is a component of threadIdx or blockIdx.
func isNumber(e *ir.Expr, variable string, d int) bool {
	e = given(e)
	return e.Op == ir.OpMember && e.Name == "xyz"[d:d+1] && e.Kids[0].Name == variable || e.Op == ir.OpCall && e.Name == "thread_rank" && d == 0 && variable == "threadIdx"
}

// constantNamed returns the value of a number, a macro, a template's argument or a constant of the file.
func (c *chooser) constantNamed(text string) (int64, bool) {
	if value, ok := c.arguments[text]; ok {
		text = value
	} else if m := regexp.MustCompile(`\bconst(?:expr)?\s[^;(){}]*\b` + text + `\s*=\s*([^;,]+)[;,]`).FindStringSubmatch(string(c.file.Src)); m != nil {
		text = strings.TrimSpace(m[1])
	}
	n, ok := c.constant(text)
	return n, ok && n > 0
}

// waits returns the conditions of loops that do nothing but wait until they no longer hold.
func waits(f *parser.File, fn *parser.Function) (out []string) {
	for n := range fn.Body.All() {
		if n.Kind == parser.KindWhileStatement && idle.MatchString(f.Text(n.Child(parser.FieldBody))) {
			out = append(out, f.Text(n.Child(parser.FieldCondition)))
		}
	}
	return out
}

var idle = regexp.MustCompile(`^[{}\s]*(__nanosleep\([^()]*\))?[{};\s]*$`)

// waiting returns the names of the functions that wait, of those that the kernel names.
func waiting(c *chooser) (out []string) {
	c.names() // which fills named
	for _, f := range c.prog.All() {
		for _, fn := range f.Functions {
			if fn.Body != nil && (fn == c.fn || c.named[fn.Name]) && len(waits(f, fn)) > 0 {
				out = append(out, fn.Name)
			}
		}
	}
	return out
}

// waited reports whether threads wait for what a parameter points to: in the kernel, by itself or as an object of the standard library, or in a
// function that gets it.
func waited(c *chooser, name string) bool {
	objects, body := []string{name}, c.file.Text(c.fn.Body)
	for _, m := range pattern(name, `[\w>]\s+(\w+)\s*\(\s*\*?\s*NAME\b[^()]*\)\s*;`).FindAllStringSubmatch(body, -1) {
		objects = append(objects, m[1])
	}
	for _, condition := range waits(c.file, c.fn) {
		if slices.ContainsFunc(objects, func(o string) bool { return harness.HasWord(condition, o) }) {
			return true
		}
	}
	return slices.ContainsFunc(waiting(c), func(fn string) bool {
		return fn != c.fn.Name && pattern(name, `\b`+fn+`\s*\([^;{}]*?\bNAME\b`).MatchString(body)
	})
}

// tellsNone reports whether the kernel tells neither threads nor blocks apart.
func tellsNone(c *chooser) bool { return !c.names("threadIdx", "blockIdx", "gridDim", "this_") }

// blocksMeet reports whether a kernel that tells no blocks apart is for several all the same: its threads are told apart by nothing but atomic
// functions, or they take a lock in memory of the device, and each has no element of its own.
func blocksMeet(c *chooser) bool {
	if tellsNone(c) {
		return c.names("atomic")
	}
	own := regexp.MustCompile(`\[[^]]*threadIdx`).MatchString(c.file.Text(c.fn.Body))
	lock := slices.ContainsFunc(c.fn.Params, func(p parser.Param) bool { return c.matches(p.Name, swapped) })
	return !own && len(c.kernel([3]int64{}).Shared) == 0 && (lock || c.names("acquire") || len(waiting(c)) > 0)
}
