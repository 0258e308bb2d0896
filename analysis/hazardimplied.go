package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/parser"
)

// implied looks at what a range-based for loop or a structured binding calls: functions of the program, unless
// what it is about is an array, a list or of a library's class, or a class whose parts are its members.
func (h *hazards) implied(v *ir.Var) {
	switch {
	case v.Name == ir.RangeName:
		t := h.k.TypeOf(h.fn, v.Init)
		if t.Array == 0 && v.Init.Op != ir.OpInitList && !h.k.isOfLibrary(h.fn, v.Init) {
			h.unknown(v.Init, "a range-based for loop over what is no array: its begin and end may be any code")
		}
	case v.Name != "" && v.Name[0] == '[':
		if t := h.k.TypeOf(h.fn, v.Init); v.Init.Root() != nil && (t.Levels > 0 || t.Kind != effect.Object && t.Kind != effect.Library && t.Kind != effect.Vector) {
			h.add(v.Range, CodeSyntax, "structured binding of what may be an array") // which is copied, where its name elsewhere is an address
		}
		if slices.ContainsFunc(h.k.Prog.unit(h.fn.File).files, func(f *parser.File) bool { return mentions(f.Src, "tuple_size") }) {
			h.unknown(v.Init, "a structured binding where the program says what the parts of a class are (tuple_size)")
		}
	}
}
