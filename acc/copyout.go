package acc

import (
	"fmt"

	"github.com/smux-cuda/smux/parser"
)

// protect copies in what a clause only copies out, unless the region writes all of it: what
// the region leaves as it is would come back undefined, and what it reads would be.
func (t *translation) protect(r *region, stmt *parser.Node) {
	for _, i := range r.items {
		if i.out && !i.in && !i.present {
			i.in = true
			t.say(t.at(r.pragma.Pos), CodeCopiedIn, fmt.Sprintf("%s is copied to the device, too: it is not shown that the region writes all of it before it reads", i.v.name),
				fmt.Sprintf("write copy(%s) if its values count", i.v.name))
		}
	}
}
