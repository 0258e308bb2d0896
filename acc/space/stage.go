package space

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc"
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/stage"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// stagedMappings is for how many of the fastest mappings, beside the default, schemes are looked at.
const stagedMappings = 2

// stagedTiles are iterations of a loop that are staged at a time.
var stagedTiles = []int{0, 8, 16, 32, 64}

// stage looks at what can be staged in shared memory (Xie et al., ICCAD, §3), with the default mapping and the fastest ones.
func (x *explorer) stage() error {
	bases := map[string][]acc.Mapping{}
	for name, f := range x.found {
		if f.uncounted != "" || len(f.points) == 0 {
			continue
		}
		sorted := slices.Clone(f.points[1:])
		slices.SortStableFunc(sorted, func(a, b *point) int {
			return cmp.Compare(b.speed(f.points[0]), a.speed(f.points[0]))
		})
		bases[name] = []acc.Mapping{f.points[0].Mapping}
		for _, p := range sorted[:min(stagedMappings, len(sorted))] {
			bases[name] = append(bases[name], p.Mapping)
		}
	}
	return inTurns(bases, x.stageAt)
}

// stageAt counts each form of stage for kernels with the given mappings, one of each kernel at a time.
func (x *explorer) stageAt(at map[string]acc.Mapping) error {
	prog, err := x.counted(at)
	if err != nil {
		return err
	}
	ways := map[string][]rewrite.Variant{}
	for _, k := range prog.Kernels() {
		if _, asked := at[k.Name]; asked {
			ways[k.Name] = formsOf(k)
		}
	}
	return inTurns(ways, func(way map[string]rewrite.Variant) error {
		opt := rewrite.Options{Decisions: map[diag.Position]rewrite.Decision{}}
		for _, k := range prog.Kernels() {
			opt.Decisions[summary.Position(k)] = rewrite.Decision{Variant: way[k.Name]}
		}
		staged, err := rewrite.RunAnalysed(prog, opt)
		if err != nil {
			return err
		}
		done := map[string]bool{}
		for _, k := range staged.Kernels {
			done[k.Name] = k.Rewriter != ""
		}
		parsed, err := prog.Parsed.WithTexts(staged.Changed())
		if err != nil {
			return err
		}
		for _, k := range passes.NewProgram(parsed, [3]int{}).Kernels() {
			if w, asked := way[k.Name]; asked && done[k.Name] {
				x.found[k.Name].count(k, at[k.Name], w, x.gpus)
			}
		}
		return nil
	})
}

// formsOf are the forms of stage for a kernel: what is copied, in which scheme, and how much at a time.
func formsOf(k *analysis.Kernel) (out []rewrite.Variant) {
	plain := rewrite.Variant{Rewriter: variant.Stage}
	if len(stage.Arrays(k, plain)) == 0 {
		return nil
	}
	for _, w := range append([]rewrite.Variant{plain}, stage.Forms(k)...) {
		var seen []int
		for _, tile := range stagedTiles {
			w.Tile = tile
			bytes, ok := stage.TileBytes(k, w)
			if tile == 0 && !ok { // of one size
				out = append(out, w)
				break
			}
			if ok && !slices.Contains(seen, bytes) {
				seen, out = append(seen, bytes), append(out, w)
			}
		}
	}
	return out
}

// Stage stages arrays of a translation's kernels in shared memory: those that were chosen, by kernel,
// and those that cache directives name, whatever a model says of them. prog is the translation, read
// again. It tells what was staged, and why an array that is asked for was not.
func Stage(prog *parser.Program, result *acc.Result, chosen map[string]rewrite.Variant) error {
	analysed := passes.NewProgram(prog, [3]int{})
	opt := rewrite.Options{Decisions: map[diag.Position]rewrite.Decision{}}
	asked := false
	for _, k := range analysed.Kernels() {
		w := chosen[k.Name]
		for _, n := range result.Nests {
			if n.Kernel == k.Name && len(n.Cached) > 0 {
				var why []diag.Message
				w, why = honoured(k, w, n.Cached)
				result.Messages = append(result.Messages, why...)
			}
		}
		asked = asked || w.Rewriter != ""
		opt.Decisions[summary.Position(k)] = rewrite.Decision{Variant: w}
	}
	if !asked {
		return nil
	}
	staged, err := rewrite.RunAnalysed(analysed, opt)
	if err != nil {
		return err
	}
	for _, k := range staged.Kernels {
		for _, m := range slices.Concat(k.Notes, k.Refused) {
			if m.Code == stage.CodeStaged || k.Rewriter == "" && opt.Decisions[k.Pos].Rewriter != "" {
				m.Text = fmt.Sprintf("kernel %q: %s", k.Name, m.Text)
				result.Messages = append(result.Messages, m)
			}
		}
	}
	for name, text := range staged.Changed() {
		if strings.HasSuffix(name, "_kernels.cu") && len(result.KernelText) > 0 {
			result.KernelText = text
		} else {
			result.Text = text
		}
	}
	return nil
}

// honoured is the form in which most of the arrays are staged that cache directives name, and why others are not.
func honoured(k *analysis.Kernel, chosen rewrite.Variant, cached []acc.Cached) (w rewrite.Variant, why []diag.Message) {
	plain := rewrite.Variant{Rewriter: variant.Stage}
	ways := []rewrite.Variant{plain}
	if chosen.Rewriter != "" {
		ways = []rewrite.Variant{chosen, plain}
	}
	for _, c := range cached {
		one := plain
		one.Array = c.Array
		ways = append(ways, one)
	}
	most := -1
	var has []string
	for _, way := range ways {
		arrays, n := stage.Arrays(k, way), 0
		for _, c := range cached {
			if slices.Contains(arrays, c.Array) {
				n++
			}
		}
		if n > most && (n > 0 || way == chosen) {
			w, has, most = way, arrays, n
		}
	}
	for _, c := range cached {
		if slices.Contains(has, c.Array) {
			continue
		}
		one := plain
		one.Array = c.Array
		text := "with the others it can't be"
		if reasons := stage.Refusals(k, one); len(reasons) > 0 {
			text = reasons[0].Text
		}
		why = append(why, diag.Message{Pos: c.Pos, Code: acc.CodeNotCached, Text: fmt.Sprintf("%s is not kept in shared memory, as cache asks: %s", c.Array, text),
			Help: "the kernel is right without it"})
	}
	return w, why
}
