package rewrite

// pinVariables plans pins.
func (p *Plan) pinVariables(r Recipe) {}
