package translate

import (
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// heap gives malloc in device functions memory of the device, whose bounds are known.
func heap(t *text, s *stretch) {
	for i := range s.toks {
		name, before := s.text(i), s.punct(i-1)
		if name != "malloc" && name != "free" || !s.isIdent(i) || s.punct(i+1) != '(' || before == '.' || before == '>' || before == ':' {
			continue
		}
		of := t.functionAt(s.toks[i].Start)
		own := slices.ContainsFunc(t.file.Functions, func(f *parser.Function) bool { return f.Name == name })
		if of != nil && (of.IsDevice() || of.IsKernel()) && !own {
			t.insert(s.toks[i].Start, "::smux_cpu_heap_")
		}
	}
}
