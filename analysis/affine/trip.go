package affine

import "github.com/smux-cuda/smux/analysis/ir"

// count finds how often the loop runs, from a condition that compares a
// variable of the head with something that does not change.
func (a *activation) count(l *Loop, entry env, steps map[*ir.Var]Form) {
	c := l.Stmt.Cond
	if c == nil || c.Op != ir.OpBinary {
		return
	}
	tok, x, y := c.Tok, c.Kids[0], c.Kids[1]
	if _, ok := steps[x.Var]; x.Op != ir.OpIdent || !ok {
		x, y = y, x
		tok = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!="}[tok]
	}
	step, ok := steps[x.Var]
	if x.Op != ir.OpIdent || !ok {
		return
	}
	limit := a.quiet(y)
	if !limit.known || limit.form.DependsOn(l) || limit.isPtr != entry[x.Var].isPtr {
		return
	}
	if limit.isPtr && limit.array != entry[x.Var].array {
		return
	}
	distance := limit.form.Sub(entry[x.Var].form)
	n, constant := step.Constant()
	switch {
	case tok == "<=" && constant && n > 0:
		distance = distance.Add(Number(1))
	case tok == ">=" && constant && n < 0:
		distance = distance.Sub(Number(1))
	case tok == "<" && constant && n > 0, tok == ">" && constant && n < 0, tok == "!=":
	case tok == "<" && !constant:
	default:
		return
	}
	a.trip(l, distance, step)
}

// trip divides the distance that the loop covers by its step, rounding up.
func (a *activation) trip(l *Loop, distance, step Form) {
	n, constant := step.Constant()
	l.Counted = !l.Stmt.LeavesEarly() && !distance.Has(func(x *Axis) bool { return x.Kind == AxisData })
	l.Even = l.Counted && distance.Uniform() && step.Uniform()
	if n < 0 {
		distance, n = distance.Scale(-1), -n
	}
	d, fixed := distance.Constant()
	switch {
	case constant && n > 0 && fixed:
		l.Most = max(0, (d+n-1)/n)
		l.Trip, l.Known = Number(l.Most), true
		return
	case !distance.Uniform():
		if lanes := a.lanes(distance); lanes != nil && constant && n > 0 {
			for _, v := range lanes {
				l.Most = max(l.Most, (v+n-1)/n)
			}
		}
		return
	case !constant:
		l.Trip, l.Known = a.opaque("/", distance, step, -1), step.Uniform()
		return
	}
	if q, ok := distance.Divide(n); ok {
		l.Trip, l.Known = q, true
		return
	}
	l.Trip, l.Known = a.opaque("/", distance, Number(n), -1), true
}
