package acc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/acc/layout"
	"github.com/smux-cuda/smux/parser"
)

// inBlocks writes the body of a nest whose iterations have a thread block each, with barriers between phases that meet.
func (e *emitter) inBlocks(body *layout.Lines, k *kernelStep, m mapping) {
	w := &phaseWriter{emitter: e, body: body, p: e.printer(nil), k: k}
	body.Apart()
	for _, l := range k.nest {
		axis := axes[m.axis(l)]
		body.Open(e.head(w.p, l, "blockIdx."+axis, "gridDim."+axis))
	}
	w.list(k.phases)
	usesShared := func(a *phase) bool { // arrays of the iteration, which the next one has, too
		return a.touch.anything || slices.ContainsFunc(k.shared, func(v *variable) bool { return a.touch.reads[v] || a.touch.writes[v] })
	}
	if slices.ContainsFunc(w.pending, usesShared) {
		w.barrier()
	}
	for range k.nest {
		body.Shut()
	}
}

type phaseWriter struct {
	*emitter
	body *layout.Lines
	p    *printer
	k    *kernelStep
	// pending are the phases since the last barrier that all threads have passed.
	pending []*phase
}

func (w *phaseWriter) list(phases []*phase) {
	for _, a := range phases {
		if slices.ContainsFunc(w.pending, a.meets) {
			w.barrier()
		}
		if len(a.stmts) > 0 {
			w.body.Add(w.commentsAbove(a.stmts[0])...)
		} else if a.head != nil {
			w.body.Add(w.commentsAbove(a.head)...)
		}
		switch a.by {
		case everyone:
			w.statements(a)
		case one:
			w.body.Open("if (threadIdx.x == 0)")
			w.statements(a)
			w.body.Shut()
		case shared:
			w.shared(a)
		case around:
			w.around(a)
		case branch:
			w.branch(a)
		case block:
			w.body.Open("")
			w.list(a.inner)
			w.body.Shut()
		}
	}
}

func (w *phaseWriter) barrier() {
	w.body.Add("__syncthreads();")
	w.pending = nil
}

// statements writes those of a phase that one thread runs, or each.
func (w *phaseWriter) statements(a *phase) {
	for i, n := range a.stmts {
		if i > 0 {
			w.body.Add(w.commentsAbove(n)...)
		}
		if slices.ContainsFunc(w.k.shared, func(v *variable) bool { return v.decl == n }) {
			text := w.p.statement(n)
			text[0] = "__shared__ " + text[0]
			w.body.Add(text...)
		} else {
			w.p.block(w.body, n)
		}
	}
	w.pending = append(w.pending, a)
}

// begunWith reports whether the last statement before another one that mentions a variable gives it a number.
func (w *phaseWriter) begunWith(n *parser.Node, v *variable, number string) bool {
	u := w.construct.u
	var value *parser.Node
	for s := n.Parent.First; s != nil && s != n && n.Parent.Kind == parser.KindCompoundStatement; s = s.Next {
		if !u.mentions(s, v) {
			continue
		}
		left, right, op := u.sides(expressionOf(s))
		switch value = nil; {
		case v.decl == s:
			value = v.declarator.Child(parser.FieldValue)
		case u.names(left, v) && op == "=":
			value = right
		}
	}
	if value == nil || value.Kind != parser.KindNumberLiteral {
		return false
	}
	is, err := strconv.ParseFloat(strings.TrimRight(u.text(value), "fFlLuU"), 64)
	want, _ := strconv.ParseFloat(number, 64)
	return err == nil && is == want
}

// shared writes a loop that the threads share. Of what they combine, the first goes on from the value that there is.
func (w *phaseWriter) shared(a *phase) {
	for _, r := range a.reductions {
		if n := operations[r.op].neutral; n != "" && !w.begunWith(a.loop.node, r.v, n) {
			w.body.Add("if (threadIdx.x > 0)", fmt.Sprintf("    %s = %s;", r.v.name, n))
		}
	}
	w.body.Open(w.head(w.p, a.loop, "threadIdx.x", "blockDim.x"))
	w.body.Add(w.p.statement(a.loop.body)...)
	w.body.Shut()
	w.pending = append(w.pending, a)
	for _, r := range a.reductions {
		w.helper(r, "block") // which the other one calls
		w.body.Add(fmt.Sprintf("%s = %s(%s);", r.v.name, w.helper(r, "each"), r.v.name))
		w.pending = nil
	}
}

// around writes a loop that all threads go through, with a barrier at its end where its phases meet.
func (w *phaseWriter) around(a *phase) {
	before := slices.Clone(w.pending)
	part := func(f parser.Field) string {
		if n := a.head.Child(f); n != nil {
			return strings.TrimSuffix(strings.TrimSpace(w.p.print(n)), ";")
		}
		return ""
	}
	w.body.Open(fmt.Sprintf("for (%s; %s; %s)", part(parser.FieldInitializer), part(parser.FieldCondition), part(parser.FieldUpdate)))
	w.list(a.inner)
	all := a.all()
	if slices.ContainsFunc(all, func(x *phase) bool { return slices.ContainsFunc(all, x.meets) }) {
		w.barrier()
	}
	w.body.Shut()
	w.pending = append(before, w.pending...) // it may have no iteration
}

// branch writes an if that all threads decide alike.
func (w *phaseWriter) branch(a *phase) {
	w.pending = append(w.pending, a) // which reads what it decides by
	before := slices.Clone(w.pending)
	w.body.Open("if " + w.p.print(a.head.Child(parser.FieldCondition)))
	w.list(a.inner)
	w.body.Level--
	behind := w.pending
	if w.pending = slices.Clone(before); a.other != nil {
		w.body.Open("} else")
		w.list(a.other)
		w.body.Level--
	}
	w.body.Add("}")
	w.pending = append(behind, w.pending...)
}

func (a *phase) all() []*phase {
	out := []*phase{a}
	for _, inner := range slices.Concat(a.inner, a.other) {
		out = append(out, inner.all()...)
	}
	return out
}

// commentsAbove are the comments on lines of their own right above a statement.
func (w *phaseWriter) commentsAbove(n *parser.Node) (out []string) {
	for c := previous(n); c != nil && c.Kind == parser.KindComment; c = previous(c) {
		from, _ := w.translation.rangeOf(c)
		if w.lineBefore(from) != w.lineStart(from) {
			break
		}
		out = append(layout.Dedent(w.translation.spelled(c), ""), out...)
	}
	return out
}
