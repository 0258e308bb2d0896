package gpu

import (
	"cmp"
	_ "embed" // for gpus.toml
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed gpus.toml
var builtin []byte

// Table is a set of architectures and boards. It is not changed once it is made,
// and what it returns are copies.
type Table struct {
	arches []Arch
	boards []GPU
	names  map[string]int // index in boards, by the normal form of name, alias and product
}

var defaultTable = sync.OnceValues(func() (*Table, error) {
	return (&Table{names: map[string]int{}}).Read("gpus.toml", builtin)
})

// Default returns the built-in table.
func Default() *Table {
	t, err := defaultTable()
	if err != nil {
		// A test reads the embedded file, so this is never seen by a user.
		panic("gpu: " + err.Error())
	}
	return t
}

// All returns every board, by compute capability, then name.
func (t *Table) All() []*GPU {
	out := make([]*GPU, len(t.boards))
	for i := range t.boards {
		out[i] = t.boards[i].clone()
	}
	return out
}

// namedSet are the boards that the census of public kernels was made for.
var namedSet = []string{"t4", "rtx3090", "rtx4090", "a100", "h100"}

// NamedSet returns the few boards that are reported on where nobody said which
// GPU is meant: one of each family in wide use.
func NamedSet() []*GPU {
	out := make([]*GPU, len(namedSet))
	for i, name := range namedSet {
		out[i] = Default().named(name).clone()
	}
	return out
}

// add puts a board in the table.
func (t *Table) add(g GPU) {
	t.boards = append(t.boards, g)
	t.register(len(t.boards) - 1)
}

// register notes the names of board i. A product name gives way to names that
// were given on purpose.
func (t *Table) register(i int) {
	g := &t.boards[i]
	for _, n := range append([]string{g.Name}, g.Aliases...) {
		t.names[normal(n)] = i
	}
	if _, ok := t.names[normal(g.Product)]; !ok {
		t.names[normal(g.Product)] = i
	}
}

// sort orders the table by compute capability, boards of one by name.
func (t *Table) sort() {
	slices.SortFunc(t.arches, compareArch)
	slices.SortFunc(t.boards, func(a, b GPU) int {
		return cmp.Or(compareArch(a.Arch, b.Arch), strings.Compare(a.Name, b.Name))
	})
	clear(t.names)
	for i := range t.boards {
		t.register(i)
	}
}

func compareArch(a, b Arch) int {
	return cmp.Or(cmp.Compare(a.Major, b.Major), cmp.Compare(a.Minor, b.Minor))
}

// arch returns the architecture of a compute capability, nil if there is none.
func (t *Table) arch(cc string) *Arch {
	for i := range t.arches {
		if t.arches[i].CC() == cc {
			return &t.arches[i]
		}
	}
	return nil
}

// named returns the board of a name, alias or product name, nil if there is none.
func (t *Table) named(name string) *GPU {
	if i, ok := t.names[normal(name)]; ok {
		return &t.boards[i]
	}
	return nil
}

func (t *Table) clone() *Table {
	return &Table{slices.Clone(t.arches), slices.Clone(t.boards), maps.Clone(t.names)}
}
