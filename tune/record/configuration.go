package record

import (
	"strconv"
	"strings"
)

// Configuration is values of constants of a kernel that its source leaves open, as
// autotuners choose them: each is a macro that the compiler gets, and the shape of a
// thread block and of the grid may follow from some. It is written
// "block_size_x=16 use_shmem=1", in the tuner's order; a name or a value that holds
// anything but letters, digits and .+-_ is quoted as in Go. Equal configurations of one
// tuner are equal as strings. "" is none.
type Configuration string

// Constant is one of them. A truth value is "1" or "0", as the macro has it.
type Constant struct{ Name, Value string }

// NewConfiguration returns the configuration with these constants.
func NewConfiguration(of []Constant) Configuration {
	var out strings.Builder
	for i, c := range of {
		if i > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(quoted(c.Name) + "=" + quoted(c.Value))
	}
	return Configuration(out.String())
}

// Constants returns what NewConfiguration was given. Of a text that it has not written
// ok is false.
func (c Configuration) Constants() (out []Constant, ok bool) {
	rest := string(c)
	for rest != "" {
		var k Constant
		if len(out) > 0 {
			if rest, ok = strings.CutPrefix(rest, " "); !ok {
				return nil, false
			}
		}
		if k.Name, rest, ok = word(rest); !ok {
			return nil, false
		}
		if rest, ok = strings.CutPrefix(rest, "="); !ok {
			return nil, false
		}
		if k.Value, rest, ok = word(rest); !ok {
			return nil, false
		}
		out = append(out, k)
	}
	return out, true
}

func quoted(s string) string {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return strconv.Quote(s)
	}
	return s
}

func plain(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune(".+-_", r)
}

// word cuts what quoted has written off a text.
func word(text string) (word, rest string, ok bool) {
	if strings.HasPrefix(text, `"`) {
		prefix, err := strconv.QuotedPrefix(text)
		if err != nil {
			return "", "", false
		}
		word, err = strconv.Unquote(prefix)
		return word, text[len(prefix):], err == nil && quoted(word) == prefix
	}
	end := strings.IndexFunc(text, func(r rune) bool { return !plain(r) })
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:], end > 0
}
