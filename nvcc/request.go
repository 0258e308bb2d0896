package nvcc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Request describes what is to be compiled.
type Request struct {
	// Texts are the program's files by name: the .cu files, and the headers that are part of it. A text stands for
	// the file of that name, which may differ or not be there. Headers that have no text are read from disk.
	Texts map[string][]byte
	// Units are the names of the texts to compile; none stands for every .cu file with a kernel in it, or in a header
	// of Texts that it includes. A .cu file that another text includes is taken for a part of that one.
	Units    []string
	Includes []string // -I
	Defines  []string // -D: NAME or NAME=VALUE
	// Flags are more flags of nvcc. Those that choose an architecture or an output are left out.
	Flags []string
	Arch  string // "sm_80"
}

// program is a request made absolute.
type program struct {
	Request
	cwd      string
	texts    map[string][]byte // by absolute path
	names    map[string]string // absolute path to the name in the request
	includes []string          // absolute
	included map[string]bool   // absolute paths of texts that other texts include
	flags    []string          // those that are passed on
}

func (r Request) resolve() (*program, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	n, ok := parseCC(r.Arch)
	if !ok {
		return nil, fmt.Errorf("%q is not an architecture; it is written as sm_80", r.Arch)
	}
	if !strings.HasSuffix(r.Arch, "a") && !strings.HasSuffix(r.Arch, "f") {
		r.Arch = smName(n)
	}
	p := &program{Request: r, cwd: cwd, texts: map[string][]byte{}, names: map[string]string{}, flags: PassedOn(r.Flags)}
	for name, text := range r.Texts {
		path := p.absolute(name)
		if other, twice := p.names[path]; twice {
			return nil, fmt.Errorf("%s and %s are the same file", min(name, other), max(name, other))
		}
		if strings.ContainsAny(name, "\n\r\x00") {
			return nil, fmt.Errorf("the file name %q can't be passed to nvcc", name)
		}
		p.texts[path], p.names[path] = text, name
	}
	for _, dir := range r.Includes {
		p.includes = append(p.includes, p.absolute(dir))
	}
	p.included = p.includedTexts()
	if len(r.Units) == 0 {
		p.Units = p.unitsWithKernels()
	}
	for _, u := range p.Units {
		if _, ok := p.texts[p.absolute(u)]; !ok {
			return nil, fmt.Errorf("%s is to be compiled but has no text", u)
		}
	}
	return p, nil
}

func (p *program) absolute(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(p.cwd, name)
}

