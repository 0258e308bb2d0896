package selection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/workload"
)

// The codes of what a compiler made of a rewritten kernel, against the original.
const (
	CodeRegisters     diag.Code = "registers"
	CodeOccupancyLost diag.Code = "occupancy-lost"
	CodeSpills        diag.Code = "spills"
)

// CodeExpectedLoss is a rewrite that a person has named and that the model expects to be slower.
const CodeExpectedLoss diag.Code = "expected-loss"

// least is the ratio below which a rewrite counts as slower: what is nearer to 1 is within what the model can tell.
const least = 0.97

// Losses reports on which GPUs a rewrite of the kernel at pos is expected to be slower than the
// original, and by how much; nothing where the report has no prediction for it.
func Losses(pos diag.Position, r *Report, w Variant) []diag.Message {
	places := slices.DeleteFunc(slices.Clone(r.Predicted(w)), func(p Prediction) bool { return p.Ratio >= least || p.Ratio == 0 })
	if len(places) == 0 {
		return nil
	}
	text := fmt.Sprintf("%s is expected to be slower than the original: %s", w, perGPU(places, func(p Prediction) string { return fmt.Sprintf("%.2fx", p.Ratio) }))
	return []diag.Message{{Pos: pos, Code: CodeExpectedLoss, Text: text, Help: diag.Help(CodeExpectedLoss)}}
}

// Feedback reports what a compiler made of the kernel at pos and of its rewrite: registers, spills and thread blocks
// per SM before and after, and, as messages of their own, where fewer blocks run at once and what is spilled that was
// not. Places in which one of them was not compiled are left out.
func Feedback(pos diag.Position, places []Prediction) []diag.Message {
	places = slices.DeleteFunc(slices.Clone(places), func(p Prediction) bool {
		return !p.Before.Compiled() || !p.After.Compiled()
	})
	if len(places) == 0 {
		return nil
	}
	out := []diag.Message{{Pos: pos, Code: CodeRegisters, Text: perGPU(places, standsText)}}
	for _, worse := range []struct {
		code diag.Code
		text func(Prediction) string
	}{{CodeOccupancyLost, lostText}, {CodeSpills, spilledText}} {
		some := slices.DeleteFunc(slices.Clone(places), func(p Prediction) bool { return worse.text(p) == "" })
		if len(some) > 0 {
			out = append(out, diag.Message{Pos: pos, Code: worse.code, Text: perGPU(some, worse.text), Help: diag.Help(worse.code)})
		}
	}
	return out
}

// standsText is "72 -> 77 registers, no spills, 8 -> 10 thread blocks per SM".
func standsText(p Prediction) string {
	spills := "no spills"
	if p.Before.Spills > 0 || p.After.Spills > 0 {
		spills = fmt.Sprintf("%d -> %d bytes spilled", p.Before.Spills, p.After.Spills)
	}
	text := fmt.Sprintf("%d -> %d registers, %s", p.Before.Registers, p.After.Registers, spills)
	if p.Before.Blocks > 0 {
		text += fmt.Sprintf(", %d -> %d thread blocks per SM", p.Before.Blocks, p.After.Blocks)
	}
	return text
}

// lostText reports that fewer original thread blocks run at once, "" where they don't.
func lostText(p Prediction) string {
	if p.After.Blocks >= p.Before.Blocks {
		return ""
	}
	return fmt.Sprintf("fewer thread blocks run at once than before: %d -> %d per SM, limited by %s", p.Before.Blocks, p.After.Blocks, p.After.Limiters)
}

// spilledText reports what each thread has in local memory that the original has not, "" for nothing.
func spilledText(p Prediction) string {
	var out []string
	if more := p.After.Spills - p.Before.Spills; more > 0 {
		out = append(out, fmt.Sprintf("the compiler spills %d bytes per thread more than before", more))
	}
	if p.After.Stack > p.Before.Stack {
		out = append(out, fmt.Sprintf("the stack frame has %d bytes per thread, %d before", p.After.Stack, p.Before.Stack))
	}
	return strings.Join(out, ", and ")
}

// perGPU joins the texts about places, each once with the GPUs that it holds for: "… on a100 and h100; … on t4".
func perGPU(places []Prediction, text func(Prediction) string) string {
	var gpus prose.Groups
	for _, p := range places {
		name := p.GPU
		if slices.ContainsFunc(places, func(o Prediction) bool { return o.GPU == p.GPU && o.Block != p.Block }) {
			name += " with block " + p.Block
		}
		gpus.Add(text(p), name)
	}
	return strings.Join(gpus.Lines(func(text string, of []string) string { return text + " on " + diag.AndList(of) }), "; ")
}

// Compare reports how kernels stand before and after a rewrite, in each place where they run. Nothing is timed: the
// ratios are 0. Where no launch tells how large a block is, only registers and spills are known, and all else is 0.
// The errors tell which places are missing.
func Compare(kernels []*analysis.Kernel, w Variant, req Request) (out []Prediction, skipped []error) {
	places, skipped := placesOfAll(kernels, req)
	if len(places) == 0 {
		places = unknownPlaces(kernels, req)
	}
	found, errs := make([]Prediction, len(places)), make([]error, len(places))
	all(len(places), func(i int) { found[i], errs[i] = compare(places[i], w, req.Source) })
	for i, err := range errs {
		if err != nil {
			skipped = append(skipped, fmt.Errorf("on %s: %w", places[i].GPU, err))
			continue
		}
		out = append(out, found[i])
	}
	return out, skipped
}

// unknownPlaces returns the GPUs, for kernels whose launches are not known enough.
func unknownPlaces(kernels []*analysis.Kernel, req Request) (out []Place) {
	for _, k := range kernels {
		for _, in := range k.Instances[:min(1, len(k.Instances))] {
			for _, g := range req.GPUs {
				out = append(out, Place{GPU: g, Kernel: k, Instance: in})
			}
		}
	}
	return out
}

func compare(p Place, w Variant, source Source) (Prediction, error) {
	if p.Work == nil {
		return compiled(p, w, source)
	}
	p, before, err := settled(p, source)
	if err != nil {
		return Prediction{}, err
	}
	as, policy, err := p.placing(w)
	if err != nil {
		return Prediction{}, err
	}
	res, err := source.Variant(p, w)
	if err != nil {
		return Prediction{}, err
	}
	after, err := as.stand(as.with(policy, res), res)
	return Prediction{GPU: p.GPU.String(), Block: p.block(), Before: before, After: after, kernel: p.name()}, err
}

// compiled compares the compiler's figures alone.
func compiled(p Place, w Variant, source Source) (Prediction, error) {
	before, err := source.Original(p)
	if err != nil {
		return Prediction{}, err
	}
	p.Work = &workload.Kernel{Registers: before.Registers} // for an estimate, which is not looked at
	after, err := source.Variant(p, w)
	return Prediction{GPU: p.GPU.String(), Before: Standing{Resources: before}, After: Standing{Resources: after}}, err
}
