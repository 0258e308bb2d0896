package targets

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/project"
)

// built holds what a compilation database tells of the GPUs that are meant.
type built struct {
	archs []string
	of    string          // whose they are, for a remark: "" where there is nothing else
	told  map[string]bool // architectures that were remarked on, nil where none was
}

// Boards returns the GPUs that stand for architectures, each once, and the names that
// the table has nothing for.
func Boards(table *gpu.Table, architectures []string) (out []*gpu.GPU, unknown []string) {
	for _, name := range architectures {
		found, err := table.Lookup(name)
		if err != nil || !project.IsArchitecture(name) { // "-arch arm64" means no GPU, and neither does "-arch t4"
			unknown = append(unknown, name)
			continue
		}
		out = append(out, found)
	}
	return distinct(out), unknown
}

// builtGPUs returns the GPUs of a compilation database, with a remark.
func (f Finder) builtGPUs(table *gpu.Table, b built) []*gpu.GPU {
	out, unknown := Boards(table, b.archs)
	unknown = slices.DeleteFunc(unknown, func(name string) bool { return b.told[name] })
	if len(unknown) > 0 {
		for _, name := range unknown {
			if b.told != nil {
				b.told[name] = true
			}
		}
		f.Console.Remark("the compilation database asks for %s, for which smux knows no GPU", strings.Join(unknown, ", "))
	}
	if len(out) > 0 {
		f.Console.Remark("GPUs from the compilation database%s: %s", b.of, strings.Join(Names(out), ", "))
	}
	return out
}

// Names returns the names of GPUs, in their order.
func Names(gpus []*gpu.GPU) []string {
	out := make([]string, len(gpus))
	for i, g := range gpus {
		out[i] = g.Name
	}
	return out
}

// otherPrograms tells whose GPUs are meant, of several programs.
func otherPrograms(first string, n int) string {
	if n == 1 {
		return " for " + first
	}
	return " for " + first + " and " + prose.Count(n-1, "more program")
}
