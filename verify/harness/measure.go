package harness

import (
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// attach gives a program a main for specifications.
func AttachWith(prog *parser.Program, specs []*Spec, options ...Option) (*parser.Program, error) {
	host, text, err := Attach(prog, specs, options...)
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for _, f := range prog.Files { // a main of another file would be a second one
		texts[f.Name] = withoutMain(f)
	}
	texts[host.Name] = text
	run, err := prog.WithTexts(texts)
	if err != nil {
		return nil, diag.Failed("reading the program made for the kernel", err)
	}
	return run, nil
}
