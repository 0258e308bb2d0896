package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// Database holds what a compilation database (compile_commands.json) says of each file, by
// absolute path: the include folders, macros and GPU architectures that a build gives it. See
// https://clang.llvm.org/docs/JSONCompilationDatabase.html.
//
// Options that change nothing of how a file reads, or which GPUs it is for, are
// passed over; no compiler is run.
type Database map[string]CompileCommand

// CompileCommand is the part of one command line that changes how a file reads.
type CompileCommand struct {
	Includes []string // folders that are searched for includes, absolute
	Defines  []string // NAME or NAME=VALUE
	Flags    []string // those of nvcc that decide how code reads or computes, and no others
	built    compiledFor
}

// ReadDatabase reads a database, or the compile_commands.json in a
// folder. Where a file is compiled more than once, its first command counts.
func ReadDatabase(name string) (Database, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		name = filepath.Join(name, DatabaseName)
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, diag.Usagef("CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "%s: there is no such file", name)
	}
	if err != nil {
		return nil, diag.Failed("reading "+name, diag.PlainCause(err))
	}
	var entries []struct {
		Directory string   `json:"directory"`
		File      string   `json:"file"`
		Command   string   `json:"command"`
		Arguments []string `json:"arguments"`
	}
	if err := json.Unmarshal(data, &entries); err != nil {
		return nil, diag.Usagef("", "%s is not a compilation database: %w", name, err)
	}
	home, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return nil, diag.Failed("reading "+name, err)
	}
	commands := Database{}
	for i, e := range entries {
		if e.File == "" {
			return nil, diag.Usagef("", "%s is not a compilation database: entry %d names no file", name, i)
		}
		dir := absoluteIn(home, e.Directory)
		args := e.Arguments
		if len(args) == 0 {
			if args, err = splitCommand(e.Command); err != nil {
				return nil, diag.Usagef("", "%s: the command of %s: %w", name, e.File, err)
			}
		}
		file := absoluteIn(dir, e.File)
		if _, twice := commands[file]; twice {
			continue
		}
		var c CompileCommand
		c.add(dir, args, 0)
		commands[file] = c
	}
	return commands, nil
}

// Lookup finds the command of a file.
func (db Database) Lookup(name string) (CompileCommand, bool) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return CompileCommand{}, false
	}
	c, ok := db[abs]
	return c, ok
}

// The spellings of the options that count, with a separate or a joined value.
var (
	includeOptions = []string{"-I", "-isystem", "-iquote", "--include-path", "-include-path", "--system-include"}
	defineOptions  = []string{"-D", "--define-macro", "-define-macro"}
	undoOptions    = []string{"-U", "--undefine-macro", "-undefine-macro"}
	responseFiles  = []string{"--options-file", "-optf"}
)

// maxResponseDepth bounds response files that name each other.
const maxResponseDepth = 8

// undefine takes back a macro that was defined farther left.
func (c *CompileCommand) undefine(name string) {
	c.Defines = slices.DeleteFunc(c.Defines, func(d string) bool {
		defined, _, _ := strings.Cut(d, "=")
		return defined == name
	})
}

// add collects what counts of a command line that runs in dir.
// CMake puts them into response files, which are read too; one that is missing
// adds nothing.
func (c *CompileCommand) add(dir string, args []string, depth int) {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		value := func(options []string) (string, bool) {
			for _, o := range options {
				switch {
				case arg == o && len(args) > 0:
					v := args[0]
					args = args[1:]
					return v, true
				case strings.HasPrefix(arg, o+"="):
					return arg[len(o)+1:], true
				case len(o) == 2 && len(arg) > 2 && strings.HasPrefix(arg, o),
					o == "-isystem" && len(arg) > len(o) && strings.HasPrefix(arg, o):
					return arg[len(o):], true
				}
			}
			return "", false
		}
		if v, ok := value(includeOptions); ok {
			for folder := range strings.SplitSeq(v, ",") { // nvcc takes lists
				c.Includes = append(c.Includes, absoluteIn(dir, folder))
			}
		} else if v, ok := value(defineOptions); ok {
			c.Defines = append(c.Defines, v)
		} else if v, ok := value(undoOptions); ok {
			c.undefine(v)
		} else if v, ok := value(archOptions); ok {
			c.built.arch = archList(v)
		} else if v, ok := value(codeOptions); ok {
			c.built.code = archList(v)
		} else if v, ok := value(gencodeOptions); ok {
			c.built.generated = append(c.built.generated, generatedCode(v)...)
		} else if v, ok := value(clangArch); ok {
			c.built.generated = append(c.built.generated, archList(v)...)
		} else if v, ok := value(responseFiles); ok {
			c.addResponseFile(dir, v, depth)
		} else if v, ok := strings.CutPrefix(arg, "@"); ok {
			c.addResponseFile(dir, v, depth)
		} else if flag, used := nvccFlag(append([]string{arg}, args...)); used > 0 {
			c.Flags = AddFlag(c.Flags, flag)
			args = args[used-1:]
		}
	}
}

