package merge

import "github.com/smux-cuda/smux/analysis/ir"

// mentionsIn says where a function names variables, for questions that each of its declarations asks.
type mentionsIn struct {
	named map[string][]*ir.Expr // the names, as they stand, by text
	last  map[*ir.Stmt]int      // where a variable of a declaration is named last
	// inLambda maps a declaration to the end of the last lambda that names its variable: it may run
	// wherever it is called.
	inLambda map[*ir.Stmt]int
}

// namesIn finds where fn names variables.
func (p *mergeProof) namesIn(fn *ir.Func) *mentionsIn {
	if u := p.mentions[fn]; u != nil {
		return u
	}
	u := &mentionsIn{map[string][]*ir.Expr{}, map[*ir.Stmt]int{}, map[*ir.Stmt]int{}}
	for e := range fn.Body.AllExprs() {
		switch {
		case e.Op == ir.OpIdent:
			u.named[e.Name] = append(u.named[e.Name], e)
			if e.Var != nil && e.Var.Decl != nil {
				u.last[e.Var.Decl] = max(u.last[e.Var.Decl], e.Range.Start)
			}
		case e.Op == ir.OpLambda && e.Lambda != nil:
			for t := range e.Lambda.AllExprs() {
				if t.Op == ir.OpIdent && t.Var != nil && t.Var.Decl != nil {
					u.inLambda[t.Var.Decl] = max(u.inLambda[t.Var.Decl], e.Range.End)
				}
			}
		}
	}
	if p.mentions == nil {
		p.mentions = map[*ir.Func]*mentionsIn{}
	}
	p.mentions[fn] = u
	return u
}

// usedAfter reports whether a declaration's variable is named after an offset.
func (p *mergeProof) usedAfter(fn *ir.Func, s *ir.Stmt, end int) bool {
	u := p.namesIn(fn)
	at, named := u.last[s]
	return named && at >= end || u.inLambda[s] > end
}
