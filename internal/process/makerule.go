package process

import "strings"

// Prerequisites reads a rule for make in which a compiler lists the files that it has read
// (gcc and clang -MMD, nvcc -MD): the file names after the colon, in their order and
// with make's escapes undone; none where text holds no rule. A target that
// holds ": " is not understood; compilers write none.
func Prerequisites(text string) []string {
	text = strings.NewReplacer("\\\r\n", " ", "\\\n", " ").Replace(text)
	_, list, ok := strings.Cut(text, ": ")
	if !ok {
		return nil
	}
	var out []string
	var name strings.Builder
	flush := func() {
		if name.Len() > 0 {
			out = append(out, name.String())
			name.Reset()
		}
	}
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == '\\' && i+1 < len(list) && (list[i+1] == ' ' || list[i+1] == '#'):
			i++
			name.WriteByte(list[i])
		case c == '$' && i+1 < len(list) && list[i+1] == '$':
			i++
			name.WriteByte('$')
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
			flush()
		default:
			name.WriteByte(c)
		}
	}
	flush()
	return out
}
