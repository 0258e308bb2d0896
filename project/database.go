package project

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
)

// Database holds what a compilation database (compile_commands.json) says of each file, by
// absolute path: the include folders, macros and GPU architectures that a build gives it. See
// https://clang.llvm.org/docs/JSONCompilationDatabase.html.
//
// Options that change nothing of how a file reads, or which GPUs it is for, are passed over; no compiler is run.
type Database map[string]CompileCommand

// CompileCommand is the part of one command line that changes how a file reads.
type CompileCommand struct {
	Includes []string // folders that are searched for includes, absolute
	Defines  []string // NAME or NAME=VALUE
	Flags    []string // those of nvcc that decide how code reads or computes, and no others
	built    compiledFor
	lists    bool // nvcc's: -D and -U take several macros, with commas between them
}

// ReadDatabase reads a database, or the compile_commands.json in a
// folder. Where a file is compiled more than once, its first command counts, but for macros that another one doesn't
// define alike: nobody knows those.
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
			if args, err = prose.Words(e.Command); err != nil {
				return nil, diag.Usagef("", "%s: the command of %s: %w", name, e.File, err)
			}
		}
		file := absoluteIn(dir, e.File)
		c := commandOf(args)
		c.add(dir, args, 0)
		if first, twice := commands[file]; twice {
			first.Defines = slices.DeleteFunc(first.Defines, func(d string) bool { return !slices.Contains(c.Defines, d) })
			c = first
		}
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

// macros parts what an option says of macros: nvcc takes a list, but where a comma is in quotes or after a backslash.
func (c *CompileCommand) macros(list string) (out []string) {
	if !c.lists {
		return []string{list}
	}
	item, quoted := "", false
	for i := 0; i < len(list); i++ {
		switch ch := list[i]; {
		case ch == '\\' && i+1 < len(list) && list[i+1] == ',':
			i++
			item += ","
			continue
		case ch == '"':
			quoted = !quoted
		case ch == ',' && !quoted:
			out, item = append(out, item), ""
			continue
		}
		item += list[i : i+1]
	}
	return append(out, item)
}

// commandOf is an empty command of the compiler that the arguments begin with.
func commandOf(args []string) CompileCommand {
	return CompileCommand{lists: len(args) > 0 && strings.HasPrefix(filepath.Base(args[0]), "nvcc")}
}

// undefine takes back a macro that was defined farther left.
func (c *CompileCommand) undefine(name string) {
	c.Defines = slices.DeleteFunc(c.Defines, func(d string) bool {
		defined, _, _ := strings.Cut(d, "=")
		return defined == name
	})
}

