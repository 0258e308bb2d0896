package intrinsic

import "strings"

// Table is all rows, by family.
var Table = []struct {
	Family string
	Rows   []Row
}{
	{"barriers of the thread block", barriers},
	{"warps", warps},
	{"fences, loads, stores and copies", memory},
	{"atomic operations", atomics},
	{"allocations on the device", allocations},
	{"textures and surfaces", textures},
	{"floating-point functions", floating},
	{"integer functions", integers},
	{"conversions", conversions},
	{"half precision and bfloat16", halves},
	{"vectors and complex numbers", vectors},
	{"matrix fragments", matrices},
	{"cooperative groups", groups},
	{"asynchronous copies and barriers", asynchronous},
	{"random numbers", random},
	{"time, output and assumptions", others},
}

// none is the row of a name that is not in the table.
var none = &Row{}

var exact, prefixes = index()

// index reads the table.
func index() (exact map[string]*Row, prefixes map[string]*Row) {
	exact, prefixes = map[string]*Row{}, map[string]*Row{}
	for _, family := range Table {
		for i := range family.Rows {
			r := &family.Rows[i]
			for _, name := range r.Each() {
				if start, ok := strings.CutSuffix(name, "*"); ok {
					prefixes[start] = r
				} else {
					exact[name] = r
				}
			}
		}
	}
	return exact, prefixes
}

// Of returns the row of a name. Where there is none, it is one of kind Unknown, of which nothing is known.
func Of(name string) *Row {
	if r := exact[name]; r != nil {
		return r
	}
	for end := len(name); end > 1; end-- {
		if r := prefixes[name[:end]]; r != nil {
			return r
		}
	}
	return none
}

// Each returns the names of a row one by one.
func (r *Row) Each() []string {
	var out []string
	for _, word := range strings.Fields(r.Names) {
		out = append(out, expand(word)...)
	}
	return out
}

// expand writes out f_{a,b}.
func expand(word string) []string {
	open := strings.IndexByte(word, '{')
	if open < 0 {
		return []string{word}
	}
	length := strings.IndexByte(word[open:], '}')
	var out []string
	for _, choice := range strings.Split(word[open+1:open+length], ",") {
		for _, rest := range expand(word[open+length+1:]) {
			out = append(out, word[:open]+choice+rest)
		}
	}
	return out
}

// Known reports whether the table has the name.
func (r *Row) Known() bool { return r.Kind != Unknown }

// Pure reports whether a call depends on its arguments alone and touches no memory.
func (r *Row) Pure() bool { return r.Kind == Value || r.Kind == Cast }

// Computes reports whether a call depends on its arguments and on what nobody writes while the kernel runs, and
// follows no pointer.
func (r *Row) Computes() bool { return r.Pure() || r.Kind == Texture && r.Memory.ReadOnly }

// IsReadOnly reports whether a call loads through a pointer what nobody writes while the kernel runs.
func (r *Row) IsReadOnly() bool { return r.Kind == Load && r.Memory.ReadOnly }

// IsAtomic reports whether a call reads and writes what its first argument points to, in one.
func (r *Row) IsAtomic() bool { return r.Kind == Atomic }

// IsShared reports whether a call accesses memory that other threads may access at the same time.
func (r *Row) IsShared() bool {
	return r.IsAtomic() || r.Memory.Orders && (r.Kind == Load || r.Kind == Store)
}

// IsOfWarp reports whether lanes of a warp meet in a call, or see one another's values, and nothing is written.
func (r *Row) IsOfWarp() bool {
	return r.Scope == Warp && r.Memory.Writes == None && (r.Kind == Barrier || r.Kind == Vote || r.Kind == Exchange || r.Kind == Lanes)
}

// IsBlockBarrier reports whether all threads of the block meet in a call.
func (r *Row) IsBlockBarrier() bool {
	return r.Scope == Block && (r.Kind == Barrier || r.Kind == Vote) && (r.Waits == Everyone || r.Waits == Numbered)
}

// IsJoint reports whether threads of a warp, a block or more take part in a call together, but for a barrier of all threads of
// the block, and what names their group.
func (r *Row) IsJoint() bool {
	switch r.Kind {
	case Vote, Exchange, Lanes, Matrix, Async, GroupOp, Launch:
		return true
	}
	return r.Scope > Thread && !(r.Scope == Block && (r.Kind == Barrier && r.Waits == Everyone || r.Kind == Group && r.Waits == Nobody))
}

// ByValue reports whether a call can't change a variable that it is given by name.
func (r *Row) ByValue() bool { return r.Known() && r.Params != Reference }
