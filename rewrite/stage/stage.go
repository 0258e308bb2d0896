// Package stage copies global data that a thread block reads again to shared memory, in
// tiles whose size a model of the GPU chooses (Xie, ICCAD).
package stage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// The codes of stage.
const (
	CodeNoReuse     diag.Code = "no-reuse"
	CodeStageWrites diag.Code = "stage-written"
	CodeStageGuard  diag.Code = "stage-guard"
	CodeStagePlace  diag.Code = "stage-place"
	CodeStageVector diag.Code = "stage-vector"
	CodeStaged      diag.Code = "staged"
)

// checkStaging proves that what the threads of a block read again and again of arrays in
// global memory can be copied to shared memory first (Xie et al., ICCAD, §3).
//
//	                                        __shared__ float a_tile[16][16];
//	for (int k = 0; k < n; k++)             for (int k0 = 0, k_len; k0 < n; k0 += k_len) {
//	    s += a[row * n + k] * …;     -->        k_len = min(16, n - k0);
//	                                            a_tile[threadIdx.y][threadIdx.x] = a[row * n + k0 + threadIdx.x];
//	                                            __syncthreads();
//	                                            for (int k = k0; k < k0 + k_len; k++)
//	                                                s += a_tile[threadIdx.y][k - k0] * …;
//	                                            __syncthreads();
//	                                        }
//
// The proof has four parts:
//
//   - nobody writes the array while the kernel runs, or nobody
//     what is staged of it (neverWritten);
//   - a load's subscript is a sum of threadIdx, counters of loops and what is the same
//     for the block, each times a stride: the elements that a block reads are a box, and the
//     element that a load reads has the same place in the box for all threads that read it
//     (patterns);
//   - an element is copied under the conditions under which a thread reads it, judged for
//     that thread, so that nothing is read that was not read before, or that does not lie
//     between elements that were (guarding);
//   - all threads of the block come to the place of the copy and to the barrier after it
//     (placeOf): a return or a condition before it becomes a variable.
//
// The text of a copy is that of the load, with the variables that it needs declared anew for the element. So types,
// and what overflows, are what they were. What is declared anew is a sum of what has its value at the place of the
// copy (uncopiable): it reads no memory, which only threads under a later condition may. A form stands for a
// condition only where that compares as signed what is signed (comparison.exact).
//
// Threads that come along instead of leaving, and the new barriers, must not be waited for: refused where threads of
// a warp work together after a return (inWarps), and where a loop waits for another thread of the block (waits).
//
// Left out: subscripts with / and %, loops whose bounds differ from thread to thread, loads through a
// pointer that moves, blocks of several shapes.
func checkStaging(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	return checkStagingOf(k, opt, readAgain)
}

// stagedFor says why arrays are staged.
type stagedFor uint8

const (
	readAgain stagedFor = iota // threads of a block read their elements again
	readApart                  // neighbours read them apart, and the block side by side
	readOn                     // an iteration of a loop reads planes of them that the one before read
)

// checkStagingOf is checkStaging of arrays that are staged for something.
func checkStagingOf(k *analysis.Kernel, opt kit.Options, what stagedFor) (kit.Proof, []diag.Message) {
	p := &copyProof{Findings: kit.NewFindings(k, variant.Stage, opt), copied: map[*ir.Var]bool{}, apart: what == readApart}
	shape, ok := p.OneShape()
	if !ok {
		return nil, p.Reasons
	}
	p.forms = newIndexForms(k, shape)
	p.forms.planes = what == readOn
	for p.tile = p.firstTile(); ; p.tile /= 2 {
		p.places, p.Reasons, p.narrow = nil, nil, nil
		p.find()
		cuts := slices.ContainsFunc(p.places, func(o *copyPlace) bool { return o.cut != nil })
		large := slices.ContainsFunc(p.Reasons, func(m diag.Message) bool { return m.Code == kit.CodeSharedSize })
		if p.Tile != 0 || p.tile == 1 || !large && (!cuts || p.bytes() <= usualBytes || p.apart && p.tile <= leastSide/4) {
			break
		}
	}
	if len(p.places) == 0 {
		if len(p.Reasons) == 0 {
			p.Refuse(k.File, k.View.Start, CodeNoReuse, "threads of a block read no array of global memory again in a form that smux can stage")
		}
		return nil, p.Reasons
	}
	p.Reasons = nil // what keeps single arrays out is no reason against the others
	if p.Vector > 1 && !p.hasVectors() {
		p.Refuse(k.File, k.View.Start, CodeStageVector, "nothing can be copied %d elements at a time: %s", p.Vector, strings.Join(p.narrow, "; "))
		return nil, p.Reasons
	}
	p.Closed = true
	p.Note(k.File, k.View.Start, CodeStaged, "staged %s; %d bytes of shared memory more in each thread block", p.summary(), p.bytes())
	return p, nil
}

