package instrument

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

func refused(at diag.Position, format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{at}, args...)...)
}

// Launches returns the texts that change, by file name, so that each launch of any of the kernels is timed: the files with
// launches, and all .cu files that no other includes, for their copies. The kernels are of one program, which smux may
// have rewritten. The error says that no launch is in view, or that one of them can't be timed.
func Launches(kernels ...*analysis.Kernel) (map[string][]byte, error) {
	if len(kernels) == 0 {
		return nil, errors.New("there is no kernel")
	}
	program, edited := kernels[0].Prog.Parsed, edits{}
	seen := map[any]bool{} // kernels of one name share launches
	for _, k := range kernels {
		calls, err := otherUses(k)
		if err != nil {
			return nil, err
		}
		for _, l := range k.Launches {
			if l.View.Call != "" {
				continue // one of otherUses
			}
			if why := untimeable(k, l.View); why != "" {
				return nil, refused(l.File.Position(l.View.Open), "%s", why)
			}
			if !seen[l.View] {
				seen[l.View] = true
				// k<<<g, b>>>(a) becomes the expression (begin(k, g, b), k<<<…>>>(a), end()) of the same type.
				b, first, last := edited.of(l.File), l.View.Config[0], l.View.Config[len(l.View.Config)-1]
				b.Insert(int(l.View.Node.Start), fmt.Sprintf("(::smux_launch::smux_begin(::smux_launch::smux_kernel(%s), %s), ",
					l.File.Text(l.View.Callee), l.File.Src[first.Start:last.End]))
				b.Replace(int(first.Start), int(last.End), configuration)
				b.Insert(int(l.View.Node.End), ", ::smux_launch::smux_end())")
			}
		}
		for _, c := range calls {
			if !seen[c.callee] {
				seen[c.callee] = true
				edited.of(c.file).Replace(int(c.callee.Start), int(c.callee.End), "::smux_launch::smux_"+lastName(c.file.Text(c.callee)))
			}
		}
	}
	if len(seen) == 0 {
		return nil, refused(summary.Position(kernels[0]), "no launch of %s is in view", kernels[0].Name)
	}
	units := Units(program)
	for _, f := range program.Files {
		if slices.Contains(units, f.Name) {
			nameVariables(edited.of(f), program, f)
		}
	}
	texts := map[string][]byte{}
	for f, b := range edited {
		text, err := b.Apply(f.Src)
		if err != nil { // a launch in the arguments of a launch
			return nil, refused(summary.Position(kernels[0]), "its launches are nested: %w", err)
		}
		texts[f.Name] = text
	}
	return texts, nil
}

type edits map[*parser.File]*edit.Buffer

// of returns the edits of a file, which then gets the prelude.
func (e edits) of(f *parser.File) *edit.Buffer {
	b := e[f]
	if b == nil {
		b = &edit.Buffer{}
		e[f] = b
		at := len(f.Src) - len(bytes.TrimPrefix(f.Src, []byte("\xef\xbb\xbf"))) // after a byte order mark
		b.Insert(at, prelude()+"#line 1 "+strconv.Quote(f.Name)+"\n")
	}
	return b
}

var parts = []string{"environment", "element", "log", "stale", "memory", "launch", "copies", "allocations", "macros"}

//go:embed prelude/*.cuh
var preludeFiles embed.FS

// prelude is the text in front of the texts of a program, read once where they include one another. It needs C++11.
var prelude = sync.OnceValue(func() string {
	var b strings.Builder
	for _, part := range parts {
		text, _ := preludeFiles.ReadFile("prelude/" + part + ".cuh") // TestPreludeIsWhole
		b.Write(text)
	}
	return b.String()
})

func Named(prog *analysis.Program, names ...string) []*analysis.Kernel {
	return lists.Filter(prog.Kernels(), func(k *analysis.Kernel) bool { return slices.Contains(names, k.Name) })
}

// Units returns the .cu files that no other of a program includes.
func Units(prog *parser.Program) (out []string) {
	for _, f := range prog.Files {
		if filepath.Ext(f.Name) == ".cu" && len(prog.Including(f)) == 0 {
			out = append(out, f.Name)
		}
	}
	return out
}

func untimeable(k *analysis.Kernel, l *parser.Launch) string {
	switch {
	case l.Error != nil || l.Callee == nil:
		return "the launch could not be parsed"
	case l.Function != nil && (l.Function.IsKernel() || l.Function.IsDevice()):
		return "the launch is made on the GPU"
	case l.TemplateArgs == nil && k.View.IsTemplate:
		return "the launch leaves the template's arguments to the compiler; write them out, so that the kernel has a name"
	}
	return ""
}

// configuration stands between the angles of a launch that is timed.
const configuration = "::smux_launch::smux_now().grid, ::smux_launch::smux_now().block, ::smux_launch::smux_now().shared, ::smux_launch::smux_now().stream"
