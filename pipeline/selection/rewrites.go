package selection

import (
	"errors"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite"
)

// Rewrites are the texts that the model looks at of a program's groups of kernels: in
// each, all groups that may have a variant have it, so that a program of thousands of
// kernels is read again once for each variant and not for each kernel. Groups have nothing
// to do with one another. It is not safe for concurrent use.
type Rewrites struct {
	groups []rewrite.Group
	texts  map[Variant]*rewrite.Chain // nil where no text has it for all
}

// NewRewrites returns those of the groups that are ranked.
func NewRewrites(groups []rewrite.Group) *Rewrites {
	return &Rewrites{groups: groups, texts: map[Variant]*rewrite.Chain{}}
}

// of returns a chain in which the kernels of a group were rewritten, and others maybe.
func (r *Rewrites) of(g rewrite.Group, w Variant) (*rewrite.Chain, error) {
	if r == nil {
		return rewritten(w, g)
	}
	c, known := r.texts[w]
	if !known {
		var all []rewrite.Group
		for _, o := range r.groups {
			if slices.ContainsFunc(o.Variants, func(v rewrite.CheckedVariant) bool { return v.Can && v.Rewriter == w.Rewriter }) {
				all = append(all, o)
			}
		}
		if len(all) > 1 {
			if together, err := rewritten(w, all...); err == nil {
				if _, err = together.Now(); err == nil {
					c = together
				}
			}
		}
		r.texts[w] = c
	}
	if c == nil {
		return rewritten(w, g)
	}
	for _, k := range g.Kernels {
		if now, err := c.Kernel(k); err != nil || now == k {
			return rewritten(w, g)
		}
	}
	return c, nil
}

// rewritten is a chain in which the kernels of groups were rewritten.
func rewritten(w Variant, groups ...rewrite.Group) (*rewrite.Chain, error) {
	c := rewrite.NewChain(groups[0].Kernels[0].Prog)
	for _, step := range w.Steps() {
		decisions := map[diag.Position]rewrite.Decision{}
		for _, g := range groups {
			for _, k := range g.Kernels {
				decisions[k.Position()] = rewrite.Decision{Variant: step}
			}
		}
		results, err := rewrite.RewriteIn(c, rewrite.Options{Decisions: decisions})
		if err != nil {
			return c, err
		}
		for _, k := range results {
			if _, asked := decisions[k.Pos]; asked && len(k.Refused) > 0 && len(w.Steps()) > 1 {
				return c, errors.New(k.Refused[0].Text)
			}
		}
	}
	return c, nil
}
