package rewrite

import (
	"path/filepath"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// DependentFiles parts the changed files into groups that must be written together: a rewritten kernel has a new
// signature, so the file that defines it, those that declare it and those that launch it stand or fall as one. So do
// a file and the changed headers it includes. Groups and the files in them keep the order of the result.
func DependentFiles(prog *parser.Program, result *Result) [][]FileResult {
	rewritten := map[string]bool{}
	for _, k := range result.Kernels {
		if k.Rewriter != "" {
			rewritten[k.Name] = true
		}
	}
	parsed := map[string]*parser.File{}
	for _, f := range prog.Files {
		parsed[f.Name] = f
	}

	var groups [][]FileResult
	groupOf := map[string]int{} // what ties files together -> index in groups
	for _, f := range result.Files {
		keys := ties(f.Name, parsed[f.Name], rewritten)
		home := -1
		for _, key := range keys {
			g, ok := groupOf[key]
			switch {
			case !ok || g == home:
			case home < 0:
				home = g
			default: // this file ties two groups together
				from, to := max(g, home), min(g, home)
				groups[to] = append(groups[to], groups[from]...)
				groups[from] = nil
				for k, at := range groupOf {
					if at == from {
						groupOf[k] = to
					}
				}
				home = to
			}
		}
		if home < 0 {
			home = len(groups)
			groups = append(groups, nil)
		}
		groups[home] = append(groups[home], f)
		for _, key := range keys {
			groupOf[key] = home
		}
	}
	return lists.Filter(groups, func(g []FileResult) bool { return len(g) > 0 })
}

// ties lists what a file shares with those it depends on: its own path, the
// paths it includes, and the rewritten kernels that it names.
func ties(name string, f *parser.File, rewritten map[string]bool) []string {
	keys := []string{"file " + filepath.Clean(name)}
	if f == nil {
		return keys
	}
	for _, inc := range f.Includes {
		if inc.File != "" {
			keys = append(keys, "file "+filepath.Clean(inc.File))
		}
	}
	for _, fn := range f.Functions {
		if rewritten[fn.Name] {
			keys = append(keys, "kernel "+fn.Name)
		}
	}
	for _, l := range f.Launches {
		if rewritten[l.Kernel] {
			keys = append(keys, "kernel "+l.Kernel)
		}
	}
	return keys
}
