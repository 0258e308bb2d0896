package parser

import "sort"

// launch adds the launch whose masked form is call n: a call of a call of the member f of the kernel.
func (b *builder) launch(n *Node) {
	inner := n.Child(FieldFunction)
	if inner == nil || inner.Kind != KindCallExpression {
		return
	}
	member, config := inner.Child(FieldFunction), inner.Child(FieldArguments)
	if member == nil || member.Kind != KindFieldExpression || config == nil {
		return
	}
	m := b.launchAt[config.Start]
	if m == nil {
		return
	}
	delete(b.launchAt, config.Start)
	l := &Launch{
		Node: n, Callee: member.Child(FieldArgument), Args: n.Child(FieldArguments),
		Open: m.Start, Close: m.End, Function: b.enclosing(n),
	}
	for c := config.FirstNamed(); c != nil; c = c.NextNamed() {
		l.Config = append(l.Config, c)
	}
	l.Kernel, l.TemplateArgs = b.kernelName(l.Callee)
	l.Error = faultOf(n)
	if l.Error == nil && (l.Callee == nil || l.Args == nil || len(l.Config) < 2 || len(l.Config) > 4) {
		l.Error = n
	}
	b.file.Launches = append(b.file.Launches, l)
}

// kernelName returns the name and template arguments of a launch's callee.
func (b *builder) kernelName(n *Node) (name string, args *Node) {
	for n != nil && (n.Kind == KindQualifiedIdentifier || n.Kind == KindDependentName) {
		if n.Kind == KindDependentName {
			n = n.FirstNamed()
		} else {
			n = n.Child(FieldName)
		}
	}
	if n == nil {
		return "", nil
	}
	if n.Kind == KindTemplateFunction || n.Kind == KindTemplateType {
		args = n.Child(FieldArguments)
	}
	if n.Kind == KindFieldExpression {
		return "", nil
	}
	return b.lastName(n), args
}

func (b *builder) enclosing(n *Node) *Function {
	for p := n.Parent; p != nil; p = p.Parent {
		if f := b.byNode[p]; f != nil {
			return f
		}
	}
	return nil
}

// lostLaunches adds the launches that did not come out of the grammar as a call
// of a call, so that nobody takes them for absent.
func (b *builder) lostLaunches() {
	for _, m := range b.launchAt {
		n := smallest(b.file.Root, uint32(m.Start), uint32(m.End))
		l := &Launch{Node: n, Open: m.Start, Close: m.End, Function: b.enclosing(n), Error: faultOf(n)}
		if l.Error == nil {
			l.Error = n
		}
		b.file.Launches = append(b.file.Launches, l)
	}
	sort.Slice(b.file.Launches, func(i, j int) bool { return b.file.Launches[i].Open < b.file.Launches[j].Open })
}

// smallest returns the smallest node that covers the range.
func smallest(n *Node, start, end uint32) *Node {
	for c := n.First; c != nil; {
		if c.Start <= start && end <= c.End {
			n, c = c, c.First
			continue
		}
		c = c.Next
	}
	return n
}
