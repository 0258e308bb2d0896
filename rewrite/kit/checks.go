package kit

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/named"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
)

// A proof may rest on numbers that the kernel's text doesn't fix: macros, constants and template arguments that
// it names, and the shape of its blocks. The rewritten kernel checks them. Which of them a proof rests on is found by
// making it without: where the rewrite comes out the same it holds for any value.
//
// Nothing else that a launch or the host code says may be used by a proof: see docs/develop/analysis.md, "Grounds of a rewrite".

// rests says what a proof rests on.
type rests struct {
	names  []named.Named
	hidden []named.Named // names that it doesn't rest on
	copied []named.Named // types that must be copied as they are
	number []named.Named // types that must be no classes
	shapes [][3]int      // of blocks, by instance; nil where the proof holds for any
	shaped bool          // shapes was looked for
}

// RestsOn finds the named numbers that the proof of p rests on.
func (p *Findings) RestsOn() *rests {
	if p.Rests != nil {
		return p.Rests
	}
	k := p.Kernel
	p.Rests = &rests{}
	var all []named.Named
	for _, n := range named.NamedNumbers(k) {
		if n.CanHide() {
			all = append(all, n)
		} else {
			p.Rests.names = append(p.Rests.names, n)
		}
	}
	operators, copies := named.Classes(k)
	made := sync.OnceValue(func() string { return p.made(k) })
	holds := func(names ...named.Named) bool {
		hidden := append(p.Rests.hidden[:len(p.Rests.hidden):len(p.Rests.hidden)], names...)
		if made() == "" || p.made(named.Without(k, hidden, true)) != made() {
			return false
		}
		p.Rests.hidden = hidden
		return true
	}
	if len(operators) > 0 && !holds(slices.Concat(operators, copies)...) {
		for i := range operators {
			switch {
			case !holds(operators[i]), !copies[i].Seen && !holds(copies[i]):
				p.Rests.number = append(p.Rests.number, operators[i])
			case !holds(copies[i]):
				p.Rests.copied = append(p.Rests.copied, copies[i])
			}
		}
	}
	var hide func(names []named.Named)
	hide = func(names []named.Named) {
		switch half := len(names) / 2; {
		case len(names) == 0 || holds(names...):
		case half == 0:
			p.Rests.names = append(p.Rests.names, names...)
		default:
			hide(names[:half])
			hide(names[half:])
		}
	}
	hide(all)
	return p.Rests
}

// Uncheckable are reasons not to rewrite a kernel: numbers that the proof of p rests on and that nothing can check.
func (p *Findings) Uncheckable() (reasons []diag.Message) {
	for _, c := range named.Conditions(p.Kernel) {
		if !c.Seen {
			reasons = append(reasons, diag.Message{Pos: Position(p.Kernel), Code: CodeMacro,
				Text: fmt.Sprintf("%s decides what is compiled, and at the top of the kernel, where that would be checked, its macros aren't the same", c.Text)})
		}
	}
	unseen := func(n named.Named) bool { return !n.Seen || named.PassedClass(p.Kernel, n.Qualified) != "" }
	operators, _ := named.Classes(p.Kernel)
	if !slices.ContainsFunc(slices.Concat(named.NamedNumbers(p.Kernel), operators), unseen) {
		return reasons
	}
	for _, n := range p.RestsOn().number {
		text := "%s may be a class, and no file in view says what its operators do"
		if class := named.PassedClass(p.Kernel, n.Qualified); class != "" {
			text = "%s is " + class + " in a launch, and the rewrite holds for numbers"
		}
		if unseen(n) {
			reasons = append(reasons, diag.Message{Pos: Position(p.Kernel), Code: analysis.CodeUnknownCall, Text: fmt.Sprintf(text, n.Qualified)})
		}
	}
	for _, n := range p.RestsOn().names {
		if !n.Seen {
			reasons = append(reasons, diag.Message{Pos: Position(p.Kernel), Code: CodeMacro,
				Text: fmt.Sprintf("the rewrite holds for %s = %d alone, and at the top of the kernel, where that would be checked, %s isn't that", n.Name, n.Values[0], n.Name)})
		}
	}
	return reasons
}

