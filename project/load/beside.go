package load

import (
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
)

// mostBeside and mostBesideBytes bound what is read beside the files of a program: a guess is
// not worth more.
const (
	mostBeside      = 32
	mostBesideBytes = 256 << 10
)

// beside returns what reads the host sources in the folders of a program's files, once, with the headers
// that lie where they say, and, of those that are searched for, with what lies beside them or the program includes, too. What cannot be read or parsed is left out: nothing but
// guesses rests on these files.
func beside(files []string, of *parser.Program, opt parser.Options) func() *parser.Program {
	return sync.OnceValue(func() *parser.Program {
		var paths, folders []string
		for _, f := range files {
			if dir := filepath.Dir(f); f != "-" && !slices.Contains(folders, dir) {
				folders = append(folders, dir)
			}
		}
		for _, dir := range folders {
			entries, err := os.ReadDir(dir)
			if err != nil {
				continue
			}
			for _, e := range entries {
				info, err := e.Info()
				if err == nil && e.Type().IsRegular() && project.IsHostSource(e.Name()) && info.Size() <= mostBesideBytes && len(paths) < mostBeside {
					paths = append(paths, filepath.Join(dir, e.Name()))
				}
			}
		}
		if len(paths) == 0 {
			return nil
		}
		opt.Searches = func(name string) bool {
			return of.Headers[filepath.ToSlash(name)] != nil || slices.Contains(folders, filepath.Dir(name))
		}
		prog, _ := parser.LoadProgram(paths, opt)
		prog.Files = prog.All() // what their headers define counts as what stands in them
		return prog
	})
}
