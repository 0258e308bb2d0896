package cmd

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/compdb"
)

// load parses the named files into one program. A file that cannot be read is
// reported and left out; the error is for what stops the whole command. The
// options are those under which the program as a whole was read: those of the
// command line, of the settings that count, and of all its files.
func (s *session) load(args []string, in inputFlags) (*parser.Program, parser.Options, error) {
	args, err := s.fileArguments(args)
	if err != nil {
		return nil, parser.Options{}, err
	}
	set, err := in.config.of(s, args)
	if err != nil {
		return nil, parser.Options{}, err
	}
	how, err := s.readingWith(in, set)
	if err != nil {
		return nil, how.base, err
	}
	prog, opt := s.loadProgram(args, how)
	return prog, opt, nil
}

// fileArguments are the files that were named, standard input where none was.
func (s *session) fileArguments(args []string) ([]string, error) {
	if len(args) > 0 {
		return args, nil
	}
	if s.IsTerminal(s.Stdin) {
		return nil, diag.Usagef(`name CUDA files or folders, or "-" for standard input`, "no files")
	}
	return []string{"-"}, nil
}

// reading is how files are read: the options of the command line, and what a
// compilation database says of single files.
type reading struct {
	base     parser.Options
	commands compdb.Database // nil for no database
	build    *project.BuildFiles
}

// reading reads the compilation database, if there is one.
func (in *inputFlags) reading() (reading, error) {
	how := reading{base: parser.Options{IncludeDirs: in.includes, Defines: in.defines, Trees: parser.NewTrees()}, build: project.NewBuildFiles()}
	if in.compileCommands == "" {
		return how, nil
	}
	var err error
	how.commands, err = compdb.Read(in.compileCommands)
	return how, err
}

// options are what a file is read with: what the compilation database says of it, or
// where there is none, what the build files beside it say, behind the folders of the
// command line.
func (how reading) options(name string) parser.Options {
	if entry, ok := how.commands.Lookup(name); ok {
		return withEntry(entry, how.base)
	}
	if how.commands != nil {
		return how.base
	}
	return withBuildFolders(how.build, name, how.base)
}

func withBuildFolders(build *project.BuildFiles, name string, base parser.Options) parser.Options {
	if name != "-" {
		base.IncludeDirs = union(base.IncludeDirs, build.Folders(name))
	}
	return base
}

// loadProgram parses files into one program and returns the options for it as a
// whole.
func (s *session) loadProgram(names []string, how reading) (*parser.Program, parser.Options) {
	var files []*parser.File
	how.base.IncludeDirs = spelledLike(how.base.IncludeDirs, names)
	all := how.base // for headers: every folder that any of the files searches
	whole := how.base
	for _, name := range distinct(names) {
		opt := how.options(name)
		if how.commands != nil {
			opt = s.withCommand(how.commands, name, names, how.base)
			whole.Defines = union(whole.Defines, opt.Defines)
		}
		opt.IncludeDirs = spelledLike(opt.IncludeDirs, names)
		all.IncludeDirs = union(all.IncludeDirs, opt.IncludeDirs)
		err := diag.Guard(func() error {
			f, err := s.loadFile(name, opt)
			if err == nil {
				files = append(files, f)
			}
			return err
		})
		s.reportInput(name, err)
	}
	whole.IncludeDirs = all.IncludeDirs
	return parser.NewProgram(files, all), whole
}

// loadFile reads and parses one file, or standard input where it is "-".
func (s *session) loadFile(name string, opt parser.Options) (*parser.File, error) {
	if name == "-" {
		src, err := readLimited(s.Stdin)
		if err != nil {
			return nil, diag.Failed("reading standard input", err)
		}
		return parser.Parse(parser.StdinName, src, opt)
	}
	if project.IsFolder(name) {
		return nil, isDirectory(name)
	}
	src, err := readSource(name)
	if err != nil {
		return nil, err
	}
	return parser.Parse(name, src, opt)
}

// The codes of input that cannot even be read.
const (
	CodeMissingFile diag.Code = "missing-file"
	CodeDirectory   diag.Code = "is-directory"
	CodeUnreadable  diag.Code = "unreadable-file" // in documents; on stderr it is an I/O error
)

// readSource reads a file, telling what a person got wrong from what the
// system did.
func readSource(name string) ([]byte, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, &parser.InputError{Name: name, Code: CodeMissingFile, Text: "there is no such file"}
	}
	if err != nil {
		return nil, diag.Failed("reading "+name, diag.PlainCause(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, isDirectory(name)
	}
	src, err := readLimited(f)
	if err != nil {
		return nil, diag.Failed("reading "+name, diag.PlainCause(err))
	}
	return src, nil
}

// isDirectory is the error about a folder where a file is expected.
func isDirectory(name string) error {
	return &parser.InputError{Name: name, Code: CodeDirectory, Text: "this is a directory",
		Help: "name the files of one program, such as " + filepath.Join(project.Folder(name), "*.cu") + "; folders are for analyze, rewrite (with --verify, too), report and baseline"}
}

// readLimited reads everything, but not much more than the parser takes: what
// is longer is refused there.
func readLimited(r io.Reader) ([]byte, error) {
	return io.ReadAll(io.LimitReader(r, parser.MaxFileBytes+1))
}

// reportInput says why a file could not be read, keeps that for the document that may
// be printed, and notes the exit code.
func (s *session) reportInput(name string, err error) {
	var input *parser.InputError
	switch {
	case err == nil:
	case errors.As(err, &input):
		s.Note(diag.ExitUsage)
		s.Message(input.Message())
		s.Unread = append(s.Unread, input.Message())
	default:
		s.Fail(err)
		s.Unread = append(s.Unread, diag.Message{Pos: diag.Position{File: name}, Code: CodeUnreadable, Text: err.Error()})
	}
}

// withCommand adds what the compilation database says of a file to the options
// of the command line, which come first for includes and win for macros. A database
// has no headers: one is read as the first of the program's files that has a command.
func (s *session) withCommand(commands compdb.Database, name string, names []string, base parser.Options) parser.Options {
	entry, ok := commands.Lookup(name)
	for i := 0; !ok && parser.IsHeader(name) && i < len(names); i++ {
		entry, ok = commands.Lookup(names[i])
	}
	if !ok {
		if !parser.IsHeader(name) {
			s.Remark("%s is not in the compilation database, so only the command line's -I and -D count for it", name)
		}
		return base
	}
	return withEntry(entry, base)
}

// withEntry adds a command's options to those of the command line.
func withEntry(entry compdb.Command, base parser.Options) parser.Options {
	opt := base
	opt.IncludeDirs = append(append([]string(nil), base.IncludeDirs...), entry.Includes...)
	opt.Defines = append(append([]string(nil), entry.Defines...), base.Defines...)
	return opt
}

// union returns a and what b has beyond it.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// distinct drops names that were given before under another spelling of the
// same path: a file is in a program once.
func distinct(names []string) []string {
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

// stepsUp is how many ".." a path begins with.
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
