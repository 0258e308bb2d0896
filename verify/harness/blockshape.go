package harness

import (
	"math/bits"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/hardware"
)

// block returns the blocks that the kernel may have, the likeliest first: the usual one alone where there is one. Else one thread where
// the text tells no threads apart; or blocks as the text writes them, 64 threads, and those that the extents of shared arrays
// suggest, of which come first those in which all elements are named, and none past an end.
func (c *chooser) block(usual [3]int64) [][3]int64 {
	out := [3]int64{1, 1, 1}
	axes := 0
	for i, d := range []string{"x", "y", "z"} {
		if i == 0 && c.names("threadIdx.x", "blockDim.x", "sync", "shfl", "this_", "%tid") || i > 0 && c.names("threadIdx."+d) {
			out[i], axes = 64, i+1
		}
	}
	switch {
	case c.how.Block[0] > 0:
		return [][3]int64{c.how.Block}
	case usual[0] > 0:
		return [][3]int64{usual}
	case axes == 0:
		return [][3]int64{out}
	}
	for i := range out {
		out[i] = min(out[i], [][3]int64{{64}, {8, 8}, {4, 4, 4}}[axes-1][i]) // what is not told apart stays 1
		out[i] = max(out[i], 1)
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
	return c.fitting(out, axes)
}

// mostBlocks is the largest number of blocks of which the subscripts are computed.
const mostBlocks = 24

// fitting returns a block and others that the extents of shared arrays and the numbers in the text suggest, the better first.
func (c *chooser) fitting(first [3]int64, axes int) (out [][3]int64) {
	add := func(b [3]int64) {
		if n := count(b); n > 0 && n <= c.mostThreads() && len(out) < mostBlocks && !slices.Contains(out, b) &&
			(c.how.Threads == 0 || n*count(c.gridNamed(0)) <= c.how.Threads || len(out) == 0) {
			out = append(out, b)
		}
	}
	add(first)
	k := c.kernel(first)
	for _, s := range k.Shared {
		// A halo makes an array longer than the block, and a thread may have two elements.
		for part := 1; part <= 2; part++ {
			b := first
			for i := range min(axes, len(s.Dims)) {
				b[i] = even(int64(s.Dims[len(s.Dims)-1-i] / part))
			}
			if len(s.Dims) > 0 {
				add(b)
			}
		}
	}
	if len(k.Shared) > 0 && c.fit(out[0]) != whole {
		k.Func.Body.WalkExprs(func(e *ir.Expr) bool {
			if e.Op == ir.OpInt && e.Int >= 4 && even(e.Int) == e.Int {
				for _, b := range [][3]int64{{e.Int, first[1], first[2]}, {e.Int, even(count(first) / first[2] / e.Int), first[2]}} {
					if b[1] == 1 || axes > 1 {
						add(b)
					}
				}
			}
			return true
		})
	}
	sizes := []int64{c.mostThreads(), 128, 256}
	if c.names("shfl", "ballot", "syncwarp", "any_sync", "all_sync", "lane") && !c.names("/32", "warpSize") { // it may be for one warp
		sizes = append(sizes, hardware.WarpSize)
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
	return slices.DeleteFunc(out, func(b [3]int64) bool { return worth[b] == inside && best == whole })
}

// even returns a number of threads that programs have, and no more than n: of warps, or a power of two.
func even(n int64) int64 {
	if n > 0 && n%hardware.WarpSize != 0 {
		return 1 << (bits.Len64(uint64(n)) - 1)
	}
	return n
}

func (c *chooser) mostThreads() int64 {
	if n, ok := c.kernel([3]int64{}).MaxThreads(nil); ok && n > 0 {
		return int64(n)
	}
	return hardware.MaxThreadsPerBlock
}

// kernel returns the kernel as analysed for a block.
func (c *chooser) kernel(block [3]int64) *analysis.Kernel {
	p := c.programs[block]
	if p == nil {
		p = analysis.NewProgram(c.prog, [3]int{int(block[0]), int(block[1]), int(block[2])})
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
	k.Func.Body.WalkExprs(func(e *ir.Expr) bool {
		if e.Op == ir.OpAssign && e.Tok == "=" {
			set[e.Kids[0]] = true
		}
		return true
	})
	out := whole
	for _, s := range k.Shared {
		if len(s.Dims) > 0 && len(k.Subscripts(s)) == 0 {
			out = inside // for all that is known
		}
		for i, dim := range s.Dims {
			var spans []analysis.Span // that are set
			for e, subscripts := range k.Subscripts(s) {
				span := subscripts[i]
				if span.Known && (span.Min < 0 || span.Max >= int64(dim)) {
					return outside
				}
				if set[e] && !span.Known {
					span = analysis.Span{Min: 0, Max: int64(dim) - 1}
				}
				if set[e] {
					spans = append(spans, span)
				}
			}
			slices.SortFunc(spans, func(a, b analysis.Span) int { return int(a.Min - b.Min) })
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
			fn.Body.WalkExprs(func(e *ir.Expr) bool {
				c.named[e.Name] = true
				switch {
				case e.Op == ir.OpMember:
					c.named[e.Kids[0].Name+"."+e.Name] = true
				case e.Op == ir.OpBinary && e.Kids[1].Op == ir.OpInt && (e.Tok == "/" && e.Kids[1].Int == 32 || e.Tok == ">>" && e.Kids[1].Int == 5):
					c.named["/32"] = true
				}
				return true
			})
		}
	}
	for name := range c.named {
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) }) {
			return true
		}
	}
	return false
}

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
	body := c.file.Text(c.fn.Body)
	for i, d := range []string{"x", "y", "z"} {
		for _, m := range blockPatterns[i].FindAllStringSubmatch(body, -1) {
			if n, ok := c.constantNamed(m[1] + m[2] + m[3]); ok && out[i] == 0 {
				out[i] = n
			}
		}
		for _, m := range steppedLoop.FindAllStringSubmatch(body, -1) {
			number, step := "threadIdx."+d, m[3]
			together := regexp.MustCompile(`\b` + m[2] + `\s*\+\s*` + number + `\b|` + number + `\s*\+\s*` + m[2] + `\b`)
			if n, ok := c.constantNamed(step); ok && (strings.Contains(m[1], number) || together.MatchString(body)) {
				out[i] = n
			}
		}
	}
	if max(out[0], 1)*max(out[1], 1)*max(out[2], 1) > hardware.MaxThreadsPerBlock {
		return [3]int64{}
	}
	return out
}

var (
	blockPatterns = [3]*regexp.Regexp{blockPattern("x"), blockPattern("y"), blockPattern("z")}
	steppedLoop   = regexp.MustCompile(`for\s*\(([^;{}]*);[^;{}]*;\s*(\w+)\s*\+=\s*(\w+)\s*\)`)
)

func blockPattern(d string) *regexp.Regexp {
	return regexp.MustCompile(`\bblockIdx\.` + d + `\s*\*\s*(\w+)\s*\+\s*threadIdx\.` + d + `\b` +
		`|\b(\w+)\s*\*\s*blockIdx\.` + d + `\s*\+\s*threadIdx\.` + d + `\b` +
		`|\bthreadIdx\.` + d + `\s*\+\s*blockIdx\.` + d + `\s*\*\s*(\w+)\b(?:[^.]|$)`)
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
