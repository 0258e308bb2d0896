package rewrite

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/macrotext"
)

// Kernels that macros make are rewritten in what their uses are written out to, as all others are. What they become
// is brought back to the macros' text in the end (package macrotext), and a variant that can't be is refused: all
// kernels of one macro are one group.

// Delivered returns the files that changed as a person gets them: where macros make
// kernels, against the text that was written.
func Delivered(r *Result, prog *parser.Program) ([]FileResult, error) {
	if !macrotext.Needed(prog) {
		return r.Files, nil
	}
	texts, err := macrotext.Back(prog, r.Changed())
	if err != nil {
		return nil, fmt.Errorf("bringing changes back to macros: %w", err)
	}
	var out []FileResult
	for _, f := range prog.Files {
		if text, ok := texts[f.Name]; ok && !bytes.Equal(text, f.Original()) {
			out = append(out, FileResult{Name: f.Name, Before: f.Original(), After: text})
		}
	}
	return out, nil
}

// macrosOf returns the macros that make a kernel.
func macrosOf(k *analysis.Kernel) []*parser.Macro { return k.File.MadeBy(kit.NameOffset(k.View)) }

// withMacros joins groups whose kernels one macro makes. The kernels of one name stay together in them.
func withMacros(groups [][]*analysis.Kernel) [][]*analysis.Kernel {
	type key struct {
		file string
		at   int
	}
	var out [][]*analysis.Kernel
	of := map[key]int{}
	for _, g := range groups {
		var keys []key
		home := -1
		for _, k := range g {
			for _, m := range macrosOf(k) {
				if !strings.Contains(m.Body, "{") && !strings.Contains(m.Body, "__launch_bounds__") {
					continue // what no rewrite changes
				}
				at := key{m.File, m.Pos}
				keys = append(keys, at)
				if i, ok := of[at]; ok && home < 0 {
					home = i
				} else if ok && i != home { // this group ties two together
					out[home], out[i] = append(out[home], out[i]...), nil
					for other, j := range of {
						if j == i {
							of[other] = home
						}
					}
				}
			}
		}
		if home < 0 {
			home = len(out)
			out = append(out, nil)
		}
		out[home] = append(out[home], g...)
		for _, at := range keys {
			of[at] = home
		}
	}
	return slices.DeleteFunc(out, func(g []*analysis.Kernel) bool { return len(g) == 0 })
}

// sameNamed parts a group into the kernels of each name.
func sameNamed(group []*analysis.Kernel) (out [][]*analysis.Kernel) {
	for _, k := range group {
		if n := len(out); n > 0 && out[n-1][0].Name == k.Name {
			out[n-1] = append(out[n-1], k)
		} else {
			out = append(out, []*analysis.Kernel{k})
		}
	}
	return out
}

// others refuses the kernels of a group that have nothing against them themselves.
func others(group []*analysis.Kernel, reasons [][]diag.Message) {
	for i, k := range group {
		if len(reasons[i]) > 0 {
			continue
		}
		for _, o := range sameNamed(group) {
			if o[0].Name != k.Name {
				reasons[i] = []diag.Message{{Pos: kit.Position(k), Code: CodeMacro, Text: fmt.Sprintf("a macro makes it together with kernel %s, and they can't be rewritten alike", o[0].Name)}}
				break
			}
		}
	}
}

// backInMacros reports whether a variant of a group that can be proved can be written with
// the macros that make its kernels, and else why not.
func (r *run) backInMacros(group []*analysis.Kernel, opt Options) ([][]diag.Message, bool) {
	if opt.WrittenOut || !slices.ContainsFunc(group, func(k *analysis.Kernel) bool { return macrosOf(k) != nil }) {
		return nil, true
	}
	key := stepOf{group[0], opt.Variant}
	reasons, known := r.back[key]
	if !known {
		if r.back == nil {
			r.back = map[stepOf][][]diag.Message{}
		}
		reasons = r.writtenWithMacros(group, opt)
		r.back[key] = reasons
	}
	return reasons, reasons == nil
}

func (r *run) writtenWithMacros(group []*analysis.Kernel, opt Options) (reasons [][]diag.Message) {
	alone := opt
	alone.WrittenOut, alone.Kernels, alone.Then = true, nil, nil
	alone.Decisions = map[diag.Position]Decision{}
	for _, k := range r.Prog.Kernels() {
		alone.Decisions[kit.Position(k)] = Decision{}
	}
	for _, k := range group {
		alone.Decisions[kit.Position(k)] = Decision{Variant: opt.Variant}
	}
	result, err := runAnalysed(r.Prog, alone)
	if err == nil {
		_, err = macrotext.Back(r.Prog.Parsed, result.Changed())
	}
	if err == nil {
		return nil
	}
	m := againstMacros(group[0], err)
	for range group {
		reasons = append(reasons, []diag.Message{m})
	}
	return reasons
}

// againstMacros is the reason that an error of package macrotext is against a kernel.
func againstMacros(k *analysis.Kernel, err error) diag.Message {
	m := diag.Message{Pos: kit.Position(k), Code: CodeMacro, Text: err.Error()}
	var refused *macrotext.Error
	if errors.As(err, &refused) {
		m.Pos, m.Text = refused.Pos, refused.Text
	}
	return m
}

// withoutMacros rewrites again without the kernels that macros make, where all rewrites
// together can't be written with these macros.
func withoutMacros(prog *analysis.Program, opt Options, result *Result) (*Result, error) {
	if opt.WrittenOut || !macrotext.Needed(prog.Parsed) {
		return result, nil
	}
	_, err := macrotext.Back(prog.Parsed, result.Changed())
	if err == nil {
		return result, nil
	}
	decisions := map[diag.Position]Decision{}
	then := map[diag.Position]Decision{}
	maps.Copy(decisions, opt.Decisions)
	maps.Copy(then, opt.Then)
	for _, k := range prog.Kernels() {
		if macrosOf(k) != nil {
			decisions[kit.Position(k)] = Decision{Why: []diag.Message{againstMacros(k, err)}}
			delete(then, kit.Position(k))
		}
	}
	opt.Decisions = decisions
	if opt.Then != nil {
		opt.Then = then
	}
	return runAnalysed(prog, opt)
}
