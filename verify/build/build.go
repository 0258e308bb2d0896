package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/smux-cuda/smux/verify/translate"
)

// Request describes what is to be built.
type Request struct {
	Units       []*translate.Unit // .cu files, translated
	Sources     []string          // more files: .cpp and .c are compiled as they are, .o and .a linked
	Mode        Mode
	IncludeDirs []string // -I
	Defines     []string // -D: NAME or NAME=VALUE
	Libraries   []string // -l: names, or flags such as -Lfolder
	Loads       bool     // the program loads libraries that call the runtime and its functions
	Dir         string   // scratch folder: translated files, objects and the program are put there
	// OnDisk is set if the units were translated from the files on disk that have
	// their names. Only then can nvcc be asked about them.
	OnDisk bool

	together bool // the units are programs of their own
}

// Program is an executable with what is needed to read its findings.
type Program struct {
	Path  string
	Mode  Mode
	Files map[string]*translate.File // the translated files by original name

	// Part is the number of this program among those in the executable, counted from 1; 0: there is no other.
	Part int

	// WorkDir is the folder in which the compiler ran, which relative names in the debug information are relative to.
	WorkDir string
	// UserFiles are the program's other files: sources and headers that were compiled as they are. Absolute.
	UserFiles []string
	// Closed is set if the program reads nothing beside its arguments: no file, no folder.
	Closed bool
}

// Build compiles a program. What the compiler or linker refuses is a
// *CompileError; other errors are of the machine.
func (t *Toolchain) Build(ctx context.Context, r Request) (*Program, error) {
	r.Mode = cmp.Or(r.Mode, Plain)
	dir, err := filepath.Abs(r.Dir)
	if err != nil {
		return nil, err
	}
	r.Dir = dir
	w := &work{Toolchain: t, Request: r}
	if w.cwd, err = os.Getwd(); err != nil {
		return nil, err
	}
	w.index()
	program := &Program{Path: filepath.Join(dir, "program-"+string(r.Mode)), Mode: r.Mode, Files: w.names, WorkDir: w.cwd}
	if err := w.write(); err != nil {
		return nil, fmt.Errorf("writing the translated program: %w", err)
	}
	key, err := w.key()
	if err != nil {
		return nil, err
	}
	if t.fetch(key, program) == nil {
		return program, nil
	}
	if err := w.compile(ctx, program); err != nil {
		return nil, err
	}
	t.keep(key, program)
	return program, nil
}

// work is one build.
type work struct {
	*Toolchain
	Request
	cwd   string
	names map[string]*translate.File // by original name
	paths map[string]*translate.File // by absolute path, of original and copy
}

func (w *work) index() {
	w.names, w.paths = map[string]*translate.File{}, map[string]*translate.File{}
	for _, u := range w.Units {
		for i := range u.Files {
			f := &u.Files[i]
			w.names[f.Name] = f
			w.paths[w.absolute(f.Name)], w.paths[w.absolute(f.Path)] = f, f
		}
	}
}

func (w *work) absolute(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(w.cwd, name)
}

// write puts the translated files where their #include directives expect them.
func (w *work) write() error {
	if err := os.MkdirAll(w.Dir, 0o755); err != nil {
		return err
	}
	for _, u := range w.Units {
		for _, f := range u.Files {
			if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(f.Path, f.Text, 0o644); err != nil {
				return err
			}
		}
	}
	if w.together {
		if err := os.WriteFile(w.joining(), w.join(), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(w.macros(), w.macroText(), 0o644)
}

// compile makes the objects, links them, and notes the user's files that were read beside the translated ones.
func (w *work) compile(ctx context.Context, program *Program) (err error) {
	objects := filepath.Join(w.Dir, "objects-"+string(w.Mode))
	if err := os.MkdirAll(objects, 0o755); err != nil {
		return err
	}
	jobs := w.jobs(objects)
	// The runtime and the precompiled header are made while there is something else to do.
	var runtime []string
	steps := []func() error{func() (err error) {
		if w.Mode != Library {
			runtime, err = w.runtimeObjects(ctx, w.Mode)
		}
		return err
	}}
	for i := range jobs {
		steps = append(steps, func() error { return jobs[i].run(ctx) })
	}
	if err := each(steps, func(f func() error) error { return f() }); err != nil {
		var compile *CompileError
		if errors.As(err, &compile) && !w.together {
			err = w.refused(ctx, jobs)
		}
		return err
	}
	if err := w.link(ctx, objects, program.Path, runtime, jobs); err != nil {
		return err
	}
	program.Closed = len(w.Libraries) == 0 && !slices.ContainsFunc(w.Sources, isBinary) && isClosed(jobs)
	program.UserFiles, err = w.dependencies(jobs)
	return err
}

// link makes the executable. The runtime's objects come first: of inline functions that are in several objects, such
// as those of the standard library, the linker takes the first, and the runtime must not use one that was compiled to
// report its accesses.
func (w *work) link(ctx context.Context, scratch, program string, runtime []string, jobs []*job) error {
	args := append([]string{"-o", program}, linkFlags(w.Mode)...)
	if w.Loads {
		args = append(args, "-rdynamic")
	}
	args = append(args, runtime...)
	for _, j := range jobs {
		args = append(args, j.object)
	}
	for _, s := range w.Sources {
		if isBinary(s) {
			args = append(args, s)
		}
	}
	args = append(append(args, libraryFlags(w.Libraries)...), systemLibraries...)
	out, err := w.command(ctx, scratch, args)
	if text := standIns(out); err != nil && text != "" {
		object, failed := w.compileStandIns(ctx, scratch, text)
		if failed != nil {
			return failed
		}
		out, err = w.command(ctx, scratch, append(args, object))
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	if w.together {
		return &CompileError{Output: out}
	}
	return w.explain(ctx, out)
}

// isBinary reports whether a source is already compiled.
func isBinary(name string) bool {
	switch filepath.Ext(name) {
	case ".o", ".a", ".so", ".obj", ".lib", ".dylib":
		return true
	}
	return false
}

// jobs lists what is to be compiled.
func (w *work) jobs(objects string) []*job {
	var out []*job
	add := func(source string, unit *translate.Unit) {
		name := filepath.Join(objects, strconv.Itoa(len(out)))
		out = append(out, &job{work: w, source: source, unit: unit, object: name + ".o", depends: name + ".d"})
	}
	if w.together {
		add(w.joining(), w.Units[0])
		return out
	}
	for _, u := range w.Units {
		add(u.Files[0].Path, u)
	}
	for _, s := range w.Sources {
		if !isBinary(s) {
			add(s, nil)
		}
	}
	return out
}
