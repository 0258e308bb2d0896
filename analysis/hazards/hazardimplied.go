package hazards

import (
	"regexp"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/parser"
)

// definesParts finds where a class may say what its parts are.
var definesParts = regexp.MustCompile(`\b(struct|class)\b[^;{}<>]*\btuple_size\b`)

// implied looks at what a range-based for loop or a structured binding calls: functions of the program, unless
// what it is about is an array, a list or of a library's class, or a class whose parts are its members.
func (h *hazards) implied(v *ir.Var) {
	switch {
	case v.Name == ir.RangeName:
		t := h.k.TypeOf(h.fn, v.Init)
		if t.Array == 0 && v.Init.Op != ir.OpInitList && !h.k.IsOfLibrary(h.fn, v.Init) {
			h.unknown(v.Init, "a range-based for loop over something other than an array: its begin and end may be any code")
		}
	case v.Name != "" && v.Name[0] == '[':
		t := h.k.TypeOf(h.fn, v.Init)
		if !v.Type.Ref && v.Init.Root() != nil && (t.Levels > 0 || t.Kind != effect.Object && t.Kind != effect.Library && t.Kind != effect.Vector) {
			h.add(v.Range, analysis.CodeSyntax, "structured binding of what may be an array") // which is copied, where its name elsewhere is an address
		}
		if t.Kind != effect.Library && slices.ContainsFunc(h.k.Prog.Unit(h.fn.File).Files, func(f *parser.File) bool { return definesParts.MatchString(string(f.Src)) }) {
			h.unknown(v.Init, "a structured binding of a class whose parts the program defines (tuple_size)")
		}
	}
}
