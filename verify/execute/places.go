package execute

import (
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/locate"
)

// Places returns the places of a stack of program counters in the program's own source, innermost first, at positions
// of the original text: what Finding.Frames is, for those who read program counters elsewhere.
func Places(p *build.Program, pcs ...uint64) []locate.Frame {
	return newResolver(p).frames(pcs)
}