// hasVectors reports whether an array is copied several elements at a time.
func (p *copyProof) hasVectors() bool {
	return slices.ContainsFunc(p.places, func(o *copyPlace) bool {
		return slices.ContainsFunc(o.arrays, func(a *stagedArray) bool { return a.vector > 0 })
	})
}

// mark begins the comment above the copies.
const mark = "// smux stage:"

// copyProof says which arrays are copied, and where.
type copyProof struct {
	kit.Findings
	forms  *indexForms
	places []*copyPlace
	tile   int              // iterations of a loop that is cut
	copied map[*ir.Var]bool // variables that copies name as they are
	narrow []string         // why arrays are copied element by element where vectors are asked for
	// apart has arrays staged that neighbours read far apart and the block side by side,
	// whether elements are read again or not.
	apart bool
}

// usualBytes bounds the bytes staged in a loop that is cut where nobody says how many iterations at a time: larger
// tiles only cost thread blocks. What is read apart needs a sector for each thread, or nothing is gained.
const usualBytes = 8 << 10

// leastReuse is the least number of times that an element is asked for, on average, if copying it is worth a barrier.
const leastReuse = 2

// find finds the arrays that can be staged.
func (p *copyProof) find() {
	k, f := p.Kernel, p.forms
	loads := f.loadsOf()
	asked := false
	for _, v := range k.Func.Params {
		if p.Array != "" && v.Name != p.Array || len(loads[v]) == 0 {
			continue
		}
		asked = true
		ways := slices.DeleteFunc(f.patterns(v, loads[v]), func(a *stagedArray) bool {
			return len(a.loads) == 0 || !p.fits(a) || p.reuse(a) < leastReuse && p.Array == "" && !p.apart
		})
		slices.SortStableFunc(ways, func(a, b *stagedArray) int { return cmp.Compare(p.reuse(b), p.reuse(a)) })
		switch {
		case len(ways) == 0:
		case !onlyRead(k, v) && !p.keepUnwritten(v, &ways):
			p.Refuse(k.File, ways[0].loads[0].whole.Range.Start, CodeStageWrites, "the memory of %s may be written while the kernel runs", v.Name)
		default:
			p.takeFirst(ways)
		}
	}
	if p.Array != "" && !asked {
		p.Refuse(k.File, k.View.Start, CodeNoReuse, "the kernel loads nothing through a parameter %s in a form that smux can stage", p.Array)
	}
}

// keepUnwritten leaves those ways to stage an array in which no thread writes what is staged, and
// reports whether any is left.
func (p *copyProof) keepUnwritten(v *ir.Var, ways *[]*stagedArray) bool {
	stores, ok := p.forms.storesTo(v)
	if !ok {
		return false
	}
	left := slices.DeleteFunc(slices.Clone(*ways), func(a *stagedArray) bool { return !p.forms.neverWritten(a, stores) })
	if len(left) > 0 {
		*ways = left
	}
	return len(left) > 0
}

// fits reports whether an array's pattern is of the scheme that is asked for.
func (p *copyProof) fits(a *stagedArray) bool {
	switch {
	case p.apart:
		return p.isApart(a)
	case p.forms.planes:
		return a.moves() && p.shares(a)
	case p.Scheme == variant.SchemeLoop:
		return a.cut != nil
	case p.Scheme == variant.SchemeNeighbourhood:
		return a.cut == nil
	}
	return true
}

// takeFirst stages the first of several ways to stage an array for which that can be proved; where
// there is none it says what is in the way of the first.
func (p *copyProof) takeFirst(ways []*stagedArray) {
	before := len(p.Reasons)
	for i, a := range ways {
		n := len(p.Reasons)
		if p.Take(a); len(p.Reasons) == n {
			p.Reasons = p.Reasons[:before]
			return
		}
		if i > 0 {
			p.Reasons = p.Reasons[:n]
		}
	}
}

