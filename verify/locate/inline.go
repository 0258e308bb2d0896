package locate

import (
	"debug/dwarf"
	"slices"
)

// call is a function on the way from the one that really exists to the
// innermost that was inlined at a program counter.
type call struct {
	name         string
	file         string // where it was called, for all but the outermost
	line, column int
}

// frames joins the line table's place with the inlined calls around it: the place belongs to the innermost call, and
// each call's own place to the one around it.
func (u *unit) frames(data *dwarf.Data, pc uint64) []Frame {
	at := u.place(pc)
	calls := u.calls(data, pc)
	if len(calls) == 0 {
		if at.line == 0 {
			return nil
		}
		return []Frame{{File: at.file, Line: at.line, Column: at.column}}
	}
	var frames []Frame
	for i := len(calls) - 1; i >= 0; i-- {
		frames = append(frames, Frame{Function: calls[i].name, File: at.file, Line: at.line, Column: at.column})
		at = row{file: calls[i].file, line: calls[i].line, column: calls[i].column}
	}
	return frames
}

// calls lists the functions that hold pc, the outermost first.
func (u *unit) calls(data *dwarf.Data, pc uint64) []call {
	offset, ok := u.functionAt(pc)
	if !ok {
		return nil
	}
	r := data.Reader()
	r.Seek(offset)
	entry, err := r.Next()
	if err != nil || entry == nil {
		return nil
	}
	calls := []call{{name: functionName(data, entry)}}
	if !entry.Children {
		return calls
	}
	// Only what holds pc is entered: everything else is skipped as a whole.
	for {
		entry, err := r.Next()
		if err != nil || entry == nil || entry.Tag == 0 {
			return calls
		}
		inlined := entry.Tag == dwarf.TagInlinedSubroutine
		if !inlined && entry.Tag != dwarf.TagLexDwarfBlock || !holds(data, entry, pc) {
			r.SkipChildren()
			continue
		}
		if inlined {
			calls = append(calls, u.inlinedCall(data, entry))
		}
		if !entry.Children {
			return calls
		}
	}
}

func (u *unit) inlinedCall(data *dwarf.Data, entry *dwarf.Entry) call {
	number := func(a dwarf.Attr) int64 { n, _ := entry.Val(a).(int64); return n }
	return call{
		name: functionName(data, entry),
		file: u.fileName(number(dwarf.AttrCallFile)),
		line: int(number(dwarf.AttrCallLine)), column: int(number(dwarf.AttrCallColumn)),
	}
}

// functionAt finds the smallest part of a function that holds pc.
func (u *unit) functionAt(pc uint64) (dwarf.Offset, bool) {
	// Parts do not overlap in what compilers emit; the last that begins before pc is it.
	low, high := 0, len(u.functions)
	for low < high {
		if middle := (low + high) / 2; u.functions[middle].low > pc {
			high = middle
		} else {
			low = middle + 1
		}
	}
	if low == 0 || pc >= u.functions[low-1].high {
		return 0, false
	}
	return u.functions[low-1].offset, true
}

func holds(data *dwarf.Data, entry *dwarf.Entry, pc uint64) bool {
	ranges, err := data.Ranges(entry)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(ranges, func(x [2]uint64) bool { return x[0] <= pc && pc < x[1] })
}

// functionName follows an inlined or out-of-line copy to the declaration that
// bears the name. The functions of a lambda are named after what they are.
func functionName(data *dwarf.Data, entry *dwarf.Entry) string {
	for range 8 { // longer chains do not occur
		if name, ok := entry.Val(dwarf.AttrName).(string); ok {
			return name
		}
		offset, ok := entry.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			offset, ok = entry.Val(dwarf.AttrSpecification).(dwarf.Offset)
		}
		if !ok {
			return ""
		}
		r := data.Reader()
		r.Seek(offset)
		next, err := r.Next()
		if err != nil || next == nil {
			return ""
		}
		entry = next
	}
	return ""
}
