package rewrite

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// Plan is what a check proved and decided for one kernel: the edits of the
// kernel itself, the clones of device functions that it needs, and what its
// launches must say.
type Plan struct {
	Kernel *analysis.Kernel
	// Variant is what is done. Its SharedSets are 1 for vtb with a lock.
	Variant

	regions    []*analysis.Region            // in which v-TBs take turns
	homes      map[*ir.Stmt]*analysis.Region // the statements that regions are runs of, see regionOf
	privatized []*analysis.Shared            // of which each v-TB has one of its own, so that no region is for them
	folds                                    // barriers that taking turns makes needless
	outer      bool                          // in named mode: there are barriers outside of regions

	edits  map[*parser.File]*Buffer
	clones []*clone
	// multiple is what the block size of a launch must be a multiple of to be merged,
	// 1 where it is proved or does not matter.
	multiple int
	// shape is the block's where all launches agree on it; zero where not, or where
	// several sets of dynamic shared memory may not fit: launches are merged where that
	// can be then (trylaunch.go).
	shape   [3]int
	bound   int  // the most threads that a block can have, since launch bounds were given; 0 if none were
	closed  bool // the proof holds for the launches in view alone
	notes   []diag.Message
	reasons []diag.Message

	vtb       string // name of the v-TB object in the kernel
	turn      string // name of the turn counter
	turnGuard string // name of the parameter that tells a cut function whose turn it is
	grid      string // name of the extra parameter
	// bytes is the name of a second one, which holds the bytes of one set of
	// dynamic shared memory; "" where there is one set.
	bytes string
	used  map[string]bool
	temp  int

	forms     map[form]*clone
	calls     []callSite
	decides   map[*ir.Func]*deciding   // see decidingIn
	named     map[*ir.Func]*mentionsIn // see namesIn
	constants map[*ir.Stmt]bool        // see cutter.constant
	copied    []copied                 // shared variables of which there are several sets
	begun     map[*ir.Func]bool        // functions of one line that lines were put at the top of, see atTopOf
	assumed   []string                 // lines that tell the compiler the block shape
	// slotWords is how many 32-bit words of dynamic shared memory each thread gets
	// beside what the launch asks for: where it is not 0, the third argument of each
	// launch grows by smux::slot_bytes<slotWords>(block).
	slotWords int
	slots     bool // words of shared memory are more than references: the runtime has their types
}

func (p *Plan) buffer(f *parser.File) *Buffer {
	b := p.edits[f]
	if b == nil {
		b = &Buffer{}
		p.edits[f] = b
	}
	return b
}

// refuse adds a reason against the plan, at an offset of a file.
func (p *Plan) refuse(f *parser.File, at int, code diag.Code, format string, args ...any) {
	m := diag.Message{Pos: f.Position(at), Code: code, Text: fmt.Sprintf(format, args...)}
	for _, o := range p.reasons {
		if o == m {
			return
		}
	}
	p.reasons = append(p.reasons, m)
}

func (p *Plan) note(f *parser.File, at int, code diag.Code, format string, args ...any) {
	p.notes = append(p.notes, diag.Message{Pos: f.Position(at), Code: code, Text: fmt.Sprintf(format, args...)})
}

// perVTBBarriers reports whether v-TBs have barriers of their own.
func (p *Plan) perVTBBarriers() bool { return p.Sync == "named" || p.Sync == "lock" }

// independent reports whether v-TBs have barriers of their own and no regions, in
// which they would have to take turns.
func (p *Plan) independent() bool { return p.perVTBBarriers() && len(p.regions) == 0 }

// barriers is how many named barriers the v-TBs take.
func (p *Plan) barriers() int {
	switch {
	case !p.perVTBBarriers():
		return 0
	case p.Sync == "named" && !p.independent() && p.outer:
		return 2 * p.Factor
	case p.Sync == "named" && !p.independent():
		return p.Factor + 1
	}
	return p.Factor
}