// addResponseFile adds the options that a response file holds.
func (c *CompileCommand) addResponseFile(dir, name string, depth int) {
	data, err := os.ReadFile(absoluteIn(dir, name))
	if err != nil || depth >= maxResponseDepth {
		return
	}
	if args, err := splitCommand(string(data)); err == nil {
		c.add(dir, args, depth+1)
	}
}

// absoluteIn returns a path as seen from dir.
func absoluteIn(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// splitCommand splits a command line as a POSIX shell does, as far as
// compilation databases need it: blanks, both quotes and the backslash.
func splitCommand(command string) ([]string, error) {
	var (
		args  []string
		word  strings.Builder
		open  bool // inside a word, which may still be empty
		quote byte // ' or " inside quotes, else 0
	)
	for i := 0; i < len(command); i++ {
		ch := command[i]
		switch {
		case quote == '\'' && ch != '\'':
			word.WriteByte(ch)
		case ch == '\\' && i+1 < len(command) &&
			(quote == 0 || strings.IndexByte("\"\\$`", command[i+1]) >= 0):
			i++
			word.WriteByte(command[i])
			open = true
		case quote != 0 && ch == quote:
			quote = 0
		case quote == 0 && (ch == '"' || ch == '\''):
			quote, open = ch, true
		case quote == 0 && strings.IndexByte(" \t\r\n", ch) >= 0:
			if open {
				args = append(args, word.String())
				word.Reset()
				open = false
			}
		default:
			word.WriteByte(ch)
			open = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote (%c) is not closed", quote)
	}
	if open {
		args = append(args, word.String())
	}
	return args, nil
}

// Nearest finds the command of a file or, where the database has none, that of the file that lies
// nearest to it: with most folders in common, then with the same ending, then with the longest common
// beginning of the name. It returns the absolute path of the file whose command that is.
func (db Database) Nearest(name string) (c CompileCommand, of string, ok bool) {
	abs, err := filepath.Abs(name)
	if err != nil || len(db) == 0 {
		return CompileCommand{}, "", false
	}
	if c, ok := db[abs]; ok {
		return c, abs, true
	}
	files := make([]string, 0, len(db))
	for file := range db {
		files = append(files, file)
	}
	slices.Sort(files)
	best := [3]int{-1}
	for _, file := range files {
		common := 0
		for common < min(len(file), len(abs)) && file[common] == abs[common] {
			common++
		}
		near := [3]int{strings.Count(abs[:common], string(filepath.Separator)), 0, common}
		if filepath.Ext(file) == filepath.Ext(abs) {
			near[1] = 1
		}
		if slices.Compare(near[:], best[:]) > 0 {
			best, of = near, file
		}
	}
	return db[of], of, true
}

// DatabaseName is the name of a compilation database.
const DatabaseName = "compile_commands.json"

// FindDatabase returns the database that belongs to the files of a folder: the one in it or in the folder
// "build" of it, or else in the folders above, up to top; "" for none. Top is a folder at or above dir.
func FindDatabase(dir, top string) string {
	for {
		for _, name := range []string{filepath.Join(dir, DatabaseName), filepath.Join(dir, "build", DatabaseName)} {
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				return name
			}
		}
		if dir == top || dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}
