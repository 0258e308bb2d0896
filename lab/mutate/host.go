package mutate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// HostEdit is one change of what a program passes to its kernels, or of a constant that
// they are compiled with: a size, a launch's shape, a template argument, a pointer, a
// macro, a further launch. Unlike a Mutant it leaves a right kernel right, or makes the
// whole program wrong; a rewritten text to which it is carried must do the same as the original.
type HostEdit struct {
	Kind string // one of HostKinds
	Pos  diag.Position
	Text string // what is done, such as "n becomes (n) - 1"
	// File is the file that changes. "" for an edit of the command line.
	File   string
	Define string // such as N=3, of an edit of the command line

	start, end int // the range that is replaced; of a launch, the statement after which it is added
	with       string
	added      bool
	within     [2]int // a range around it by which its place is found, none for an empty one
}

// The kinds of edits.
const (
	OfValue    = "value"    // an integer of the host from which a launch's operand follows
	OfArgument = "argument" // a scalar argument
	OfPointer  = "pointer"  // a pointer argument: the same twice, or one element on
	OfGrid     = "grid"
	OfBlock    = "block"
	OfBytes    = "bytes" // of dynamic shared memory
	OfTemplate = "template"
	OfConstant = "constant" // a macro or a constant of the file
	OfLaunch   = "launch"   // one more launch with other operands
)

// HostKinds are all kinds, in the order in which HostEdits takes turns with them.
var HostKinds = []string{OfArgument, OfBlock, OfConstant, OfGrid, OfTemplate, OfPointer, OfValue, OfBytes, OfLaunch}

// Edit makes edits of one file in its text, or, where a is not nil, at the corresponding places of the
// text that was emitted for it. It is false where the emitted text has no such place.
func Edit(text []byte, a *Alignment, edits []HostEdit) ([]byte, bool) {
	edits = slices.Clone(edits)
	for i := range edits {
		e := &edits[i]
		if a == nil {
			continue
		}
		var ok bool
		if e.start, e.end, ok = a.rangeWithin(e.start, e.end, e.within); !ok {
			return nil, false
		}
	}
	// From the end, so that the places before stay where they are.
	slices.SortFunc(edits, func(a, b HostEdit) int { return b.start - a.start })
	for _, e := range edits {
		if e.added {
			text = slices.Concat(text[:e.end], []byte("\n    "+e.with), text[e.end:])
		} else {
			text = slices.Concat(text[:e.start], []byte(e.with), text[e.end:])
		}
	}
	return text, true
}

// hostNumber is the variable that says which edit a program has.
const hostNumber = "smux_edit"

// SwitchedHost returns a text that behaves as with edits[i-1] where its last argument is i, and as it is for 0.
// f is the text's file, a is nil or where its original's pieces are in it. The edits are of
// operands that are computed at run time; missing are those without a place.
func SwitchedHost(f *parser.File, a *Alignment, edits []HostEdit) (text []byte, missing map[int]bool, err error) {
	main := mainOf(f)
	if main == nil {
		return nil, nil, fmt.Errorf("%s has no main", f.Name)
	}
	src, missing := f.Original(), map[int]bool{}
	before, after := map[[2]int]string{}, map[[2]int]string{}
	for i, e := range edits {
		at := [2]int{e.start, e.end}
		if a != nil {
			var ok bool
			if at[0], at[1], ok = a.rangeOf(e.start, e.end); !ok {
				missing[i+1] = true
				continue
			}
		}
		operand := string(src[at[0]:at[1]])
		before[at] += fmt.Sprintf("(%s == %d ? (typename std::remove_cv<typename std::remove_reference<decltype(%s)>::type>::type)(%s) : ", hostNumber, i+1, operand, e.with)
		after[at] += ")"
	}
	var insertions []insertion
	for at := range before {
		insertions = append(insertions, insertion{at[0], at[1] - at[0], before[at]}, insertion{at[1], at[0] - at[1], after[at]})
	}
	name, call := main.Declared.Child(parser.FieldDeclarator), ""
	switch list := f.Text(main.ParamList); {
	case len(main.Params) == 0 || strings.Join(strings.Fields(list), "") == "(void)":
	case len(main.Params) == 2 && strings.Contains(list, "const"):
		call = "argc, (const char **)argv"
	default:
		call = "argc, argv"
	}
	end := int(main.Body.End) - 1
	insertions = append(insertions, insertion{int(name.Start), 0, "smux_program_"})
	if !strings.HasPrefix(strings.TrimSpace(f.Text(main.Node)), "void") {
		insertions = append(insertions, insertion{end, 0, "return 0;\n"})
	}
	call = fmt.Sprintf("smux_program_main(%s)", call)
	if strings.HasPrefix(strings.TrimSpace(f.Text(main.Node)), "void") {
		call += ", 0"
	}
	head := "#include <cstdlib>\n#include <type_traits>\nstatic int " + hostNumber + ";\n"
	tail := fmt.Sprintf("\nint main(int argc, char **argv)\n{\n    %s = argc > 1 ? atoi(argv[argc - 1]) : 0;\n    argv[--argc] = nullptr;\n    return %s;\n}\n", hostNumber, call)
	return slices.Concat([]byte(head), inserted(src, insertions), []byte(tail)), missing, nil
}

// mainOf returns the definition of a file's main, nil if there is none.
func mainOf(f *parser.File) *parser.Function {
	for _, fn := range f.Functions {
		if fn.Name == "main" && fn.Class == "" && fn.Body != nil && len(fn.Params) <= 2 {
			return fn
		}
	}
	return nil
}

// Replacement returns the edit that turns one piece of a file's text, which occurs once, into another.
// Only the tokens that differ are replaced, so that the rest need not stand side by side in emitted text.
func Replacement(f *parser.File, from, to string) (HostEdit, error) {
	at, err := only(f, from)
	if err != nil {
		return HostEdit{}, err
	}
	a, b := words(from), words(to)
	first := 0
	for first < len(a)-1 && first < len(b)-1 && a[first].text == b[first].text {
		first++
	}
	last := 0
	for last < len(a)-1-first && last < len(b)-1-first && a[len(a)-1-last].text == b[len(b)-1-last].text {
		last++
	}
	if first > 0 && (last == len(a)-1-first && a[first].Kind == parser.TokenPunct) {
		first-- // a name or number finds its place, punctuation does not
	}
	left, right := a[first], b[first]
	return HostEdit{Kind: OfValue, Pos: f.Position(at), Text: from + " becomes " + to, File: f.Name,
		start: at + left.Start, end: at + a[len(a)-1-last].End, with: to[right.Start:b[len(b)-1-last].End], within: [2]int{at, at + len(from)}}, nil
}

// Addition returns the edit that adds a statement after another one, which occurs once.
func Addition(f *parser.File, after, statement string) (HostEdit, error) {
	at, err := only(f, after)
	return HostEdit{Kind: OfLaunch, Pos: f.Position(at), Text: statement + " is added", File: f.Name,
		start: at, end: at + len(after), with: statement, added: true}, err
}

// only returns where a piece of a file's text is that occurs once outside of comments.
func only(f *parser.File, piece string) (int, error) {
	text, found := string(f.Original()), []int{}
	for _, w := range words(text) {
		if strings.HasPrefix(text[w.Start:], piece) {
			found = append(found, w.Start)
		}
	}
	if len(found) != 1 {
		return 0, fmt.Errorf("%q stands %d times in %s", piece, len(found), f.Name)
	}
	return found[0], nil
}
