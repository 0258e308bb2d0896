package build

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/process"
	"github.com/smux-cuda/smux/verify/translate"
)

// refused gathers what the compiler said of all files, in their order.
func (w *work) refused(ctx context.Context, jobs []*job) error {
	var out strings.Builder
	for _, j := range jobs {
		out.WriteString(j.output)
		if j.output != "" && !strings.HasSuffix(j.output, "\n") {
			out.WriteByte('\n')
		}
	}
	return w.explain(ctx, out.String())
}

// explain turns what the compiler or linker printed into a *CompileError.
func (w *work) explain(ctx context.Context, output string) error {
	e := &CompileError{Messages: classify(parseDiagnostics(output), w), Output: output}
	if len(e.Messages) == 0 {
		e.Messages = []diag.Message{{Code: CodeDoesNotCompile, Text: "the compiler failed: " + lastLine(output)}}
	}
	for i := range e.Messages {
		if m := &e.Messages[i]; m.Pos.File == "" && len(w.Units) > 0 {
			m.Pos.File = w.Units[0].Files[0].Name
		}
	}
	if e.Messages[0].Code == CodeDoesNotCompile {
		help := "it does not compile as C++ for the CPU" + w.secondOpinion(ctx, e)
		for i := range e.Messages {
			e.Messages[i].Help = help
		}
	}
	return e
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// position makes the build's files known to classify.
func (w *work) position(p place) (diag.Position, bool) {
	if p.file == "" {
		return diag.Position{}, false
	}
	path := w.absolute(p.file)
	if f := w.paths[path]; f != nil {
		line, column := f.Original(p.line, max(p.column, 1))
		return diag.Position{File: f.Name, Line: line, Column: column}, true
	}
	if w.isShim(path) || isSystem(path) {
		return diag.Position{}, false
	}
	return diag.Position{File: p.file, Line: p.line, Column: max(p.column, 1)}, true
}

// isSystem reports whether a file lies where systems keep the headers that come with compilers and libraries.
func isSystem(path string) bool {
	return slices.ContainsFunc([]string{"/usr/", "/opt/", "/Library/", "/Applications/", "/nix/store/"}, func(root string) bool {
		return strings.HasPrefix(path, root) && (root != "/opt/" || strings.Contains(path, "/include/"))
	})
}

// nvccError is an error of nvcc's: k.cu(3): error: …
var nvccError = regexp.MustCompile(`(?m)^(.+)\((\d+)\): (?:catastrophic )?error`)

// saysOf reports whether nvcc finds an error where one of the messages does.
func saysOf(output string, messages []diag.Message) bool {
	for _, g := range nvccError.FindAllStringSubmatch(output, -1) {
		for _, m := range messages {
			if filepath.Base(g[1]) == filepath.Base(m.Pos.File) && g[2] == strconv.Itoa(m.Pos.Line) {
				return true
			}
		}
	}
	return false
}

// nvccLimit bounds how long a person waits for a second opinion.
const nvccLimit = time.Minute

// inUnit reports whether nvcc is asked about a file, as a unit or a header of one: other sources of a program are for the host's compiler.
func (w *work) inUnit(name string) bool {
	return slices.ContainsFunc(w.Units, func(u *translate.Unit) bool {
		return slices.ContainsFunc(u.Files, func(f translate.File) bool { return f.Name == name })
	})
}

// secondOpinion reports whether nvcc compiles the program, where it can be asked.
func (w *work) secondOpinion(ctx context.Context, e *CompileError) string {
	nvcc, err := exec.LookPath("nvcc")
	if err != nil || !w.OnDisk || !slices.ContainsFunc(e.Messages, func(m diag.Message) bool { return w.inUnit(m.Pos.File) }) {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, nvccLimit)
	defer cancel()
	for _, u := range w.Units {
		name := u.Files[0].Name
		if !isFile(name) {
			return ""
		}
		args := []string{"-w", "-c", "-x", "cu", "-o", filepath.Join(w.Dir, "nvcc.o")}
		for _, d := range w.IncludeDirs {
			args = append(args, "-I", d)
		}
		for _, d := range w.Defines {
			args = append(args, "-D"+d)
		}
		c := process.Command(ctx, nvcc, append(args, name)...)
		c.Env = append(os.Environ(), "TMPDIR="+w.Dir) // where it is killed it leaves files behind
		out, err := process.OutputWithin(c, w.Memory)
		if ctx.Err() != nil {
			return ""
		}
		if err == nil {
			continue
		}
		// It may lack a flag that this file needs, or refuse the host compiler.
		if !saysOf(string(out), e.Messages) {
			return ""
		}
		return "; nvcc does not compile it either"
	}
	return ", but nvcc compiles it: this is a limit of smux"
}
