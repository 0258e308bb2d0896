package cmd

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/lazyregexp"
	"github.com/smux-cuda/smux/internal/plural"
	"github.com/smux-cuda/smux/model/gpu"
)

// compiledFor is what a command line says of architectures, each option as it is
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
var architecture = lazyregexp.New(`^(?:sm|compute|lto)_([0-9]+)[af]?$`)

// names are the architectures, as sm_75, ascending, and words that name none as they
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
	sortArchitectures(out)
	return slices.Compact(out)
}

// sortArchitectures puts sm_90 before sm_100.
func sortArchitectures(names []string) {
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
}

// archList are the words of a list: sm_75, or "[sm_80,compute_80]" with or without
// brackets and quotes.
func archList(text string) (out []string) {
	for word := range strings.SplitSeq(strings.Trim(text, `[]"'`), ",") {
		out = append(out, strings.Trim(word, ` []"'`))
	}
	return out
}

// generatedCode is what arch=compute_80,code=[sm_80,compute_80] makes code for: for
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

// architectures are those that any of some files is compiled for, ascending.
func (cc compileCommands) architectures(files []string) []string {
	if cc == nil {
		return nil
	}
	var out []string
	for _, name := range files {
		if c, ok := cc.lookup(name); ok {
			out = append(out, c.built.names()...)
		}
	}
	sortArchitectures(out)
	return slices.Compact(out)
}

// below are those of all files below a folder, ascending.
func (cc compileCommands) below(dir string) []string {
	var out []string
	for file, c := range cc {
		if inPaths(file, []string{dir}) {
			out = append(out, c.built.names()...)
		}
	}
	sortArchitectures(out)
	return slices.Compact(out)
}

// built are the GPUs that flags mean by what a compilation database says.
type built struct {
	archs []string
	of    string          // whose they are, for a remark: "" where there is nothing else
	told  map[string]bool // architectures that were remarked on, nil where none was
}

// gpus are the boards that stand for the architectures, and the names that the table
// has nothing for.
func (b built) gpus(table *gpu.Table) (out []*gpu.GPU, unknown []string) {
	for _, name := range b.archs {
		found, err := table.Lookup(name)
		if err != nil || !architecture.MatchString(name) { // "-arch arm64" means no GPU, and neither does "-arch t4"
			unknown = append(unknown, name)
			continue
		}
		out = append(out, found)
	}
	return distinctGPUs(out), unknown
}

// builtGPUs are the GPUs of a compilation database, with a remark.
func (s *session) builtGPUs(table *gpu.Table, b built) []*gpu.GPU {
	out, unknown := b.gpus(table)
	unknown = slices.DeleteFunc(unknown, func(name string) bool { return b.told[name] })
	if len(unknown) > 0 {
		for _, name := range unknown {
			if b.told != nil {
				b.told[name] = true
			}
		}
		s.Remark("the compilation database asks for %s, for which smux knows no GPU", strings.Join(unknown, ", "))
	}
	if len(out) > 0 {
		s.Remark("GPUs from the compilation database%s: %s", b.of, strings.Join(boardNames(out), ", "))
	}
	return out
}

func boardNames(gpus []*gpu.GPU) []string {
	out := make([]string, len(gpus))
	for i, g := range gpus {
		out[i] = g.Name
	}
	return out
}

// otherPrograms says whose GPUs are meant, of several programs.
func otherPrograms(first string, n int) string {
	if n == 1 {
		return " for " + first
	}
	return " for " + first + " and " + plural.Count(n-1, "more program")
}