// Take stages an array where that can be proved and its tile fits.
func (p *copyProof) Take(a *stagedArray) {
	k := p.Kernel
	at := a.loads[0].whole.Range.Start
	a.model = slices.MinFunc(a.loads, func(x, y *stagedLoad) int {
		if d := len(x.choices) - len(y.choices); d != 0 {
			return d // of the element alone
		}
		if d := len(x.conds) - len(y.conds); d != 0 && !a.own {
			return d // of the group's own
		}
		if d := a.fromFirst(x) - a.fromFirst(y); d != 0 {
			return d
		}
		if d := p.forms.textLength(x) - p.forms.textLength(y); d != 0 {
			return d // a[i] of a[i - 1] and a[i + 1]
		}
		return a.distance(x) - a.distance(y)
	})
	if a.elem == 0 {
		p.Refuse(k.File, at, CodeStageGuard, "%s can't be copied element by element: the size of its elements is unknown, or a constructor makes them", a.v.Name)
		return
	}
	if why := p.forms.unmoved(a); why != "" {
		p.Refuse(k.File, at, CodeStageGuard, "planes of %s can't be kept: %s", a.v.Name, why)
		return
	}
	if len(a.model.choices) > 0 {
		p.Refuse(k.File, at, CodeStageGuard, "%s can't be copied element by element: each of its loads chooses its subscript", a.v.Name)
		return
	}
	var ok bool
	if a.boxes, ok = a.boxesOf(); !ok {
		p.Refuse(k.File, at, CodeStageGuard, "%s can't be copied element by element: the offsets of its loads are no full neighbourhood, nor a star", a.v.Name)
		return
	}
	if why := a.betweenSteps(); why != "" {
		p.Refuse(k.File, at, CodeStageGuard, "%s can't be copied element by element: %s", a.v.Name, why)
		return
	}
	if len(a.model.places) > 0 && !a.own && !a.isFilled() {
		p.Refuse(k.File, at, CodeStageGuard, "%s can't be copied element by element: its loads leave out places between them", a.v.Name)
		return
	}
	var why string
	if a.own {
		a.guards, why = p.forms.owning(a)
	} else {
		a.guards, a.ends, why = p.forms.guarding(a)
	}
	if why != "" {
		p.Refuse(k.File, at, CodeStageGuard, "%s is read by some threads alone: %s", a.v.Name, why)
		return
	}
	if why := p.forms.uncopied(a); why != "" {
		p.Refuse(k.File, at, CodeStageGuard, "%s can't be copied element by element: %s", a.v.Name, why)
		return
	}
	place, why := p.forms.placeOf(a)
	if why != "" {
		p.Refuse(k.File, at, CodeStagePlace, "threads of a block can't meet before %s is read: %s", a.v.Name, why)
		return
	}
	p.widen(a)
	if why := p.uncopiable(place, a); why != "" {
		p.Refuse(k.File, at, CodeStageGuard, "%s can't be copied element by element: %s", a.v.Name, why)
		return
	}
	if why := p.unfetched(a); why != "" {
		p.Refuse(k.File, at, CodeStagePlace, "%s can't be copied ahead: %s", a.v.Name, why)
		return
	}
	if why := p.room(p.bytes() + p.bytesOf(a)); why != "" {
		p.Refuse(k.File, at, kit.CodeSharedSize, "%s takes %d bytes: %s", a.v.Name, p.bytesOf(a), why)
		return
	}
	for _, o := range p.places {
		switch {
		case o.stmt == place.stmt && o.cut == place.cut:
			o.arrays = append(o.arrays, a)
			return
		case len(o.flags)+len(place.flags) > 0 || o.cut != nil && place.cut != nil && (o.stmt.Inside(place.stmt) || place.stmt.Inside(o.stmt)):
			p.Refuse(k.File, at, CodeStagePlace, "%s would have to be copied at another place than %s", a.v.Name, o.arrays[0].v.Name)
			return
		}
	}
	p.places = append(p.places, place)
}

// uncopiable says why the text of a load can't be that of a copy at a place, "" where it can.
func (p *copyProof) uncopiable(place *copyPlace, a *stagedArray) (why string) {
	tiles := []loopTile{{start: "k0", length: "k_len"}}
	if a.moves() {
		tiles = append(tiles, loopTile{start: "k0", first: true})
	}
	for _, tile := range tiles {
		names := kit.NewEmitter(p.Kernel)
		position, _ := p.positions(a, tile, names.Fresh)
		c := newCopyText(p, place, a, position, tile, names.Fresh)
		c.condition()
		c.text(a.model.whole)
		for v := range c.asIs {
			p.copied[v] = true
			if place.givesTo(v) {
				return v.Name + " has its value for some threads alone"
			}
		}
		if c.problem != "" {
			return c.problem
		}
	}
	for _, l := range a.loads {
		for _, s := range l.choices {
			for e := range s.cond.All() {
				p.copied[e.Var] = true
			}
		}
	}
	return ""
}

