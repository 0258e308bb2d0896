package project

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/smux-cuda/smux/parser"
)

// DiffName returns the name of a file in a diff's header: its path relative to the
// root of the git repository that holds it, else to the working directory,
// else (a file outside of both) to the root of the file system. `git apply`
// run from there finds the file.
func DiffName(name string) string {
	if name == parser.StdinName {
		return "stdin"
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return filepath.ToSlash(name)
	}
	root := filepath.VolumeName(abs) + string(filepath.Separator)
	wd, _ := os.Getwd()
	for _, base := range []string{Repository(filepath.Dir(abs)), wd, root} {
		if rel, ok := pathBelow(base, abs); ok {
			return rel
		}
	}
	return filepath.ToSlash(abs)
}

// RepositoryPath returns the path of a file from the root of the repository in which smux
// runs, where it lies there, and else its absolute path; without a repository, the
// working directory is the root. It is what tools that know the repository alone are
// told: unlike DiffName, it names a file of a submodule from the top.
func RepositoryPath(name string) string {
	if name == parser.StdinName {
		return "stdin"
	}
	abs, err := filepath.Abs(name)
	wd, wdErr := os.Getwd()
	if err != nil || wdErr != nil {
		return filepath.ToSlash(name)
	}
	root := Repository(wd)
	root = cmp.Or(root, wd)
	// The same folder may be reached by another way, as where a checkout is a link.
	for _, by := range [][2]string{{root, abs}, {Resolved(root), Located(abs)}} {
		if rel, ok := pathBelow(by[0], by[1]); ok {
			return rel
		}
	}
	return filepath.ToSlash(abs)
}

// pathBelow returns the path of a file from a folder, with slashes; ok is false where it
// does not lie below it, or there is no folder.
func pathBelow(dir, file string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, file)
	if dir == "" || err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
