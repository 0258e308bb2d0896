package cmd

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/plural"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/project/compdb"
)

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
		if err != nil || !compdb.IsArchitecture(name) { // "-arch arm64" means no GPU, and neither does "-arch t4"
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
