package locate

import (
	"cmp"
	"debug/dwarf"
	"slices"
	"sort"
)

// unit is one compiled file of the program. What it holds is read on demand: the rows of its line table and the
// extent of each function when the first program counter in it is asked for, a function's inlined calls when one in
// that function is.
type unit struct {
	entry     *dwarf.Entry
	read      bool
	rows      []row
	files     []*dwarf.LineFile
	functions []function // sorted by low; parts of one function are several
}

// row states that code from address on, up to the next row, is of this place.
type row struct {
	address      uint64
	file         string
	line, column int
	end          bool // nothing is known from here on
}

// function is one contiguous part of a function's code.
type function struct {
	low, high uint64
	offset    dwarf.Offset
}

func (u *unit) load(data *dwarf.Data) {
	u.read = true
	u.loadRows(data)
	u.loadFunctions(data)
}

func (u *unit) loadRows(data *dwarf.Data) {
	lines, err := data.LineReader(u.entry)
	if err != nil || lines == nil {
		return
	}
	// Sequences come in any order; each is sorted. One that begins at 0 is of a function that the linker dropped.
	var entry dwarf.LineEntry
	var sequences [][]row
	var rows []row
	for lines.Next(&entry) == nil {
		r := row{address: entry.Address, line: entry.Line, column: entry.Column, end: entry.EndSequence}
		if entry.File != nil {
			r.file = entry.File.Name
		}
		if rows = append(rows, r); r.end {
			if rows[0].address != 0 {
				sequences = append(sequences, rows)
			}
			rows = nil
		}
	}
	slices.SortStableFunc(sequences, func(a, b []row) int { return cmp.Compare(a[0].address, b[0].address) })
	u.rows = slices.Concat(sequences...)
	u.files = lines.Files() // complete only now: a program can add to the list
}

// loadFunctions finds every function of the unit, also those within namespaces,
// classes and other functions: that is where compilers put the body of a lambda.
func (u *unit) loadFunctions(data *dwarf.Data) {
	r := data.Reader()
	r.Seek(u.entry.Offset)
	if _, err := r.Next(); err != nil {
		return
	}
	for depth := 1; depth > 0; {
		entry, err := r.Next()
		if err != nil || entry == nil {
			break
		}
		if entry.Tag == 0 {
			depth--
			continue
		}
		if entry.Tag == dwarf.TagSubprogram {
			u.addFunction(data, entry)
		}
		if entry.Children {
			depth++
		}
	}
	sort.Slice(u.functions, func(i, j int) bool { return u.functions[i].low < u.functions[j].low })
}

func (u *unit) addFunction(data *dwarf.Data, entry *dwarf.Entry) {
	ranges, err := data.Ranges(entry)
	if err != nil {
		return
	}
	for _, x := range ranges {
		if x[0] != 0 && x[0] < x[1] {
			u.functions = append(u.functions, function{x[0], x[1], entry.Offset})
		}
	}
}

// place returns the line table's row for pc.
func (u *unit) place(pc uint64) row {
	i := sort.Search(len(u.rows), func(i int) bool { return u.rows[i].address > pc })
	if i == 0 || u.rows[i-1].end {
		return row{}
	}
	return u.rows[i-1]
}

// fileName returns the file that a number in DW_AT_call_file stands for.
func (u *unit) fileName(number int64) string {
	if number < 0 || number >= int64(len(u.files)) || u.files[number] == nil {
		return ""
	}
	return u.files[number].Name
}
