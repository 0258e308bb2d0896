package selection

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/stage"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// stages reports whether a variant copies arrays to shared memory, alone or before the rest.
func stages(w Variant) bool { return w.Rewriter == variant.Stage || w.Staged }

// promising is the least gain of a staged form for others like it to be looked at.
const promising = 0.9

// staged are the forms of stage that are worth comparing, and those of the best of them with thread blocks
// merged after that. The forms are the design space of Xie et al. (ICCAD, §3): first what is copied, then
// how much at a time of what gains most, in steps of one thread block per SM, and that with the next tile copied
// ahead, or copied in vectors. A form in which knobs are set stands alone.
func (r *ranker) staged(w Variant, g rewrite.Group, check func(Variant) error) (forms, merged []Variant) {
	best, gained := w, 0.0
	var from *rewrite.Chain
	try := func(o Variant) {
		if o != w && check != nil && check(o) != nil {
			return
		}
		forms = append(forms, o)
		c, room := r.look(o, g)
		if gain := r.alone(o); gain > gained {
			best, gained, from = o, gain, nil
			if room {
				from = c
			}
		}
	}
	try(w)
	if k := g.Kernels[0]; w == (Variant{Rewriter: variant.Stage}) {
		for _, f := range stage.Forms(k) {
			try(f)
		}
		if gained >= promising {
			for _, f := range r.tiles(k, best) {
				try(f)
			}
			o, ok := r.ahead(k, best)
			if !ok { // planes are not copied ahead
				o, ok = r.ahead(k, w)
			}
			if ok {
				forms = append(forms, o)
				r.look(o, g)
			}
			if o, ok := wide(k, best); ok {
				forms = append(forms, o)
				r.look(o, g)
			}
		}
	}
	if from != nil && gained >= 1 {
		merged = followed(from, g, best)
	}
	return forms, merged
}

// ahead is a form that copies the next tile while one is used, where every GPU has copies that go on by
// themselves and a loop is cut. No thread blocks are merged after it: that is refused (async-copy).
func (r *ranker) ahead(k *analysis.Kernel, w Variant) (o Variant, ok bool) {
	for _, p := range r.places {
		if p.GPU.Arch.Major < hardware.FirstAsync {
			return o, false
		}
	}
	o = w
	o.Async = true
	_, ok = stage.TileBytes(k, o)
	return o, ok
}

// wide is a form that copies four elements of a row at a time, or two, where it is known that rows lie so.
func wide(k *analysis.Kernel, w Variant) (o Variant, ok bool) {
	for _, n := range []int{4, 2} {
		o = w
		o.Vector = n
		if _, ok = stage.TileBytes(k, o); ok {
			return o, true
		}
	}
	return o, false
}

// alone returns the gain of a variant, 0 where it can't run.
func (r *ranker) alone(w Variant) float64 {
	ask := r.req.Source.Variant
	if r.req.Source.Costly() {
		ask = r.asOriginal
	}
	o := r.stands(w, ask)
	r.time(&o)
	return o.Gain
}

// usualTiles are iterations of a loop that are staged at a time, whatever the GPU; of larger ones than largestTile
// nothing is known, as a rule: loops may be shorter. Of planes that move along a loop one is usual.
var usualTiles, usualPlanes = []int{8, 16, 32, 64}, []int{1, 2, 4, 8}

const (
	largestTile = 128
	mostTiles   = 8 // that are looked at, each of which is a text to read and to simulate
)

// tiles are a form with the usual tiles and, for each place, with the largest for which just as many thread
// blocks are on an SM as of the original, one less, and so on.
func (r *ranker) tiles(k *analysis.Kernel, w Variant) (out []Variant) {
	with := func(tile int) Variant {
		o := w
		o.Tile = tile
		return o
	}
	usual := usualTiles
	own, _ := stage.TileBytes(k, w)
	if bytes, _ := stage.TileBytes(k, with(1)); bytes == own {
		usual = usualPlanes
	}
	first := usual[0]
	least, some := stage.TileBytes(k, with(first))
	each := 0 // bytes that an iteration takes
	for _, tile := range usual[1:] {
		if bytes, cut := stage.TileBytes(k, with(tile)); some && cut {
			each = (bytes - least) / (tile - first)
		}
	}
	if each <= 0 {
		return nil
	}
	sizes := slices.Clone(usual)
	for i, p := range r.places {
		for blocks := r.base[i].Blocks; blocks > 0; blocks-- {
			room := occupancy.MaxShared(p.GPU, blocks) - p.Work.Shared - least
			tile := (first + room/each) / first * first
			if tile > largestTile || len(sizes) == mostTiles {
				break
			}
			if tile > 0 && !slices.Contains(sizes, tile) {
				sizes = append(sizes, tile)
			}
		}
	}
	slices.Sort(sizes)
	for _, tile := range sizes {
		if bytes, can := stage.TileBytes(k, with(tile)); can && bytes != own {
			out = append(out, with(tile))
		}
	}
	return out
}

// TrafficChange says what staging changes of it.
type TrafficChange struct {
	Before sim.Traffic `json:"before"`
	After  sim.Traffic `json:"after"`
}

// traffic returns the change where so many thread blocks are on an SM before and after, nil where no array is staged.
func (p Place) traffic(w Variant, before, after int) *TrafficChange {
	f, ok := p.formOf(w)
	if !ok || !stages(w) || f.original == nil {
		return nil
	}
	of := func(t sim.Traffic) sim.Traffic {
		return sim.Traffic{Loads: rounded(t.Loads), L2: rounded(t.L2), DRAM: rounded(t.DRAM), Stores: rounded(t.Stores)}
	}
	return &TrafficChange{of(sim.TrafficOf(p.GPU, f.original, before)), of(sim.TrafficOf(p.GPU, f.Work, after))}
}

// Look returns what the model expects of variants that the ranking doesn't have and that merge nothing but
// change what a thread block does, in the places of the report: the kernel is rewritten and counted anew. A
// thread has as many registers more than the original as an estimate says.
func (r *Report) Look(g rewrite.Group, ways []Variant) (out []RankedVariant) {
	k := &ranker{req: Request{Clock: Simulated}, places: r.places}
	for _, w := range ways {
		out = append(out, k.further(w, g))
		k.forget(g)
	}
	return out
}

func (r *ranker) further(w Variant, g rewrite.Group) RankedVariant {
	r.look(w, g)
	out := RankedVariant{Variant: w}
	for _, p := range r.places {
		f := p.forms[w]
		f.Kernel, f.Instance = p.Kernel, p.Instance // of what was rewritten the work alone is asked for further on
		p.forms[w] = f
		registers := p.Work.Registers + f.registers
		if most := p.GPU.Arch.RegistersPerThread; f.err == nil && max(registers, f.estimate) >= most {
			return RankedVariant{Variant: w, Excluded: fmt.Sprintf("on %s a thread needs all of %d registers, or more, by an estimate", p.GPU, most)}
		}
		found, err := p.Expect(w, registers)
		if err != nil {
			return RankedVariant{Variant: w, Excluded: err.Error()}
		}
		out.Places = append(out.Places, found)
	}
	if len(out.Places) > 0 {
		out.Gain = rounded(geomean(out.Places))
	}
	return out
}
