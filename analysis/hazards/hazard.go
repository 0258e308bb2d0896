// Package hazards finds constructs that no rewrite may touch.
package hazards

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
)

// Find looks for constructs that no rewrite may touch in the kernel and all that it calls.
func Find(k *analysis.Kernel) {
	for _, fn := range k.Functions {
		findHazardsIn(k, fn)
	}
}

func findHazardsIn(k *analysis.Kernel, fn *ir.Func) {
	h := &hazards{k: k, fn: fn}
	for _, p := range fn.Problems {
		h.add(p.Range, analysis.CodeSyntax, "%s", p.Text)
	}
	if fn.View.Error != nil {
		h.add(ir.Range{Start: int(fn.View.Error.Start)}, analysis.CodeSyntax, "device function %s holds text that smux can't parse", fn.View.Name)
	}
	for _, l := range fn.File.Launches {
		if l.Function == fn.View {
			h.add(ir.Range{Start: l.Open}, analysis.CodeDeviceLaunch, "a kernel is launched from the device")
		}
	}
	for _, m := range fn.File.MarksBetween(fn.View.Start, int(fn.View.Body.End)) {
		if strings.HasPrefix(m.Name, "__cluster_dims__") {
			h.add(ir.Range{Start: m.Start}, analysis.CodeCluster, "the kernel runs in thread-block clusters")
		}
		if m.Kind == parser.MarkFix && hiding[m.Name] && !fn.MacroLoops[m.Start] {
			h.add(ir.Range{Start: m.Start}, analysis.CodeSyntax, "text that was hidden to parse the rest (%s)", m.Name)
		}
	}
	for s := range fn.Body.All() {
		h.stmt(s)
		s.Exprs(func(e *ir.Expr) {
			for t := range e.All() {
				h.expr(t)
			}
		})
	}
}

// hiding are the parser's work-arounds that hide text whose meaning is not
// known, or change that of the text around it.
var hiding = map[string]bool{"loop-macro": true, "lone-macro": true, "inactive-branch": true, "directive": true, "class-macro": true, "pragma": true, "for-declaration": true}

type hazards struct {
	k  *analysis.Kernel
	fn *ir.Func
	// alone says that a thread is looked at by itself: others of its block count as other blocks do.
	alone   bool
	printed []*ir.Expr // arguments of printf, which may tell where the text stands
}

func (h *hazards) add(r ir.Range, code diag.Code, format string, args ...any) {
	m := diag.Message{Pos: h.fn.File.Position(r.Start), Code: code, Text: fmt.Sprintf(format, args...)}
	if !slices.ContainsFunc(h.k.Hazards, func(o diag.Message) bool { return o.Code == m.Code && o.Text == m.Text }) {
		h.k.Hazards = append(h.k.Hazards, m)
	}
}

func (h *hazards) stmt(s *ir.Stmt) {
	if s.Op == ir.StmtGoto {
		h.add(s.Range, analysis.CodeGoto, "goto")
	}
	for _, v := range s.Vars {
		h.implied(v)
		switch base := v.Type.Base; {
		case strings.Contains(base, "grid_group"):
			h.add(v.Range, analysis.CodeGridSync, "a cooperative group over the grid")
		case strings.Contains(base, "cluster_group"):
			h.add(v.Range, analysis.CodeCluster, "a thread-block cluster")
		case strings.Contains(base, "cuda::barrier"), strings.Contains(base, "pipeline_shared_state"), strings.Contains(base, "cuda::pipeline"):
			h.add(v.Range, analysis.CodeAsync, "an asynchronous barrier or pipeline")
		case strings.Contains(base, "thread_block_tile<") && barriers.TileSize(h.k, h.fn, base) > hardware.WarpSize:
			h.add(v.Range, analysis.CodeTile, "a tile whose size is not a constant of at most %d threads", hardware.WarpSize)
		}
	}
}

// ofText are the compiler's macros whose values change if a rewrite adds lines or parameters.
var ofText = []string{"__LINE__", "__COUNTER__", "__PRETTY_FUNCTION__"}

