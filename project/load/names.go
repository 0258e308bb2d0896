package load

import (
	"path/filepath"
	"slices"
	"strings"
)

// DistinctFiles drops names that were given before under another spelling of the
// same path: a file is in a program once.
func DistinctFiles(names []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, name := range names {
		key := name
		if abs, err := filepath.Abs(name); err == nil && name != "-" {
			key = abs
		}
		if !seen[key] {
			seen[key] = true
			out = append(out, name)
		}
	}
	return out
}

// spelledLike makes folders absolute or relative as the names of files are: a file
// that is named must be the same as the one that is found in a folder. Folders that
// lie farther up than all of the files stay as they are.
func spelledLike(dirs, names []string) []string {
	here, err := filepath.Abs(".")
	if err != nil {
		return dirs
	}
	absolute := slices.ContainsFunc(names, filepath.IsAbs)
	most := 0
	for _, name := range names {
		most = max(most, stepsUp(name))
	}
	out := slices.Clone(dirs)
	for i, dir := range out {
		switch relative, err := filepath.Rel(here, dir); {
		case absolute && !filepath.IsAbs(dir):
			out[i] = filepath.Join(here, dir)
		case !absolute && filepath.IsAbs(dir) && err == nil && stepsUp(relative) <= most:
			out[i] = relative
		}
	}
	return out
}

// stepsUp returns how many ".." a path begins with.
func stepsUp(path string) int {
	n := 0
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Clean(path)), "/") {
		if part != ".." {
			break
		}
		n++
	}
	return n
}
