package rewrite

// unrollLoops plans unroll factors.
func (p *Plan) unrollLoops(r Recipe) {}
