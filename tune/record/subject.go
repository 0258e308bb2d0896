package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// Subject says what is tuned, on what, and how it is measured. Measurements of different subjects are never compared.
type Subject struct {
	Source string   `json:"source"`          // hash of the program's texts
	Files  []string `json:"files,omitempty"` // their names, for people; not part of the key
	Kernel string   `json:"kernel"`
	// Bench says how a kernel without a program is run, "" for a program, whose arguments are Args.
	Bench string   `json:"bench,omitempty"`
	Args  []string `json:"args,omitempty"`
	// Command is the --build and --run commands and the metric's expression, where these measure.
	Command []string `json:"command,omitempty"`
	Flags   []string `json:"flags,omitempty"` // of the compiler
	// Tuner is the other autotuner that measured, such as "KTT 2.1.0"; "" for smux. Each of its configurations stands beside
	// Base, the first of them that ran, which takes the place of the original.
	Tuner string        `json:"tuner,omitempty"`
	Base  Configuration `json:"base,omitempty"`
	// Problem is the size of the problem in each dimension, in elements, where the tuner says it.
	Problem []int    `json:"problem,omitempty"`
	Machine Machine  `json:"machine"`
	How     Protocol `json:"how"`
}

type Machine struct {
	// On is "gpu", "cpu" (times of the CPU engine say nothing of a GPU), "model" (made-up times) or "command".
	On      string `json:"on"`
	GPU     string `json:"gpu"`               // as smux --gpu takes it: what predictions are for
	Device  string `json:"device,omitempty"`  // the product's name, as nvidia-smi gives it
	Driver  string `json:"driver,omitempty"`  // its version
	Toolkit string `json:"toolkit,omitempty"` // the compiler and its version
}

// Runs reports whether anything runs there: a model makes up times and outputs.
func (m Machine) Runs() bool { return m.On != "model" }

// Measures reports whether times of a GPU, or of a command that says so, are measured there.
func (m Machine) Measures() bool { return m.On == "gpu" || m.On == "command" }

type Protocol struct {
	WarmUp  int  `json:"warmUp"`            // runs, or repetitions within a run, that don't count
	Inner   int  `json:"inner,omitempty"`   // repetitions within one run, of a kernel that is run alone
	FlushL2 bool `json:"flushL2,omitempty"` // before each launch
	// Stopped says that the search times one launch, again and again in the stopped program; whole programs confirm.
	Stopped bool `json:"stopped,omitempty"`
}

func (s Subject) Key() string {
	s.Files = nil
	return hash(s)
}

// Key returns the key of a variant. Another version of smux that writes another text measures anew.
func (v MeasuredVariant) Key() string {
	return hash(struct {
		Subject, Candidate, Text string
	}{v.Subject.Key(), v.Candidate.String(), v.Text})
}

func hash(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain data
	}
	return Digest(text)[:32]
}

// Digest returns the SHA-256 of a text in hexadecimal digits.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// HashSource returns 32 hexadecimal digits of a program's texts, whatever their order and names, which depend on the folder.
func HashSource(texts map[string][]byte) string {
	var lines []string
	for _, text := range texts {
		lines = append(lines, Digest(text)+"\n")
	}
	slices.Sort(lines)
	return Digest([]byte(strings.Join(lines, "")))[:32]
}

// HashTexts is HashSource with the flags that a program is compiled with.
func HashTexts(texts map[string][]byte, flags []string) string {
	return Digest(fmt.Appendf(nil, "%s %q\n", HashSource(texts), flags))[:32]
}

// HashProgram is HashTexts of a program as it is written, with the headers that were found.
func HashProgram(prog *parser.Program) string {
	texts := prog.Texts()
	for name, f := range prog.Headers {
		texts[name] = f.Src
	}
	return HashTexts(texts, nil)
}

// CompilerFlags returns those that change what is compiled: the macros that a program is read with.
func CompilerFlags(parse parser.Options) []string {
	return lists.Map(parse.Defines, func(d string) string { return "-D" + d })
}

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