func (h *hazards) expr(e *ir.Expr) {
	switch e.Op {
	case ir.OpIdent:
		if e.Var == nil && slices.Contains(ofText, e.Name) && !slices.Contains(h.printed, e) {
			h.add(e.Range, analysis.CodeMacroContext, "%s is another value in the rewritten text", e.Name)
		}
	case ir.OpAsm:
		h.asm(e)
	case ir.OpLambda:
		if e.Lambda != nil {
			h.lambda(e.Lambda)
		}
	case ir.OpCall:
		h.call(e)
	case ir.OpNew:
		h.add(e.Range, analysis.CodeUnknownCall, "new or delete on the device")
	case ir.OpMixed: // a fold applies operators that the expression doesn't tell
		if e.Any(func(k *ir.Expr) bool { return k.Var != nil && k.Var.Pack && h.mayBeClasses(k.Var.Type.Base) }) {
			h.unknown(e, "operators of a pack whose types are not in view")
		}
	}
}

var asmNames = []struct {
	text string
	code diag.Code
}{
	{"cluster", analysis.CodeCluster}, {"mapa", analysis.CodeCluster}, {"mbarrier", analysis.CodeAsync}, {"cp.async", analysis.CodeAsync}, {"wgmma", analysis.CodeAsync}, {"tcgen05", analysis.CodeAsync},
	{"bar.", analysis.CodeAsm}, {"barrier", analysis.CodeAsm}, {"%tid", analysis.CodeAsm}, {"%ntid", analysis.CodeAsm}, {"%ctaid", analysis.CodeAsm}, {"%nctaid", analysis.CodeAsm},
	{"%warpid", analysis.CodeAsm}, {"%dynamic_smem", analysis.CodeAsm}, {"%total_smem", analysis.CodeAsm}, {"exit", analysis.CodeAsm}, {"setmaxnreg", analysis.CodeAsm}, {".shared", analysis.CodeEscape},
}

func (h *hazards) asm(e *ir.Expr) {
	for _, n := range asmNames {
		if strings.Contains(e.Name, n.text) {
			h.add(e.Range, n.code, "inline assembly names %q", n.text)
			return
		}
	}
	if e.Name == "" {
		h.add(e.Range, analysis.CodeAsm, "inline assembly whose text is not in view")
	}
}