// Shapes are the block shapes that the proof of p rests on, by instance; nil where it holds for any.
func (p *Findings) Shapes() [][3]int {
	r := p.RestsOn()
	if !r.shaped {
		r.shaped = true
		made := p.made(p.Kernel)
		if shapes := shapesOf(p.Kernel); shapes != nil && (made == "" || p.made(named.Without(p.Kernel, r.hidden, false)) != made) {
			r.shapes = shapes
		}
	}
	return r.shapes
}

// shapesOf are the block shapes of a kernel's instances, nil where one of them is not known.
func shapesOf(k *analysis.Kernel) (out [][3]int) {
	for _, in := range k.Instances {
		d, ok := in.BlockShape()
		if !ok {
			return nil
		}
		out = append(out, d)
	}
	return out
}

// made returns the text that the rewrite of p makes of a kernel, without checks; "" for one that it refuses.
func (p *Findings) made(k *analysis.Kernel) string {
	opt := p.Opt
	opt.Unchecked = true
	proof, _ := opt.check(k, opt)
	if proof == nil || len(proof.Found().Reasons) > 0 {
		return ""
	}
	edits := proof.Apply()
	var b strings.Builder
	fmt.Fprintln(&b, proof)
	for _, f := range proof.Files() {
		if e := edits.Files[f]; e != nil {
			text, err := e.Apply(f.Src) // the edits come in no order
			if err != nil {
				return ""
			}
			b.WriteString(f.Name + "\n" + string(text))
		}
	}
	for _, c := range edits.Clones {
		text, err := c.Edits.Apply(c.Fn.File.Src)
		if err != nil {
			return ""
		}
		b.WriteString(c.Fn.View.Name + "\n" + c.Param + "\n" + string(text))
	}
	return b.String()
}

// Checks are the lines at the top of the kernel that check what the proof of p rests on.
func (w *Emitter) Checks(p *Findings) []string {
	if p.Opt.Unchecked {
		return nil
	}
	said := Text(p.Kernel.File, p.Kernel.Func.Body.Range) // by a step before this one
	lines := slices.DeleteFunc(p.Assertions(), func(line string) bool {
		return strings.HasPrefix(line, "static_assert") && strings.Contains(said, line)
	})
	if shapes := p.Shapes(); shapes != nil {
		lines = append(lines, p.ShapeCheck(shapes))
		w.Includes = append(w.Includes, "<cstdio>")
	}
	return lines
}

// conditions stop the compilation where the preprocessor takes other branches than those that were rewritten.
func (p *Findings) conditions() (lines []string) {
	for _, c := range named.Conditions(p.Kernel) {
		not, says := c.Text, "without"
		if c.Holds {
			not, says = "!("+c.Text+")", "with"
		}
		lines = append(lines, "#if "+not, fmt.Sprintf("#error smux rewrote this kernel %s %s", says, c.Text), "#endif")
	}
	return lines
}

// Assertions stop the compilation where a named number that the proof rests on is another, or other text is compiled.
func (p *Findings) Assertions() []string {
	if p.Opt.Unchecked {
		return nil
	}
	lines := p.conditions()
	for _, n := range p.RestsOn().copied {
		is := "__is_trivially_copyable(%s)"
		if n.IsMember() {
			is = "std::is_trivially_copyable<%s>::value"
		}
		lines = append(lines, fmt.Sprintf("static_assert("+ofAll(n, is)+", \"smux rewrote this kernel for what is copied as it is\");", n.Qualified))
	}
	for _, n := range p.Rests.number {
		is := "!__is_class(%[1]s) && !__is_union(%[1]s) && !__is_enum(%[1]s)"
		for _, half := range named.Halves(p.Kernel) {
			is += " || __is_same(%[1]s, " + half + ")"
		}
		if n.IsMember() {
			is = "std::is_arithmetic<%[1]s>::value || std::is_pointer<%[1]s>::value || std::is_array<%[1]s>::value"
		}
		lines = append(lines, fmt.Sprintf("static_assert("+ofAll(n, is)+", \"smux rewrote this kernel for numbers\");", n.Qualified))
	}
	if len(p.Rests.names) == 0 {
		return lines
	}
	var is, says []string // once for all instances that are alike
	for i := range p.RestsOn().names[0].Values {
		var equal, named []string
		for _, n := range p.Rests.names {
			equal = append(equal, fmt.Sprintf("%s == %d", n.Qualified, n.Values[i]))
			named = append(named, fmt.Sprintf("%s = %d", n.Name, n.Values[i]))
		}
		is, says = append(is, strings.Join(equal, " && ")), append(says, diag.AndList(named))
	}
	lines = append(lines, fmt.Sprintf("static_assert(%s, \"smux rewrote this kernel for %s\");", oneOf(is), strings.Join(lists.Distinct(says), " or ")))
	return lines
}