// vtbType is the type of the v-TB object.
func (p *Plan) vtbType() string {
	name, knobs := "vtb", []int{p.Factor}
	switch {
	case p.independent():
		name = "vtb_apart"
	case p.Sync == "named" && p.outer:
		name = "vtb_named_own"
	case p.Sync == "named":
		name = "vtb_named"
	case p.Sync == "lock":
		name = "vtb_lock"
		if p.SharedSets > 1 || p.shape[0] > 0 || p.GridAxis != "" {
			knobs = append(knobs, p.SharedSets)
		}
	}
	if p.GridAxis != "" { // the last argument, behind a shape in full
		return "smux::" + name + templateArguments(append(knobs, p.shape[0], max(1, p.shape[1]), max(1, p.shape[2])), p.along())
	}
	return "smux::" + name + templateArguments(append(knobs, shapeArguments(p.shape)...))
}

// templateArguments is <2, 64>, with more behind the numbers where there is any.
func templateArguments(args []int, more ...string) string {
	text := make([]string, len(args))
	for i, a := range args {
		text[i] = strconv.Itoa(a)
	}
	return "<" + strings.Join(append(text, more...), ", ") + ">"
}

// shapeArguments are the extents of a block shape without trailing ones; none of
// a shape that is not known.
func shapeArguments(shape [3]int) []int {
	n := 3
	for n > 0 && shape[n-1] <= 1 && !(n == 1 && shape[0] == 1) {
		n--
	}
	return shape[:n]
}

// gridAxis is the dimension of the grid along which blocks are merged.
func (w Variant) gridAxis() string {
	if w.GridAxis == "" {
		return "x"
	}
	return w.GridAxis
}

// along is the axis as a template argument.
func (w Variant) along() string { return "'" + w.gridAxis() + "'" }

// runtimeParts are what the rewritten kernel uses of the runtime.
func (p *Plan) runtimeParts() []runtimePart {
	if !p.Merges() {
		var parts []runtimePart
		if p.slotWords > 0 {
			parts = append(parts, partSlotBytes)
		}
		if p.slots {
			parts = append(parts, partSlots)
		}
		return parts
	}
	parts := []runtimePart{partBase}
	if !p.fixed() {
		parts = append(parts, partTry)
	}
	if p.dynamicSets() > 1 {
		parts = append(parts, partSets)
	}
	switch {
	case p.independent():
		parts = append(parts, partOwn, partApart)
	case p.Sync == "named":
		parts = append(parts, partOwn, partNamed)
	case p.Sync == "lock":
		parts = append(parts, partOwn, partLock)
	}
	return parts
}

// chooseNames picks names that nothing in the kernel uses.
func (p *Plan) chooseNames() {
	p.used = map[string]bool{}
	for _, fn := range p.Kernel.Functions {
		for _, v := range append(append(append([]*ir.Var{}, fn.Vars...), fn.Params...), fn.TParams...) {
			p.used[v.Name] = true
		}
		fn.View.Node.Walk(func(n *parser.Node) bool {
			switch n.Kind {
			case parser.KindIdentifier, parser.KindTypeIdentifier, parser.KindFieldIdentifier, parser.KindNamespaceIdentifier:
				p.used[fn.File.Text(n)] = true
			}
			return true
		})
		for word := range p.Kernel.Prog.MacroWords(fn.File) {
			p.used[word] = true
		}
	}
	p.vtb = p.fresh("vtb")
	p.turn = p.fresh("turn")
	p.turnGuard = p.fresh("mine")
	p.grid = "smux_grid"
	if !p.followed() {
		p.grid += "_" + p.gridAxis()
	}
	p.grid = p.fresh(p.grid)
	if p.dynamicSets() > 1 {
		p.bytes = p.fresh("smux_shared")
	}
}

