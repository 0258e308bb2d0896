package combine

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Pack joins programs into one file, each in a namespace of its own, w0_, w1_ and
// so on, so that a compiler reads the headers once for all of them. Their
// includes come first; their macros end with them; main is called otherwise.
// What the compiler says names the part, part-0.cu, and its line there.
//
// It is good for programs of one file that don't change what their headers mean
// by macros, and that use no namespace of this name.
func Pack(programs [][]byte) []byte {
	var includes []string
	var parts strings.Builder
	for i, text := range programs {
		var macros []string
		fmt.Fprintf(&parts, "namespace w%d_ {\n#line 1 \"part-%d.cu\"\n", i, i)
		for line := range strings.Lines(string(text)) {
			switch m := directive.FindStringSubmatch(line); {
			case m == nil:
				parts.WriteString(mainFunction.ReplaceAllString(line, "int ${1}_of_part("))
			case m[1] == "include":
				if include := strings.TrimSpace(line); !slices.Contains(includes, include) {
					includes = append(includes, include)
				}
				parts.WriteString("\n") // the lines after keep their numbers
			default:
				macros = append(macros, m[2])
				parts.WriteString(line)
			}
		}
		parts.WriteString("\n")
		for _, name := range macros {
			fmt.Fprintf(&parts, "#undef %s\n", name)
		}
		fmt.Fprintf(&parts, "}  // namespace w%d_\n", i)
	}
	return []byte(strings.Join(includes, "\n") + "\n" + parts.String())
}

// Part returns the number of the program that a packed kernel is from, by its
// mangled name; ok is false for any other name.
func Part(mangled string) (part int, ok bool) {
	m := partOfKernel.FindStringSubmatch(mangled)
	if m == nil {
		return 0, false
	}
	part, err := strconv.Atoi(m[1])
	return part, err == nil
}

var (
	directive    = regexp.MustCompile(`^\s*#\s*(include|define)\s+(\w+|\S)`)
	mainFunction = regexp.MustCompile(`^int (main)\(`)
	partOfKernel = regexp.MustCompile(`^_ZN\d+w(\d+)_`)
)
