package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/process"
	"github.com/smux-cuda/smux/verify/translate"
)

// job is one file that is compiled.
type job struct {
	*work
	source  string
	unit    *translate.Unit // nil: a file that is compiled as it is
	object  string
	depends string // where the compiler lists the files that it read
	output  string // what it printed, where it failed
}

// run compiles the file. The error is a *CompileError where the compiler refused it; what it said is in output.
func (j *job) run(ctx context.Context) error {
	args, err := j.arguments(ctx)
	if err != nil {
		return err
	}
	out, err := j.command(ctx, filepath.Dir(j.object), args)
	if err != nil && ctx.Err() == nil {
		j.output = out
		var full *process.OutOfMemoryError
		if j.output == "" || errors.As(err, &full) {
			j.output = j.source + ":1: error: " + err.Error()
		}
		return &CompileError{Output: out}
	}
	return err
}

func (j *job) arguments(ctx context.Context) ([]string, error) {
	var args []string
	if filepath.Ext(j.source) == ".c" {
		args = append(args, "-x", "c")
	} else {
		args = append(args, "-x", "c++", standard)
	}
	args = append(append(args, j.Compiler.language()...), j.Compiler.modeFlags(j.Mode)...)
	args = append(args, j.Compiler.messageFlags()...)
	if j.unit != nil {
		hooks, err := j.hooks(ctx, j.Mode)
		if err != nil {
			return nil, err
		}
		args = append(args, hooks...)
		if j.Mode == Checked && j.arrays() {
			args = append(args, j.Compiler.subscripts())
		}
		forcing, err := j.beginning(ctx)
		if err != nil {
			return nil, err
		}
		args = append(args, forcing...)
	}
	args = append(args, "-I", j.include())
	for _, d := range j.IncludeDirs {
		args = append(args, "-I", d)
	}
	args = append(args, "-idirafter", filepath.Join(j.include(), "samples"))
	for _, d := range j.Defines {
		if j.unit == nil || isForSystem(d) {
			args = append(args, "-D"+d)
		}
	}
	return append(args, "-MMD", "-MF", j.depends, "-c", j.source, "-o", j.object), nil
}

// arrays reports whether what is compiled may have arrays whose bounds the run-time does not know.
func (j *job) arrays() bool {
	if j.together {
		return slices.ContainsFunc(j.Units, func(u *translate.Unit) bool { return u.Arrays })
	}
	return j.unit.Arrays
}

// beginning returns the flags by which a translated file begins with the shim's header
// and finds what lies beside its original.
func (j *job) beginning(ctx context.Context) ([]string, error) {
	args, err := j.Toolchain.forcing(ctx, j.Mode)
	if err != nil {
		return nil, err
	}
	args = append(args, "-include", j.macros())
	var beside []string
	for _, f := range j.unit.Files {
		if d := filepath.Dir(f.Name); !slices.Contains(beside, d) {
			beside = append(beside, d)
			args = append(args, "-iquote", d)
		}
	}
	return args, nil
}

// isForSystem reports whether a macro of the command line is meant for headers of the system as well. All others are
// defined after the forced header: its templates have parameters named N and T, too, as those of CUDA's may not have.
func isForSystem(define string) bool {
	return strings.HasPrefix(define, "_") || define == "NDEBUG" || strings.HasPrefix(define, "NDEBUG=")
}

// macros returns the file that defines the other ones.
func (w *work) macros() string { return filepath.Join(w.Dir, "macros.h") }

func (w *work) macroText() []byte {
	var b bytes.Buffer
	for _, d := range w.Defines {
		name, value, given := strings.Cut(d, "=")
		if !given {
			value = "1"
		}
		if !isForSystem(d) {
			fmt.Fprintf(&b, "#define %s %s\n", name, value)
		}
	}
	return b.Bytes()
}

// dependencies lists the user's files that the jobs read, beside translated
// ones: headers of the system and of the shim are left out.
func (w *work) dependencies(jobs []*job) ([]string, error) {
	var out []string
	for _, j := range jobs {
		text, err := os.ReadFile(j.depends)
		if err != nil {
			return nil, err
		}
		for _, name := range process.Prerequisites(string(text)) {
			path := w.absolute(name)
			if w.isTranslated(path) || w.isShim(path) || slices.Contains(out, path) {
				continue
			}
			out = append(out, path)
		}
	}
	for _, s := range w.Sources {
		if isBinary(s) {
			out = append(out, w.absolute(s))
		}
	}
	slices.Sort(out)
	return out, nil
}

// isTranslated reports whether a file is one that write wrote.
func (w *work) isTranslated(path string) bool {
	f := w.paths[path]
	return f != nil && path == w.absolute(f.Path) || w.together && path == w.joining() || path == w.macros()
}

// isShim reports whether a file is the shim's, or made from it.
func (t *Toolchain) isShim(path string) bool {
	return strings.HasPrefix(path, t.CacheDir+string(filepath.Separator))
}