// unfetched says why an array can't be copied while a tile of it is used, "" where it can or need not.
func (p *copyProof) unfetched(a *stagedArray) (why string) {
	switch {
	case !p.Async:
	case a.cut == nil:
		return "no loop over its tiles is there"
	case a.moves():
		return "its planes move"
	case !isWord(p.Kernel, a.v.Type.Base):
		return fmt.Sprintf("its elements have %d bytes, and what is copied asynchronously has 4, 8 or 16 and lies at a multiple of that", a.elem)
	case a.model.args != nil:
		return "a function reads it"
	case !a.cut.plain() || !a.cut.known || a.cut.first < 0:
		return "its loop does not count up by one from a number, as int"
	case a.cut.stmt.Parent == nil || a.cut.stmt.Parent.Op != ir.StmtCompound:
		return "the loop stands in no braces"
	}
	return ""
}

// fromFirst returns the distance of a load's element from the first of a tile along a loop of which it takes all: no
// counter is before that.
func (a *stagedArray) fromFirst(l *stagedLoad) (sum int) {
	for i, o := range l.offsets {
		if x := a.axes[i]; x.isDense() {
			sum += int(o) - x.low
		}
	}
	return sum
}

// distance returns the distance of a load's element from the pattern's own.
func (a *stagedArray) distance(l *stagedLoad) (sum int) {
	for _, o := range l.offsets {
		sum += int(max(o, -o))
	}
	return sum
}

// textLength returns the length of a load as it is written; 0 where its subscript is not computed in int, so that only
// the first of a block's elements may stand for all.
func (f *indexForms) textLength(l *stagedLoad) int {
	for d, n := range f.shape {
		if n > 1 && !f.signed(l.subscript, d) {
			return 0
		}
	}
	return len(kit.Text(f.k.File, l.whole.Range))
}

// summary says what is staged and how often its elements are used.
func (p *copyProof) summary() string {
	var out []string
	for _, place := range p.places {
		for _, a := range place.arrays {
			use := fmt.Sprintf("each element used %.3g times", p.reuse(a))
			if p.apart {
				use = "read side by side"
			}
			out = append(out, fmt.Sprintf("%s (%s)", a.v.Name, use))
		}
	}
	return strings.Join(out, ", ")
}

// String names the arrays with the boxes that are copied, and the places.
func (p *copyProof) String() string {
	var b strings.Builder
	b.WriteString(p.Title())
	for _, place := range p.places {
		for _, a := range place.arrays {
			fmt.Fprintf(&b, "\n\t%s:", a.v.Name)
			for _, x := range a.axes {
				fmt.Fprintf(&b, " %d", p.extent(x))
			}
			fmt.Fprintf(&b, " elements before %s", p.At(place.stmt.Range.Start))
		}
		for _, flag := range place.flags {
			fmt.Fprintf(&b, ", all threads past %s", p.At(flag.stmt.Range.Start))
		}
	}
	return b.String()
}

func (p *copyProof) Files() []*parser.File { return []*parser.File{p.Kernel.File} }

// StagedBy are the arrays that a proof of stage copies since they are read again.
func StagedBy(p kit.Proof) []kit.Staged {
	if s, ok := p.(interface{ staged() []kit.Staged }); ok {
		return s.staged()
	}
	return nil
}

func (p *copyProof) staged() (out []kit.Staged) {
	file := p.Kernel.File
	for _, place := range p.places {
		for _, a := range place.arrays {
			s := kit.Staged{Array: a.v.Name, Reuse: p.reuse(a), Bytes: p.bytesOf(a)}
			for _, l := range a.loads {
				s.Places = append(s.Places, file.Position(l.whole.Range.Start))
			}
			if a.cut != nil {
				at := file.Position(a.cut.stmt.Range.Start)
				s.Loop, s.Tile = &at, p.tile
			}
			out = append(out, s)
		}
	}
	return out
}

func (p *tableProof) staged() (out []kit.Staged) {
	for _, t := range p.tables {
		s := kit.Staged{Array: t.name, Bytes: t.elements() * t.elem}
		for _, r := range t.reads {
			s.Places = append(s.Places, p.Kernel.File.Position(r.whole.Range.Start))
			s.Reuse += float64(r.times * p.threads)
		}
		s.Reuse /= float64(t.elements())
		out = append(out, s)
	}
	return out
}

// staged is nil: other threads make a store, and nothing is read again.
func (p *transposeProof) staged() []kit.Staged { return nil }

func (p *evened) staged() []kit.Staged {
	out := StagedBy(p.Proof)
	for i := range out {
		out[i].Places, out[i].Loop = nil, nil // of a text that nobody sees
	}
	return out
}
