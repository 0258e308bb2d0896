package load

import (
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
)

// Files parses the named files into one program. A file that cannot be read is reported
// and left out; the error is for what stops the whole command. The options are those
// under which the program as a whole was read: those that were given, of the settings
// that count, and of all its files.
func Files(c *console.Console, args []string, opt Options) (*parser.Program, parser.Options, error) {
	args, err := Arguments(c, args)
	if err != nil {
		return nil, parser.Options{}, err
	}
	set, err := opt.Settings.For(c, args)
	if err != nil {
		return nil, parser.Options{}, err
	}
	how, err := opt.Reading(c, set)
	if err != nil {
		return nil, how.base, err
	}
	if how.python {
		args = withSourcesOfPython(args)
	}
	prog, whole := how.program(c, args)
	return prog, whole, nil
}

// withSourcesOfPython puts the files that sources of Python name in the place of these.
func withSourcesOfPython(names []string) (out []string) {
	for _, name := range names {
		if src, err := ReadSource(name); isPython(name) && err == nil {
			if named := SourcesOfPython(name, src); len(named) > 0 {
				out = append(out, named...)
				continue
			}
		}
		out = append(out, name)
	}
	return out
}

// Arguments returns the files that were named, standard input where none was and it is no
// terminal.
func Arguments(c *console.Console, args []string) ([]string, error) {
	if len(args) > 0 {
		return args, nil
	}
	if c.IsTerminal(c.Stdin) {
		return nil, diag.Usagef(`name CUDA files or folders, or "-" for standard input`, "no files")
	}
	return []string{"-"}, nil
}

// program parses files into one program and returns the options for it as a whole.
func (how Reading) program(c *console.Console, names []string) (*parser.Program, parser.Options) {
	mend(c, names)
	var files []*parser.File
	how.base.IncludeDirs = spelledLike(how.base.IncludeDirs, names)
	all := how.base // for headers: every folder that any of the files searches
	whole := how.base
	for _, name := range DistinctFiles(names) {
		opt := how.options(name)
		if how.Commands != nil {
			opt = how.withCommand(c, name, names)
			whole.Defines = union(whole.Defines, opt.Defines)
		}
		opt.IncludeDirs = spelledLike(opt.IncludeDirs, names)
		all.IncludeDirs = union(all.IncludeDirs, opt.IncludeDirs)
		err := diag.Guard(func() error {
			f, err := how.parseFile(c, name, opt)
			if err == nil {
				files = append(files, f)
			}
			return err
		})
		ReportUnread(c, name, err)
	}
	whole.IncludeDirs = all.IncludeDirs
	prog := parser.NewProgram(files, all)
	prog.Beside, prog.Usual = beside(names, whole), how.usualLaunches(prog)
	return prog, whole
}

// parseFile reads and parses one file, or standard input where it is "-".
func (how Reading) parseFile(c *console.Console, name string, opt parser.Options) (*parser.File, error) {
	if name == "-" {
		src, err := readLimited(c.Stdin)
		if err != nil {
			return nil, diag.Failed("reading standard input", err)
		}
		return parser.Parse(parser.StdinName, src, opt)
	}
	if project.IsFolder(name) {
		return nil, FolderError(name)
	}
	src, err := ReadSource(name)
	if err != nil {
		return nil, err
	}
	if how.python && isPython(name) {
		src = CUDAInPython(src)
	}
	return parser.Parse(name, src, opt)
}
