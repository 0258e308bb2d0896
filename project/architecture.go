package project

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// compiledFor holds what a command line says of architectures, each option as it is
// written: a later --gpu-architecture or --gpu-code replaces an earlier one, and
// --generate-code adds to them. See "Options for Steering GPU Code Generation" in
// nvcc's manual.
type compiledFor struct {
	arch, code []string // -arch and -code
	generated  []string // by -gencode, and clang's --cuda-gpu-arch
}

// The spellings of the options that name architectures.
var (
	archOptions    = []string{"-arch", "--gpu-architecture", "-gpu-architecture"}
	codeOptions    = []string{"-code", "--gpu-code", "-gpu-code"}
	gencodeOptions = []string{"-gencode", "--generate-code", "-generate-code"}
	clangArch      = []string{"--cuda-gpu-arch", "--offload-arch"}
)

// architecture is the name of a real or a virtual one: PTX runs on what it is named
// after at the least.
var architecture = regexp.MustCompile(`^(?:sm|compute|lto)_([0-9]+)[af]?$`)

// IsArchitecture reports whether a word names an architecture, such as sm_75 or
// compute_80.
func IsArchitecture(word string) bool { return architecture.MatchString(word) }

// names returns the architectures, as sm_75, ascending, and words that name none as they
// are written. Words that mean what is in the machine, or all there are, name none.
func (c compiledFor) names() []string {
	asked := c.code // code is made for these alone
	if len(asked) == 0 {
		asked = c.arch
	}
	var out []string
	for _, word := range slices.Concat(asked, c.generated) {
		if m := architecture.FindStringSubmatch(word); m != nil {
			word = "sm_" + m[1]
		}
		switch word {
		case "", "native", "all", "all-major", "optixir":
		default:
			out = append(out, word)
		}
	}
	SortArchitectures(out)
	return slices.Compact(out)
}

// SortArchitectures puts names of architectures in ascending order: sm_90 before sm_100.
func SortArchitectures(names []string) {
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
}

// archList returns the words of a list: sm_75, or "[sm_80,compute_80]" with or without
// brackets and quotes.
func archList(text string) (out []string) {
	for word := range strings.SplitSeq(strings.Trim(text, `[]"'`), ",") {
		out = append(out, strings.Trim(word, ` []"'`))
	}
	return out
}

// generatedCode returns what arch=compute_80,code=[sm_80,compute_80] makes code for: for
// the virtual architecture where it has no code.
func generatedCode(text string) []string {
	values := map[string][]string{}
	key := ""
	for _, word := range archList(text) {
		if k, v, ok := strings.Cut(word, "="); ok {
			key, word = strings.TrimSpace(k), strings.Trim(v, ` []"'`)
		}
		values[key] = append(values[key], word)
	}
	if code := values["code"]; len(code) > 0 {
		return code
	}
	return values["arch"]
}

// Architectures returns those that any of some files is compiled for, as sm_75,
// ascending, and words that name none as they are written.
func (db Database) Architectures(files []string) []string {
	if db == nil {
		return nil
	}
	var out []string
	for _, name := range files {
		if c, ok := db.Lookup(name); ok {
			out = append(out, c.built.names()...)
		}
	}
	SortArchitectures(out)
	return slices.Compact(out)
}

// Below returns those of all files below a folder, which is absolute and without links.
func (db Database) Below(dir string) []string {
	var out []string
	for file, c := range db {
		if Within(file, []string{dir}) {
			out = append(out, c.built.names()...)
		}
	}
	SortArchitectures(out)
	return slices.Compact(out)
}
