package rewrite

// demoteWords plans demoted words.
func (p *Plan) demoteWords(r Recipe) {
	for _, name := range r.Words {
		if _, _, ok := p.Kernel.Variable(name); !ok {
			p.refuse(p.Kernel.File, p.Kernel.View.Start, CodeRecipe, "the recipe names a variable %q, which the kernel does not have", name)
		}
	}
}
