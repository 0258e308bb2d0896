package instrument

import (
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// nameVariables adds to the end of a unit what tells the prelude of the variables of
// the device that are in view there.
func nameVariables(b *rewrite.Buffer, p *parser.Program, unit *parser.File) {}
