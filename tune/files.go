package tune

import (
	"os"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/load"
)

// Split parts named files into CUDA and what is compiled or linked with it. It refuses standard input and folders.
func Split(c *console.Console, names []string) (files, further []string, err error) {
	for _, name := range names {
		if name == "-" {
			return nil, nil, diag.Usagef("name a file", "a program to run must be in files, not on standard input")
		}
		if project.IsFolder(name) {
			load.ReportUnread(c, name, load.FolderError(name))
			return nil, nil, diag.ErrReported
		}
		if parser.IsCUDA(name) {
			files = append(files, name)
			continue
		}
		if _, err := os.Stat(name); err != nil {
			return nil, nil, diag.Usagef("name the files of a program", "%s can't be compiled or linked", name)
		}
		further = append(further, name)
	}
	if len(files) == 0 {
		return nil, nil, diag.Usagef("name the .cu files of the program", "no CUDA file was named")
	}
	return files, further, nil
}
