package slice

import (
	"fmt"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// formKey names the form of a function.
func (w *slicer) formKey(s *slicedFunc) kit.Form {
	return kit.Form{Fn: s.fn, Kind: kit.FormSliced, Told: fmt.Sprint(w.By, s.param)}
}

// formFor writes the form of a device function with the round as an argument.
func (w *slicer) formFor(s *slicedFunc) *kit.Clone {
	f := s.fn.File
	c := &kit.Clone{Form: w.formKey(s)}
	told := "int " + w.round + ", "
	if w.byWindow() {
		told += "int " + w.rows + ", "
	} else {
		c.Edits.Replace(s.typeAt.Start, s.typeAt.End, s.uses[0].array.parts[0].Type)
	}
	// In front of the array: forms for different arrays are overloads of each other.
	c.Edits.Insert(int(s.fn.View.Params[s.param].Node.Start), told)
	for _, u := range s.uses {
		switch {
		case w.byWindow():
			w.windowInForm(&c.Edits, f, u)
		case u.store != nil:
			v := u.store.Kids[1].Range
			if u.part >= 0 {
				w.guardInForm(&c.Edits, f, u)
				continue
			}
			c.Edits.Replace(v.Start, v.End, w.choice(u, kit.Text(f, v)))
		default:
			v := u.into.Range
			c.Edits.Replace(v.Start, v.End, "("+w.choice(u, kit.Text(f, v))+")")
		}
	}
	return c
}

// guardInForm has a component stored in its round alone.
func (w *slicer) guardInForm(b *edit.Buffer, f *parser.File, u *sliceUse) {
	b.Insert(u.stmt.Range.Start, fmt.Sprintf("{ if (%s == %d) ", w.round, u.part))
	b.Replace(u.elem.Range.End, u.whole.Range.End, "")
	b.Insert(kit.StmtEnd(f, u.stmt), " }")
}

// choice is the component of a value that a round is of.
func (w *slicer) choice(u *sliceUse, value string) string {
	parts := u.array.parts
	out := value + "." + parts[len(parts)-1].Name
	for i := len(parts) - 2; i >= 0; i-- {
		out = fmt.Sprintf("%s == %d ? %s.%s : %s", w.round, i, value, parts[i].Name, out)
	}
	return out
}

// windowInForm has an access made in the round of its window.
func (w *slicer) windowInForm(b *edit.Buffer, f *parser.File, u *sliceUse) {
	index := u.index()
	b.Insert(u.stmt.Range.Start, fmt.Sprintf("{ if (%s / %s == %s) ", factor(f, index), w.rows, w.round))
	move := w.moved(f, u, w.round+" * "+w.rows)
	b.Replace(move.Start, move.End, move.New)
	b.Insert(kit.StmtEnd(f, u.stmt), " }")
}
