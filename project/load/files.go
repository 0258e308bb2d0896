// Package load is the first step of the pipeline load, analyse, prove, decide, apply, check, deliver: it finds the
// files that arguments name, parts those of folders into programs, and parses each program as its build would read
// it. What a person gave counts first, then .smux.yaml, then a compilation database, and where there is none the
// build files beside the sources.
//
// A file that cannot be read does not stop the others: it is reported on the console,
// which notes the exit code and keeps the message for documents. Kernels are selected
// here by name alone; whether anything can be done with them is for later steps.
package load

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
)

// Files parses the named files into one program. A file that cannot be read is reported and left out; the error is
// for what stops the whole command. The options are those under which the program as a whole was read: those that
// were given, of the settings that count, and of all its files.
func Files(c *console.Console, args []string, opt Options) (*parser.Program, parser.Options, error) {
	p, err := One(c, args, opt)
	if err != nil {
		return nil, parser.Options{}, err
	}
	prog, whole := p.Read(c)
	return prog, whole, nil
}

// One returns the named files as one program, with the settings that count for it.
func One(c *console.Console, args []string, opt Options) (*Program, error) {
	args, err := Arguments(c, args)
	if err != nil {
		return nil, err
	}
	set, err := opt.Settings.For(c, args)
	if err != nil {
		return nil, err
	}
	how, err := opt.Reading(c, set)
	if err != nil {
		return nil, err
	}
	if how.python {
		args = withSourcesOfPython(args)
	}
	return &Program{Files: args, Settings: set, how: how, shares: true, alone: opt.Alone}, nil
}

// Read parses the files of a program. Those that cannot be read are reported and left out.
func (p *Program) Read(c *console.Console) (*parser.Program, parser.Options) {
	prog, opt := p.how.programWithIncluded(c, p.Files, p.Tree || p.alone)
	for _, name := range p.Sources {
		opt.IncludeDirs = union(opt.IncludeDirs, p.how.options(name).IncludeDirs)
	}
	return prog, opt
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

// Arguments returns the files that were named, standard input where none was and it is no terminal.
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
		opt := how.optionsIn(c, name, names)
		whole.Defines, whole.Flags = union(whole.Defines, opt.Defines), withFlags(whole.Flags, opt.Flags)
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
	prog.Beside, prog.Usual = beside(names, prog, whole), how.usualLaunches(prog)
	return prog, whole
}

// programWithIncluded is program with the files that hold kernels and that the named ones include from
// beside them, as those they include do: who names main.cu means the kernels that it is made of.
func (how Reading) programWithIncluded(c *console.Console, names []string, alone bool) (*parser.Program, parser.Options) {
	prog, whole := how.program(c, names)
	if alone {
		return prog, whole
	}
	more := includedFromBeside(prog)
	if len(more) == 0 {
		return prog, whole
	}
	return how.program(c, append(slices.Clone(names), more...))
}

// includedFromBeside lists the files with kernels that the files of a program include as "…" from
// where they lie themselves, and those that these include in that way.
func includedFromBeside(prog *parser.Program) (out []string) {
	seen := map[string]bool{}
	for files := prog.Files; len(files) > 0; {
		f := files[0]
		files = files[1:]
		for _, inc := range f.Includes {
			h := prog.Headers[inc.File]
			if h == nil || inc.System || seen[inc.File] || !parser.IsCUDA(h.Name) || filepath.ToSlash(filepath.Join(filepath.Dir(f.Name), inc.Path)) != inc.File {
				continue
			}
			seen[inc.File] = true
			files = append(files, h)
			if kernelsOf(h) > 0 {
				out = append(out, h.Name)
			}
		}
	}
	return out
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
	read := how.base.ReadFile
	if read == nil {
		read = ReadSource
	}
	src, err := read(name)
	if err != nil {
		return nil, err
	}
	if how.python && isPython(name) {
		src = CUDAInPython(src)
	}
	return parser.Parse(name, src, opt)
}

// mostBeside and mostBesideBytes bound what is read beside the files of a program: a guess is not worth more.
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

// The codes of input that cannot even be read.
const (
	CodeMissingFile diag.Code = "missing-file"
	CodeDirectory   diag.Code = "is-directory"
	CodeUnreadable  diag.Code = "unreadable-file" // in documents; on stderr it is an I/O error
)

// ReadSource reads a file. The error is a *parser.InputError for what a person got wrong,
// a *diag.Failure for what the system did.
func ReadSource(name string) ([]byte, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, &parser.InputError{Name: name, Code: CodeMissingFile, Text: "there is no such file"}
	}
	if err != nil {
		return nil, diag.Failed("reading "+name, diag.PlainCause(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, FolderError(name)
	}
	src, err := readLimited(f)
	if err != nil {
		return nil, diag.Failed("reading "+name, diag.PlainCause(err))
	}
	return src, nil
}

// FolderError is the error about a folder where a file is expected.
func FolderError(name string) error {
	return &parser.InputError{Name: name, Code: CodeDirectory, Text: "this is a directory",
		Help: "name the files of one program, such as " + filepath.Join(project.Folder(name), "*.cu") + "; folders are for analyze, rewrite, report, occupancy, check, verify, validate and baseline"}
}

// readLimited reads everything, but not much more than the parser takes: what is longer is refused there.
func readLimited(r io.Reader) ([]byte, error) {
	return io.ReadAll(io.LimitReader(r, parser.MaxFileBytes+1))
}

// ReportUnread says why a file could not be read, keeps that for the document that may
// be printed, and notes the exit code; nothing where err is nil.
func ReportUnread(c *console.Console, name string, err error) {
	var input *parser.InputError
	switch {
	case err == nil:
	case errors.As(err, &input):
		reportMessage(c, input.Message())
	default:
		c.Fail(err)
		c.Unread = append(c.Unread, diag.Message{Pos: diag.Position{File: name}, Code: CodeUnreadable, Text: err.Error()})
	}
}

// reportMessage says what is wrong with an input, notes the exit code and keeps the
// message for the document that may be printed.
func reportMessage(c *console.Console, m diag.Message) {
	c.Note(diag.ExitUsage)
	c.Message(m)
	c.Unread = append(c.Unread, m)
}

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

// spelledLike makes folders absolute or relative as the names of files are: a file that is named must be the same as
// the one that is found in a folder. Folders that lie farther up than all of the files stay as they are.
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