func (h *hazards) call(e *ir.Expr) {
	if e.Implicit { // FindImplicit looks at what runs without a name
		if h.k.Prog.Effects(h.fn.File).Elsewhere(h.fn, e) {
			h.unknown(e, "a call of "+e.Name+" of a class that is not in view")
		}
		return
	}
	name, known := e.Name, intrinsic.Of(e.Name)
	if name == "printf" {
		h.printed = append(h.printed, e.Args()...)
	}
	obj, member := e.IsMemberCall()
	switch {
	case known.Kind == intrinsic.Group && known.Scope == intrinsic.Grid, name == "sync" && slices.ContainsFunc(e.Args(), barriers.IsGridGroup):
		h.add(e.Range, analysis.CodeGridSync, "a cooperative group over the grid")
		return
	case known.Kind == intrinsic.Group && known.Scope == intrinsic.Cluster:
		h.add(e.Range, analysis.CodeCluster, "a thread-block cluster")
		return
	case known.Kind == intrinsic.Launch:
		h.add(e.Range, analysis.CodeDeviceLaunch, "a kernel is launched or awaited from the device")
		return
	case known.Waits == intrinsic.Counted:
		h.add(e.Range, analysis.CodeNamedBarrier, "%s %s", name, known.Forms.Block.Text)
		return
	case known.Waits == intrinsic.Numbered && len(e.Args()) > 0 && !barriers.FixedNumber(h.k, h.fn, e.Args()[0]):
		h.add(e.Range, analysis.CodeNamedBarrier, "%s at a barrier whose number is not a constant", name)
		return
	case known.Kind == intrinsic.Address && known.Forms.Block.Act == intrinsic.Refuse:
		h.add(e.Range, analysis.CodeEscape, "%s %s", name, known.Forms.Block.Text)
		return
	case known.Kind == intrinsic.Async, intrinsic.AsyncMembers[name] && (member || e.Qual != ""):
		h.add(e.Range, analysis.CodeAsync, "an asynchronous copy or barrier (%s)", name)
		return
	case name == "tiled_partition" && !barriers.TileCall(h.k, h.fn, e):
		h.add(e.Range, analysis.CodeTile, "a tile whose size is not a constant of at most %d threads", hardware.WarpSize)
		return
	}
	if h.k.Prog.Effects(h.fn.File).Elsewhere(h.fn, e) {
		h.unknown(e, "a call of "+qualified(e)+", whose definition is not in view")
		return
	}
	if member {
		h.memberCall(e, obj)
		return
	}
	if len(e.Kids) == 0 || e.Kids[0].Op != ir.OpIdent {
		switch made := e.Kids; {
		case h.temporary(e), len(made) > 0 && made[0].Op == ir.OpLambda: // which is looked at where it stands
		case len(made) > 0 && made[0].Op == ir.OpCall && made[0].Name == "get" && h.k.Prog.InLibrary(h.fn.File, made[0].Qual, "get"):
			h.object(e) // what a tuple holds
		default:
			h.unknown(e, "a call through an expression")
		}
		return
	}
	if v := e.Kids[0].Var; v != nil && (v.Kind == ir.VarTemplateType || v.Init != nil && v.Init.Op == ir.OpLambda) {
		return // T(x), or a lambda, at which this has looked where it stands
	}
	if h.k.Prog.Effects(h.fn.File).IsObject(h.fn, e.Kids[0]) {
		h.object(e)
		return
	}
	if h.known(e) || len(h.k.Callees(h.fn, e)) > 0 {
		return
	}
	if e.Qual == "cub" && intrinsic.CollectiveOf(name) != nil {
		return // what a collective is made for tells its member functions
	}
	if strings.HasPrefix(e.Qual, "cub") || strings.HasPrefix(e.Qual, "thrust") {
		h.unknown(e, "a call into "+e.Qual+", which may hold barriers")
		return
	}
	h.unknown(e, "a call of "+qualified(e)+", whose definition is not in view")
}

// qualified is the name of what a call names, with its namespace or class.
func qualified(e *ir.Expr) string { return strings.TrimPrefix(e.Qual+"::", "::") + e.Name }

// object looks at the call of an object, of a functor's class or a lambda that it holds.
func (h *hazards) object(e *ir.Expr) {
	if h.k.IsOfLibrary(h.fn, e.Kids[0]) {
		h.mayCall(e.Args())
		return
	}
	if fns, known := h.k.Prog.GivenFunctions(h.fn, e.Kids[0].Var, e.CountArgs()); known {
		for _, fn := range fns {
			h.calledUnseen(e, fn)
		}
		return
	}
	if len(h.k.Prog.Candidates(h.fn.File, "operator()", e.CountArgs(), true)) == 0 {
		h.unknown(e, "a call of the object "+e.Kids[0].Name+", whose code is not in view")
	}
	h.mayBeLambda(e.Kids[0])
}

// mayCall looks at what a library's function gets and may call.
func (h *hazards) mayCall(args []*ir.Expr) {
	for _, a := range args {
		h.mayBeLambda(a)
	}
}

// temporary reports whether a call is that of an object made for it, Op()(x), of
// a class in view: FindImplicit has looked at its operators.
func (h *hazards) temporary(call *ir.Expr) bool {
	if len(call.Kids) == 0 {
		return false
	}
	made, class := call.Kids[0], ""
	switch {
	case made.Op == ir.OpCast && made.Type.Ptr == 0: // Op{}
		class, _, _ = strings.Cut(made.Type.Base, "<")
	case made.Op == ir.OpCall && len(made.Kids) > 0 && made.Kids[0].Op == ir.OpIdent && made.Qual == "":
		class = made.Name
	}
	if (made.Op == ir.OpCall || made.Op == ir.OpCast) && h.k.IsOfLibrary(h.fn, made) {
		return true
	}
	if class == "" || !h.k.Prog.Unit(h.fn.File).ClassNames()[class] && !analysis.IsTypeParam(h.fn, class) {
		return false
	}
	return len(h.k.Prog.Candidates(h.fn.File, "operator()", call.CountArgs(), true)) > 0
}

