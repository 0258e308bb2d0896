package affine

import "encoding/binary"

// terms interns what forms are made of: two symbols, or two axes, are the same
// if they have the same pointer. Leaves are told apart by name, operations by
// what they do to which forms; their names are for people, and are cut short.
type terms struct {
	symbols map[string]*Symbol
	axes    map[string]*Axis
	forms   map[string]int // the number of a form, by its terms
	results map[operation]Form
	ids     struct{ symbol, axis int }
	encoded []byte // room for the key of a form
}

// operation is an operation whose result is not a sum, or a load: what it is, of
// what, and of or by which forms (-1 for none).
type operation struct {
	tok, field string
	array      Array
	f, g       int
}

func newTerms() terms {
	return terms{symbols: map[string]*Symbol{}, axes: map[string]*Axis{}, forms: map[string]int{}, results: map[operation]Form{}}
}

// axis is the axis of that name, which is a if there was none before.
func (w *terms) axis(a Axis) *Axis {
	if x := w.axes[a.Name]; x != nil {
		return x
	}
	x := w.newAxis(a)
	w.axes[a.Name] = x
	return x
}

// newAxis is an axis unlike all others.
func (w *terms) newAxis(a Axis) *Axis {
	a.id = w.ids.axis
	w.ids.axis++
	return &a
}

// symbol is the symbol of that name.
func (w *terms) symbol(name string) Form {
	s := w.symbols[name]
	if s == nil {
		s = w.newSymbol(name)
		w.symbols[name] = s
	}
	return s.form()
}

// newSymbol is a symbol unlike all others.
func (w *terms) newSymbol(name string) *Symbol {
	s := &Symbol{Name: name, id: w.ids.symbol}
	w.ids.symbol++
	return s
}

func (s *Symbol) form() Form { return Form{Terms: []Term{{Coef: 1, Symbols: []*Symbol{s}}}} }

// formNumber returns the number of a form: two forms have the same if they are the
// same sum.
func (w *terms) formNumber(f Form) int {
	key := w.encoded[:0]
	for _, t := range f.Terms {
		axis := -1
		if t.Axis != nil {
			axis = t.Axis.id
		}
		key = binary.AppendVarint(binary.AppendVarint(key, t.Coef), int64(axis))
		key = binary.AppendVarint(key, int64(len(t.Symbols)))
		for _, s := range t.Symbols {
			key = binary.AppendVarint(key, int64(s.id))
		}
	}
	w.encoded = key
	n, ok := w.forms[string(key)]
	if !ok {
		n = len(w.forms)
		w.forms[string(key)] = n
	}
	return n
}

// maxName is how long the text of an operand may be, in bytes, to stand in the
// name of what is made of it.
const maxName = 120

// operand is a form as it stands in a name.
func operand(f Form) string {
	if f.length() > maxName {
		return "(…)"
	}
	return grouped(f.String())
}

// length is about how long the text of a form is.
func (f Form) length() int {
	n := 0
	for _, t := range f.Terms {
		n += 4
		if t.Axis != nil {
			n += len(t.Axis.Name)
		}
		for _, s := range t.Symbols {
			n += len(s.Name) + 1
		}
	}
	return n
}
