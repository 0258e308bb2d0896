package kit

import (
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/units"
)

// Named holds the names that texts lead to: those in them, and in the device functions, declarations and macros of the new
// program that have these names. Strings have none. threadIdx.x is one name, as are threadIdx.y, blockDim.x,
// blockDim.y and extern __shared__.
type Named struct {
	c      *Comparison
	Names  map[string]bool
	Pastes bool                     // a macro makes names of others
	Opens  func(*parser.Macro) bool // which macros lead on; nil for all
}

// NewNamed returns an empty set, to which some names never belong.
func (c *Comparison) NewNamed(except ...string) *Named {
	n := &Named{c: c, Names: map[string]bool{}}
	for _, name := range except {
		n.Names[name] = false
	}
	return n
}

// Function adds what a function's text leads to.
func (n *Named) Function(f *parser.File, fn *parser.Function) {
	end := int(fn.Outer.End)
	if fn.Body != nil {
		end = int(fn.Body.End)
	}
	n.Units(f, n.c.SourceOf(f).Between(min(fn.Start, int(fn.Outer.Start)), end))
}

// Units adds what units of a file lead to.
func (n *Named) Units(f *parser.File, us []units.Unit) {
	for i, u := range us {
		switch _, _, extent := units.Match(us[i:], u.Text+" . $"); {
		case strings.HasPrefix(u.Text, `"`):
		case extent && (u.Text == "threadIdx" || u.Text == "blockDim") && (us[i+2].Text == "x" || us[i+2].Text == "y"):
			n.Names[u.Text+"."+us[i+2].Text] = true
		case u.Text == "__shared__" && i > 0 && us[i-1].Text == "extern":
			n.Names["extern __shared__"] = true
		default:
			n.add(f, u.Text, u.Start)
		}
	}
}

func (n *Named) add(f *parser.File, text string, at int) {
	for _, name := range parser.Names(text) {
		if _, seen := n.Names[name]; seen {
			continue
		}
		n.Names[name] = true
		for _, fn := range n.c.Devices[name] {
			n.Function(n.c.FileOf[fn], fn)
		}
		for _, d := range n.c.Declarations[name] {
			n.Units(d.File, n.c.SourceOf(d.File).Between(int(d.Node.Start), int(d.Node.End)))
		}
		if m, ok := f.Macros.Lookup(name, at); ok && (n.Opens == nil || n.Opens(m)) {
			n.Pastes = n.Pastes || strings.Contains(m.Body, "##")
			us := lists.Map(parser.TokensBetween([]byte(m.Body), 0, len(m.Body)), func(t parser.Token) units.Unit { return units.Unit{Text: m.Body[t.Start:t.End], Start: at} })
			n.Units(f, us)
		}
	}
}