var (
	kernelWord   = []byte("__global__")
	includedName = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]`)
)

// unitsWithKernels lists the .cu files with a kernel, sorted. Headers are matched
// by the last part of their name, so a file too many may be compiled, none too few.
func (p *program) unitsWithKernels() []string {
	has := map[string]bool{} // last parts of the names of headers that lead to a kernel
	leads := func(text []byte) bool {
		if bytes.Contains(text, kernelWord) {
			return true
		}
		return slices.ContainsFunc(includedName.FindAllSubmatch(text, -1), func(m [][]byte) bool { return has[filepath.Base(string(m[1]))] })
	}
	for grown := true; grown; {
		grown = false
		for name, text := range p.Texts {
			if base := filepath.Base(name); !has[base] && leads(text) {
				has[base], grown = true, true
			}
		}
	}
	var units []string
	for name, text := range p.Texts {
		if filepath.Ext(name) == ".cu" && !p.included[p.absolute(name)] && leads(text) {
			units = append(units, name)
		}
	}
	slices.Sort(units)
	return units
}

// includedTexts finds the texts that others name in an #include.
func (p *program) includedTexts() map[string]bool {
	out := map[string]bool{}
	for path, text := range p.texts {
		for _, m := range includedName.FindAllSubmatch(text, -1) {
			for _, dir := range append([]string{filepath.Dir(path)}, p.includes...) {
				at := filepath.Join(dir, string(m[1]))
				if _, given := p.texts[at]; given && at != path {
					out[at] = true
					break
				}
			}
		}
	}
	return out
}

// errNoKernel reports that a request has nothing to compile.
var errNoKernel = errors.New("no .cu file of the program has a kernel")

// Flags of nvcc that a request's own choices replace, with the value that
// follows them. What is to be made, for which architecture, and where to, is decided here.
var replacedValue = map[string]bool{
	"-arch": true, "--gpu-architecture": true, "-code": true, "--gpu-code": true, "-gencode": true, "--generate-code": true,
	"-o": true, "--output-file": true, "-odir": true, "--output-directory": true,
	"-MF": true, "--dependency-output": true, "-MT": true, "--dependency-target-name": true,
	"-l": true, "--library": true, "-L": true, "--library-path": true, "-Xlinker": true, "--linker-options": true,
	"-Xnvlink": true, "--nvlink-options": true, "-Xarchive": true, "--archive-options": true, "-cudart": true, "--cudart": true,
	"-t": true, "--threads": true, "-keep-dir": true, "--keep-dir": true, "-time": true, "--time": true, "-run-args": true, "--run-args": true,
}

// replacedAlone are such flags without a value.
var replacedAlone = map[string]bool{
	"-c": true, "--compile": true, "-dc": true, "--device-c": true, "-dw": true, "--device-w": true, "-dlink": true, "--device-link": true,
	"-link": true, "--link": true, "-lib": true, "--lib": true, "-run": true, "--run": true, "-E": true, "--preprocess": true,
	"-M": true, "-MM": true, "-MD": true, "-MMD": true, "-MP": true, "--generate-dependencies": true,
	"-ptx": true, "--ptx": true, "-cubin": true, "--cubin": true, "-fatbin": true, "--fatbin": true, "-cuda": true, "--cuda": true,
	"-keep": true, "--keep": true, "-save-temps": true, "--save-temps": true, "-dryrun": true, "--dryrun": true, "-v": true, "--verbose": true,
	"-res-usage": true, "--resource-usage": true, "-dlto": true, "--dlink-time-opt": true, "-lto": true,
	"-shared": true, "--shared": true, "-lineinfo": true, "--generate-line-info": true,
}

// PassedOn returns the flags that reach nvcc: not those that choose what is made, for which
// architecture, and where, nor those that name libraries.
func PassedOn(flags []string) []string {
	var out []string
	for i := 0; i < len(flags); i++ {
		flag, _, joined := strings.Cut(flags[i], "=")
		switch {
		case replacedAlone[flag]:
		case replacedValue[flag]:
			if !joined {
				i++
			}
		case strings.HasPrefix(flag, "-l") || strings.HasPrefix(flag, "-L"): // -lcublas, -L/lib
		default:
			out = append(out, flags[i])
		}
	}
	return out
}

// Build compiles the units of a request for its architecture, links them with further files (sources, objects,
// archives) and libraries, and writes the program to out. The texts of the request stand for the files on disk, as in
// Resources. own are flags of the caller's that Request.Flags can't have: they choose what is made. Nothing is kept.
// The error is a *CompileError where nvcc refused, that of ctx where it ended, or reports what failed.
func (t *Toolkit) Build(ctx context.Context, r Request, further, libraries []string, out string, own ...string) error {
	p, err := r.resolve()
	if err != nil {
		return err
	}
	if len(p.Units) == 0 {
		return errNoKernel
	}
	free, err := t.slot(ctx)
	if err != nil {
		return err
	}
	defer free()
	o, err := p.overlay()
	if err != nil {
		return fmt.Errorf("writing the program's texts for nvcc: %w", err)
	}
	defer o.remove()
	args := append([]string{"-arch=" + p.Arch, "-Wno-deprecated-gpu-targets", "-o", out}, p.searchFlags(o)...)
	for _, d := range p.Defines {
		args = append(args, "-D"+d)
	}
	args = slices.Concat(args, p.flags, own)
	for _, u := range p.Units {
		args = append(args, o.path(p.absolute(u)))
	}
	for _, f := range further {
		args = append(args, p.absolute(f))
	}
	for _, l := range libraries {
		args = append(args, "-l"+l)
	}
	_, err = t.run(ctx, p, o, t.Path, args)
	var refused *exitError
	switch {
	case errors.As(err, &refused):
		return p.refused(o, p.Units[0], refused)
	case err != nil:
		return fmt.Errorf("building %s for %s: %w", p.Units[0], p.Arch, err)
	}
	return nil
}
