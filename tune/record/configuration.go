package record

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
)

// Configuration is values of macros that a kernel's source leaves open, as autotuners choose them. It is written
// "block_size_x=16 use_shmem=1", in the tuner's order; a name or a value with anything but letters, digits and .+-_ is
// quoted as in Go. Equal configurations of one tuner are equal as strings. "" is none.
type Configuration string

// plain matches names and values that stand as they are.
var plain = regexp.MustCompile(`^[0-9a-zA-Z.+_-]+$`)

// Constant is one of them. A truth value is "1" or "0", as the macro has it.
type Constant struct{ Name, Value string }

func NewConfiguration(of []Constant) Configuration {
	words := lists.Map(of, func(c Constant) string { return quoted(c.Name) + "=" + quoted(c.Value) })
	return Configuration(strings.Join(words, " "))
}

// constant matches one of them as it is written.
var constant = regexp.MustCompile(`("(?:[^"\\]|\\.)*"|[^ ="]+)=("(?:[^"\\]|\\.)*"|[^ ="]+)`)

// Constants returns what NewConfiguration was given. Of a text that it has not written ok is false.
func (c Configuration) Constants() (out []Constant, ok bool) {
	unquoted := func(word string) string {
		if s, err := strconv.Unquote(word); err == nil {
			return s
		}
		return word
	}
	out = lists.Map(constant.FindAllStringSubmatch(string(c), -1), func(m []string) Constant { return Constant{unquoted(m[1]), unquoted(m[2])} })
	if NewConfiguration(out) != c {
		return nil, false
	}
	return out, true
}

func quoted(s string) string {
	if plain.MatchString(s) {
		return s
	}
	return strconv.Quote(s)
}
