// Package instance finds a kernel of the analysis among those that a compiler made: which instance of a template a
// launch runs. Other packages that know both the source and the compiler build on it.
package instance

import (
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
)

// Compiled returns the compiled kernel that an instance runs. Of several instances of a template that the launch does
// not tell apart it is the one with the most registers; nil if none was compiled.
func Compiled(kernels []nvcc.Kernel, k *analysis.Kernel, in *analysis.Instance) *nvcc.Kernel {
	var best *nvcc.Kernel
	for i := range kernels {
		c := &kernels[i]
		if c.Base() != k.Name || best != nil && best.Registers >= c.Registers {
			continue
		}
		args := templateArguments(c.Name)
		if agree(launchArguments(k, in, len(args)), args) {
			best = c
		}
	}
	return best
}

// NameOf returns where the name of a kernel's definition stands, as Kernel.Position does for one that was analysed.
func NameOf(f *parser.File, fn *parser.Function) diag.Position {
	if fn.Declared != nil {
		return f.Position(int(fn.Declared.Start))
	}
	return f.Position(fn.Start)
}

// launchArguments are the template arguments of an instance, n of them, as text; "" for one that is not known.
func launchArguments(k *analysis.Kernel, in *analysis.Instance, n int) []string {
	out := make([]string, n)
	for i := range out {
		switch number, typ, ok := evaluate.TemplateArgument(k, in, i); {
		case ok && typ != "":
			out[i] = plainArgument(typ)
		case ok:
			out[i] = strconv.FormatInt(number, 10)
		}
	}
	return out
}

// TemplateArguments splits "reduce<256, pair<int, float> >" at the commas of the
// last, outermost brackets; nil for a kernel that is not a template.
func templateArguments(name string) []string {
	if !strings.HasSuffix(name, ">") {
		return nil
	}
	var out []string
	depth, end := 0, len(name)-1
	for i := len(name) - 1; i >= 0; i-- {
		switch c := name[i]; {
		case c == '>':
			depth++
		case c == ',' && depth == 1:
			out = append(out, plainArgument(name[i+1:end]))
			end = i
		case c == '<':
			if depth--; depth == 0 {
				out = append(out, plainArgument(name[i+1:end]))
				slices.Reverse(out)
				return out
			}
		}
	}
	return nil
}

// plainArgument makes two spellings of an argument equal.
func plainArgument(text string) string {
	switch text = strings.Join(strings.Fields(text), ""); text {
	case "true":
		return "1"
	case "false":
		return "0"
	}
	return text
}

// agree reports whether nothing says that a compiled instance is not the one
// that is launched: other numbers, or types of another size or kind.
func agree(launched, compiled []string) bool {
	for i := range min(len(launched), len(compiled)) {
		a, err := strconv.ParseInt(launched[i], 10, 64)
		b, err2 := strconv.ParseInt(compiled[i], 10, 64)
		if err == nil && err2 == nil && a != b {
			return false
		}
		of, n, known := ir.PartsOf(launched[i])
		other, m, known2 := ir.PartsOf(compiled[i])
		of.Name, other.Name = "", ""
		if known && known2 && (of != other || n != m) {
			return false
		}
	}
	return true
}
