package stage

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Forms returns what of a kernel is worth staging beside what is staged without knobs: in
// another scheme, and each array alone.
func Forms(k *analysis.Kernel) (out []kit.Variant) {
	plain := kit.Variant{Rewriter: variant.Stage}
	all := proofOf(k, plain)
	if all == nil {
		return nil
	}
	// What is copied where stands after the title, which names the knobs.
	places := func(p kit.Proof) string { _, text, _ := strings.Cut(p.String(), "\n"); return text }
	seen := []string{places(all)}
	add := func(w kit.Variant) {
		if p := proofOf(k, w); p != nil && !slices.Contains(seen, places(p)) {
			seen, out = append(seen, places(p)), append(out, w)
		}
	}
	for _, scheme := range variant.Schemes {
		w := plain
		w.Scheme = scheme
		add(w)
	}
	for _, v := range k.Func.Params {
		if w := plain; derefsToElement(v) > 0 {
			w.Array = v.Name
			add(w)
		}
	}
	return out
}

// TileBytes returns how many bytes of shared memory a thread block takes more where a kernel is
// staged as w says, in a scheme that has tiles. ok is false where it can't be.
func TileBytes(k *analysis.Kernel, w kit.Variant) (bytes int, ok bool) {
	all := proofOf(k, w)
	if e, is := all.(*evened); is {
		all = e.Proof
	}
	p, ok := all.(*copyProof)
	if !ok {
		return 0, false
	}
	return p.bytes(), true
}

// proofOf is the proof of a way to stage, nil where there is none.
func proofOf(k *analysis.Kernel, w kit.Variant) kit.Proof {
	p, _ := kit.Check(Check).Prove(k, kit.Options{Variant: w}.WithDefaults())
	return p
}

// Arrays are the arrays that are staged where a kernel is staged as w says, none where it can't be.
func Arrays(k *analysis.Kernel, w kit.Variant) (names []string) {
	p := proofOf(k, w)
	if e, is := p.(*evened); is {
		p = e.Proof
	}
	switch p := p.(type) {
	case *copyProof:
		for _, place := range p.places {
			for _, a := range place.arrays {
				names = append(names, a.v.Name)
			}
		}
	case *tableProof:
		for _, t := range p.tables {
			names = append(names, t.v.Name)
		}
	case *transposeProof:
		names = append(names, p.store.v.Name)
	}
	return names
}

// Refusals are the reasons against staging a kernel as w says, none where it can be.
func Refusals(k *analysis.Kernel, w kit.Variant) []diag.Message {
	_, why := kit.Check(Check).Prove(k, kit.Options{Variant: w}.WithDefaults())
	return why
}
