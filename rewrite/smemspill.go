package rewrite

// spillToShared plans the compiler's spills to shared memory.
func (p *Plan) spillToShared(r Recipe) {}
