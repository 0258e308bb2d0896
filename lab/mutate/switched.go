package mutate

import (
	"bytes"
	"fmt"
	"sort"

	"github.com/smux-cuda/smux/parser"
)

// number is the variable that selects which mutant a program is.
const number = "smux_mutant"

// declaration stands in front of all else. Constant memory is where the device
// may read it.
const declaration = "static __constant__ int " + number + ";\n"

// mainText takes the number of the mutant off the arguments and does what the
// program's own main did.
const mainText = `
int main(int argc, char **argv)
{
    const int mutant = argc > 1 ? atoi(argv[argc - 1]) : 0;
    if (cudaMemcpyToSymbol(` + number + `, &mutant, sizeof mutant) != cudaSuccess) return 99;
    argv[--argc] = nullptr;
    return smux_program_main(argc, argv);
}
`

// Switched returns a text that behaves as mutants[i-1] when its last argument
// is i, as the file itself for 0. The file's main must take argc and argv.
func Switched(f *parser.File, mutants []Mutant) ([]byte, error) {
	var edits []insertion
	for i, m := range mutants {
		before, after := fmt.Sprintf("(%s == %d ? %s : ", number, i+1, m.with), ")"
		switch { // Braces: an else after the statement must not become this if's.
		case m.statement:
			before, after = fmt.Sprintf("{ if (%s == %d) { %s } else ", number, i+1, m.with), " }"
		case m.with == "":
			before, after = fmt.Sprintf("{ if (%s != %d) ", number, i+1), " }"
		}
		edits = append(edits, insertion{m.start, m.end - m.start, before}, insertion{m.end, m.start - m.end, after})
	}
	main := mainOf(f)
	if main == nil || len(main.Params) != 2 {
		return nil, fmt.Errorf("%s has no main that takes arguments", f.Name)
	}
	name := main.Declared.Child(parser.FieldDeclarator)
	// A main may end without a return, another function may not.
	edits = append(edits, insertion{int(name.Start), 0, "smux_program_"}, insertion{int(main.Body.End) - 1, 0, "return 0; "})
	return append(append([]byte(declaration), inserted(f.Src, edits)...), mainText...), nil
}

// inserted returns a text with insertions.
func inserted(text []byte, edits []insertion) []byte {
	// At one place, ranges that end come before those that begin; of those that
	// begin the longer one is outside, and of those that end the shorter one is
	// inside.
	sort.SliceStable(edits, func(i, j int) bool {
		a, b := edits[i], edits[j]
		if a.at != b.at {
			return a.at < b.at
		}
		if (a.extent < 0) != (b.extent < 0) {
			return a.extent < 0
		}
		return a.extent > b.extent
	})
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(text[at:e.at])
		out.WriteString(e.text)
		at = e.at
	}
	out.Write(text[at:])
	return out.Bytes()
}

// insertion is text that goes around a range: extent is the range's length at
// its start, and the negative of that at its end.
type insertion struct {
	at, extent int
	text       string
}