func (h *hazards) memberCall(e, obj *ir.Expr) {
	switch {
	case barriers.IsThreadBlock(h.k, h.fn, obj):
		if intrinsic.BlockMember(e.Name) != nil {
			return
		}
		h.add(e.Range, analysis.CodeGroup, "thread_block::%s has no equivalent in a merged block", e.Name)
	case barriers.IsTile(h.k, h.fn, obj):
		if strings.HasPrefix(e.Name, "meta_group") && barriers.TileParent(h.k, h.fn, obj) == nil {
			h.add(e.Range, analysis.CodeTile, "the number of a tile within its group (%s), which is not the thread block itself", e.Name)
		}
	case barriers.Collective(h.k, h.fn, e) != nil:
		if c := barriers.Collective(h.k, h.fn, e); c.Scope == intrinsic.Block {
			h.add(e.Range, analysis.CodeBarrierCall, "%s of CUB waits for all threads of the launched block, out of view", e.Name)
		} else {
			h.add(e.Range, analysis.CodeBarrierCall, "%s of CUB uses shared memory out of view", e.Name)
		}
	case len(h.k.Callees(h.fn, e)) > 0:
	case h.k.Prog.SharedClass(h.fn, e) != nil:
	case obj.Op == ir.OpIdent && obj.Var != nil && obj.Var.Type.Base != "" && harmlessClass(obj.Var.Type.Base):
	case h.k.IsOfLibrary(h.fn, obj):
		h.mayCall(e.Args())
	case barriers.IsGridGroup(obj):
		h.add(e.Range, analysis.CodeGridSync, "a cooperative group over the grid")
	default:
		h.unknown(e, "a call of member "+e.Name+", whose definition is not in view")
	}
}

func harmlessClass(base string) bool {
	return strings.Contains(base, "half") || strings.Contains(base, "numeric_limits") || strings.Contains(base, "complex")
}

func (h *hazards) unknown(e *ir.Expr, text string) {
	h.add(e.Range, analysis.CodeUnknownCall, "%s", text)
}

// known reports whether a plain call is one that smux knows to be harmless: an
// intrinsic, a constructor of a type, or an operation on a warp's tile.
func (h *hazards) known(e *ir.Expr) bool {
	name := e.Name
	if r := e.Intrinsic(); r.Known() && (r.Kind != intrinsic.GroupOp || e.Qual != "") {
		return true
	}
	if analysis.BytesOf(name) > 0 || strings.Contains(e.Qual, "numeric_limits") {
		return true
	}
	if h.k.Prog.InLibrary(h.fn.File, e.Qual, name) {
		h.mayCall(e.Args())
		return true
	}
	switch name {
	case "thread_rank", "group_size":
		return false // of a group passed as an argument
	case "sync", "reduce", "inclusive_scan", "exclusive_scan":
		return slices.ContainsFunc(e.Args(), func(a *ir.Expr) bool {
			return barriers.IsTile(h.k, h.fn, a) || name == "sync" && barriers.IsThreadBlock(h.k, h.fn, a)
		})
	}
	// T(x), Class(x), Class<T>(): the constructor of a class in view.
	u := h.k.Prog.Unit(h.fn.File)
	if u.ClassNames()[name] || analysis.IsTypeParam(h.fn, name) || h.k.Prog.IsTypeName(h.fn.File, h.fn.View.Class, name) {
		return true
	}
	return h.k.Prog.SharedClass(h.fn, e) != nil
}

// mayBeClasses reports whether it is hidden that the types of a pack are no classes: of another function's pack, where any are.
func (h *hazards) mayBeClasses(pack string) bool {
	hidden := h.k.Prog.Cache.Hidden
	if h.fn == h.k.Func {
		return hidden[ir.OperatorsOf(h.k.Name, pack)] != nil
	}
	for name := range hidden {
		if strings.HasPrefix(name, ir.OperatorsOf(h.k.Name, "")) {
			return true
		}
	}
	return false
}

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