// fresh returns name, or a variation of it that is not used yet.
func (p *Plan) fresh(name string) string {
	out := name
	taken := func() bool {
		_, macro := p.Kernel.File.Macros.Lookup(out, int(p.Kernel.View.Body.Start))
		return macro || p.used[out]
	}
	for i := 2; taken(); i++ {
		out = fmt.Sprintf("%s%d", name, i)
	}
	p.used[out] = true
	return out
}

func (p *Plan) temporary(stem string) string {
	p.temp++
	return p.fresh(fmt.Sprintf("smux_%s%d", stem, p.temp))
}

// text is the original text of a range.
func text(f *parser.File, r ir.Range) string { return string(f.Src[r.Start:r.End]) }

// indentAt returns the white space that the line holding offset at starts with.
func indentAt(f *parser.File, at int) string {
	s := lineStart(f, at)
	e := s
	for e < len(f.Src) && (f.Src[e] == ' ' || f.Src[e] == '\t') {
		e++
	}
	return string(f.Src[s:e])
}

func nextLine(f *parser.File, at int) int {
	for at < len(f.Src) && f.Src[at] != '\n' {
		at++
	}
	return min(at+1, len(f.Src))
}

func lineStart(f *parser.File, at int) int {
	for at > 0 && f.Src[at-1] != '\n' {
		at--
	}
	return at
}

// firstOnLine reports whether only white space stands before at on its line.
func firstOnLine(f *parser.File, at int) bool {
	return strings.TrimSpace(string(f.Src[lineStart(f, at):at])) == ""
}

// endOfLine returns the offset of the line break behind at (or the end of the
// file) if only white space and a comment stand between, else at itself: where
// text that follows a statement goes.
func endOfLine(f *parser.File, at int) int {
	i := at
	for i < len(f.Src) && f.Src[i] != '\n' && f.Src[i] != '\r' {
		i++
	}
	rest := strings.TrimSpace(string(f.Src[at:i]))
	switch {
	case rest == "", strings.HasPrefix(rest, "//") && !strings.HasSuffix(rest, "\\"):
		return i
	case strings.HasPrefix(rest, "/*") && strings.Index(rest, "*/") == len(rest)-2:
		return i
	}
	return at
}

// insertBefore puts lines before a statement, each on a line of its own.
func (p *Plan) insertBefore(f *parser.File, at int, lines ...string) {
	nl, indent := f.Newline(), indentAt(f, at)
	if at < len(f.Src) && f.Src[at] == '#' {
		indent = indentAt(f, nextLine(f, at)) // a pragma: as the loop behind it
	}
	if firstOnLine(f, at) {
		var b strings.Builder
		for _, l := range lines {
			b.WriteString(indent + l + nl)
		}
		p.buffer(f).Insert(lineStart(f, at), b.String())
		return
	}
	p.buffer(f).Insert(at, strings.Join(lines, nl+indent)+nl+indent)
}

// insertAfter puts lines behind a statement that ends at an offset; like is an
// offset on a line with the indentation to use.
func (p *Plan) insertAfter(f *parser.File, at, like int, lines ...string) {
	nl, indent := f.Newline(), indentAt(f, like)
	if like < len(f.Src) && f.Src[like] == '#' {
		indent = indentAt(f, nextLine(f, like))
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(nl + indent + l)
	}
	end := endOfLine(f, at)
	if end == at && end < len(f.Src) && f.Src[end] != '\n' && f.Src[end] != '\r' {
		b.WriteString(nl + indent)
	}
	p.buffer(f).Insert(end, b.String())
}

// stmtEnd is the offset behind a statement. An #if group ends with its #endif
// line.
func stmtEnd(f *parser.File, s *ir.Stmt) int {
	end := s.Range.End
	if end > 0 && end <= len(f.Src) && f.Src[end-1] == '\n' {
		end--
		if end > 0 && f.Src[end-1] == '\r' {
			end--
		}
	}
	return end
}