// add collects what counts of a command line that runs in dir. CMake puts them into response files, which are read
// too; one that is missing adds nothing.
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
			c.Defines = append(c.Defines, c.macros(v)...)
		} else if v, ok := value(undoOptions); ok {
			for _, name := range c.macros(v) {
				c.undefine(name)
			}
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
	if args, err := prose.Words(string(data)); err == nil {
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

// nvccFlags are the flags that are taken from a database for nvcc, by every spelling, and how they
// are written then: all that decides how code reads or computes. Nothing that runs or loads another
// program, names a file to read or write, or asks for other output is among them.
var nvccFlags = map[string]string{
	"--extended-lambda": "--extended-lambda", "-extended-lambda": "--extended-lambda",
	"--expt-extended-lambda": "--extended-lambda", "-expt-extended-lambda": "--extended-lambda",
	"--expt-relaxed-constexpr": "--expt-relaxed-constexpr", "-expt-relaxed-constexpr": "--expt-relaxed-constexpr",
	"--use_fast_math": "--use_fast_math", "-use_fast_math": "--use_fast_math",
	"--extra-device-vectorization": "--extra-device-vectorization", "-extra-device-vectorization": "--extra-device-vectorization",
	"-dc": "-rdc=true", "--device-c": "-rdc=true",
	"--std": "-std", "-std": "-std",
	"--relocatable-device-code": "-rdc", "-relocatable-device-code": "-rdc", "-rdc": "-rdc",
	"--maxrregcount": "-maxrregcount", "-maxrregcount": "-maxrregcount",
	"--default-stream": "-default-stream", "-default-stream": "-default-stream",
	"--ftz": "-ftz", "-ftz": "-ftz", "--fmad": "-fmad", "-fmad": "-fmad",
	"--prec-div": "-prec-div", "-prec-div": "-prec-div", "--prec-sqrt": "-prec-sqrt", "-prec-sqrt": "-prec-sqrt",
}

// takesValue are those flags, as they are written, that have a value.
var takesValue = map[string]bool{
	"-std": true, "-rdc": true, "-maxrregcount": true, "-default-stream": true,
	"-ftz": true, "-fmad": true, "-prec-div": true, "-prec-sqrt": true,
}

// nvccFlag reads the flag that arguments begin with, with its value where that is an argument of its
// own; used counts the arguments that it takes, 0 for a flag that smux leaves out.
func nvccFlag(args []string) (flag string, used int) {
	name, value, joined := strings.Cut(args[0], "=")
	flag, ok := nvccFlags[name]
	used = 1
	switch {
	case !ok, joined && !takesValue[flag]:
		return "", 0
	case !takesValue[flag]:
		return flag, 1
	case !joined && len(args) < 2:
		return "", 0
	case !joined:
		value, used = args[1], 2
	}
	for i := range len(value) { // a word, and nothing that a shell or nvcc reads in another way
		if c := value[i]; !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '+' || c == '-' && i > 0) {
			return "", 0
		}
	}
	if value == "" {
		return "", 0
	}
	return flag + "=" + value, used
}

// AddFlag adds a flag of nvcc to a list. One that says the same thing in another way stays the only one.
func AddFlag(list []string, flag string) []string {
	name, _, _ := strings.Cut(flag, "=")
	for _, f := range list {
		if other, _, _ := strings.Cut(f, "="); other == name {
			return list
		}
	}
	return append(list, flag)
}

// compiledFor holds what a command line says of architectures, each option as it is
// written: a later --gpu-architecture or --gpu-code replaces an earlier one, and
// --generate-code adds to them. See "Options for Steering GPU Code Generation" in
// nvcc's manual.
type compiledFor struct {
	arch, code []string // -arch and -code
	generated  []string // by -gencode, and clang's --cuda-gpu-arch
}

// The spellings of the options that name architectures.
var (
	archOptions    = []string{"-arch", "--gpu-architecture", "-gpu-architecture"}
	codeOptions    = []string{"-code", "--gpu-code", "-gpu-code"}
	gencodeOptions = []string{"-gencode", "--generate-code", "-generate-code"}
	clangArch      = []string{"--cuda-gpu-arch", "--offload-arch"}
)

// architecture is the name of a real or a virtual one: PTX runs on what it is named after at the least.
var architecture = regexp.MustCompile(`^(?:sm|compute|lto)_([0-9]+)[af]?$`)

// IsArchitecture reports whether a word names an architecture, such as sm_75 or compute_80.
func IsArchitecture(word string) bool { return architecture.MatchString(word) }

// names returns the architectures, as sm_75, ascending, and words that name none as they
// are written. Words that mean what is in the machine, or all there are, name none.
func (c compiledFor) names() []string {
	asked := c.code // code is made for these alone
	if len(asked) == 0 {
		asked = c.arch
	}
	var out []string
	for _, word := range slices.Concat(asked, c.generated) {
		if m := architecture.FindStringSubmatch(word); m != nil {
			word = "sm_" + m[1]
		}
		switch word {
		case "", "native", "all", "all-major", "optixir":
		default:
			out = append(out, word)
		}
	}
	SortArchitectures(out)
	return slices.Compact(out)
}

// SortArchitectures puts names of architectures in ascending order: sm_90 before sm_100.
func SortArchitectures(names []string) {
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
}

// archList returns the words of a list: sm_75, or "[sm_80,compute_80]" with or without brackets and quotes.
func archList(text string) (out []string) {
	for word := range strings.SplitSeq(strings.Trim(text, `[]"'`), ",") {
		out = append(out, strings.Trim(word, ` []"'`))
	}
	return out
}

// generatedCode returns what arch=compute_80,code=[sm_80,compute_80] makes code for: for
// the virtual architecture where it has no code.
func generatedCode(text string) []string {
	values := map[string][]string{}
	key := ""
	for _, word := range archList(text) {
		if k, v, ok := strings.Cut(word, "="); ok {
			key, word = strings.TrimSpace(k), strings.Trim(v, ` []"'`)
		}
		values[key] = append(values[key], word)
	}
	if code := values["code"]; len(code) > 0 {
		return code
	}
	return values["arch"]
}

// Architectures returns those that any of some files is compiled for, as sm_75,
// ascending, and words that name none as they are written.
func (db Database) Architectures(files []string) []string {
	if db == nil {
		return nil
	}
	var out []string
	for _, name := range files {
		if c, ok := db.Lookup(name); ok {
			out = append(out, c.built.names()...)
		}
	}
	SortArchitectures(out)
	return slices.Compact(out)
}

// Below returns those of all files below a folder, which is absolute and without links.
func (db Database) Below(dir string) []string {
	return db.Architectures(slices.DeleteFunc(slices.Collect(maps.Keys(db)), func(file string) bool { return !Within(file, []string{dir}) }))
}
