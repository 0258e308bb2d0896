// Package locate turns program counters of a compiled program into source lines, by the DWARF line tables and
// inlining records that the compiler left in it, with no other program's help.
//
// It reads ELF executables. Program counters are relative to where the executable was loaded, so that address space
// randomisation does not matter. A unit of the program is read when a program counter in it is asked for.
package locate

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"sort"
	"sync"
)

// Frame is one place on a call stack. File is as the compiler recorded it: an absolute path, or a name relative to
// where the compiler ran joined with that folder. Line and Column count from 1; 0 means unknown.
type Frame struct {
	Function string
	File     string
	Line     int
	Column   int
}

// Table answers for one executable. It is safe for concurrent use.
type Table struct {
	mutex   sync.Mutex
	dwarf   *dwarf.Data
	units   []*unit
	spans   []span // of all units, sorted
	symbols []symbol
}

// span states that the program counters low ... high-1 are of a unit.
type span struct {
	low, high uint64
	unit      *unit
}

// Open reads the index of an executable. It returns an error where the file is
// not an ELF executable or has no debug information.
func Open(path string) (*Table, error) {
	file, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading debug information of %s: %w", path, err)
	}
	defer file.Close()
	data, err := file.DWARF()
	if err != nil {
		return nil, fmt.Errorf("reading debug information of %s: %w", path, err)
	}
	t := &Table{dwarf: data, symbols: readSymbols(file)}
	if err := t.index(); err != nil {
		return nil, fmt.Errorf("reading debug information of %s: %w", path, err)
	}
	return t, nil
}

// index lists the units and the program counters that each covers.
func (t *Table) index() error {
	r := t.dwarf.Reader()
	for {
		entry, err := r.Next()
		if err != nil {
			return err
		}
		if entry == nil {
			break
		}
		if entry.Tag == dwarf.TagCompileUnit {
			u := &unit{entry: entry}
			t.units = append(t.units, u)
			ranges, err := t.dwarf.Ranges(entry)
			if err != nil {
				return err
			}
			for _, x := range ranges {
				if x[0] != 0 && x[0] < x[1] { // 0: a function that the linker dropped
					t.spans = append(t.spans, span{x[0], x[1], u})
				}
			}
		}
		r.SkipChildren()
	}
	sort.Slice(t.spans, func(i, j int) bool { return t.spans[i].low < t.spans[j].low })
	return nil
}

// Frames returns where pc is: the innermost place first, then the calls that were inlined around it, up to the
// function that really exists. It returns nil for a program counter that no debug information covers.
func (t *Table) Frames(pc uint64) []Frame {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	i := sort.Search(len(t.spans), func(i int) bool { return t.spans[i].low > pc })
	if i == 0 || pc >= t.spans[i-1].high {
		return nil
	}
	u := t.spans[i-1].unit
	if !u.read {
		u.load(t.dwarf)
	}
	frames := u.frames(t.dwarf, pc)
	if n := len(frames); n > 0 && frames[n-1].Function == "" {
		// Some compilers leave out functions that nothing was inlined into.
		frames[n-1].Function, _, _ = t.Symbol(pc)
	}
	return frames
}