// ofAll asks a pack's question of each of its types.
func ofAll(n named.Named, is string) string {
	if n.Pack {
		return "((" + is + ") && ...)"
	}
	return is
}

// ShapeCheck stops the kernel in blocks of a shape other than those of its instances.
func (p *Findings) ShapeCheck(shapes [][3]int) string {
	var is, says []string
	alike := !slices.ContainsFunc(shapes, func(d [3]int) bool { return d != shapes[0] })
	for i, d := range shapes {
		one := blockIs(d)
		for _, n := range p.Rests.names { // a shape goes with the template arguments that it is launched with
			if !alike && slices.ContainsFunc(n.Values, func(v int64) bool { return v != n.Values[0] }) {
				one += fmt.Sprintf(" && %s == %d", n.Qualified, n.Values[i])
			}
		}
		is, says = append(is, one), append(says, analysis.ShapeText(d))
	}
	not := "!(" + oneOf(is) + ")"
	if len(lists.Distinct(is)) == 1 {
		not = strings.NewReplacer("==", "!=", "&&", "||").Replace(is[0])
	}
	return fmt.Sprintf(`if (%s) { printf("smux: %s was rewritten for blocks of %s threads\n"); __trap(); }`, not, p.Kernel.Name, strings.Join(lists.Distinct(says), " or "))
}

func blockIs(d [3]int) string {
	if d[1] == 1 && d[2] == 1 {
		return fmt.Sprintf("blockDim.x == %d && blockDim.y * blockDim.z == 1", d[0])
	}
	return fmt.Sprintf("blockDim.x == %d && blockDim.y == %d && blockDim.z == %d", d[0], d[1], d[2])
}

// oneOf is a condition that holds where one of some does.
func oneOf(conditions []string) string {
	conditions = lists.Distinct(conditions)
	if len(conditions) == 1 {
		return conditions[0]
	}
	for i, c := range conditions {
		if strings.Contains(c, "&&") {
			conditions[i] = "(" + c + ")"
		}
	}
	return strings.Join(conditions, " || ")
}

// The codes of what the rewriters refuse or remark. diag documents each.
const (
	CodeAlready       diag.Code = "already-multiplexed"
	CodeNoShared      diag.Code = "no-shared"
	CodeNoLaunch      diag.Code = "no-launch"
	CodeKernelAddress diag.Code = "kernel-address"
	CodeEarlyExit     diag.Code = "early-exit"
	CodeDivergent     diag.Code = "divergent-barrier"
	CodeMacro         diag.Code = "macro"
	CodeOverload      diag.Code = "overload"
	CodeSharedSize    diag.Code = "shared-too-large"
	CodeFile          diag.Code = "out-of-reach"
	CodeShape         diag.Code = "block-shape"
	CodeAssumed       diag.Code = "shape-assumed"
	CodeIndex         diag.Code = "index-elsewhere" // a use of the built-ins that the rewrite doesn't follow
	CodeClock         diag.Code = "clock"
	CodeTogether      diag.Code = "works-together" // threads of a block or of a warp do something together
)
