package rewrite

// capRegisters plans a cap on registers.
func (p *Plan) capRegisters(r Recipe) {}
