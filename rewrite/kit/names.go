package kit

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// InOrder are variables in the order of the source: what is said of them is the same each time.
func InOrder(vars map[*ir.Var]bool) []*ir.Var {
	return slices.SortedFunc(maps.Keys(vars), func(a, b *ir.Var) int {
		return cmp.Or(cmp.Compare(a.Range.Start, b.Range.Start), strings.Compare(a.Name, b.Name))
	})
}
