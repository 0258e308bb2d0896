package named

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/hostcode"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// ThreadsAsNamed returns an expression for a number of threads that stands at the kernel's head and says it by the
// names that the launches say their blocks by: BLOCK, or BX * BY, and BLOCK * 2 for a merged launch. A launch that
// says numbers alone has no names to differ in. It is the number itself where launches differ, or where the kernel's
// head does not see these names, or they stand for something else there.
func ThreadsAsNamed(k *analysis.Kernel, threads int) string {
	number := fmt.Sprint(threads)
	text := ""
	for _, launch := range k.Launches {
		named, numbers := blockAsNamed(k, launch)
		if numbers {
			continue
		}
		if named == "" || text != "" && named != text {
			return number
		}
		text = named
	}
	if text == "" {
		return number
	}
	for _, in := range k.Instances {
		if n, ok := evaluate.FoldText(k, in, text, k.View.Start); !ok || n != threads {
			return number
		}
	}
	return text
}

var (
	identifier  = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	plainNumber = regexp.MustCompile(`^[0-9]+$`)
)

// blockAsNamed returns the names that a launch gives the threads of its blocks, "" where it gives none;
// numbers says that it is written in numbers alone.
func blockAsNamed(k *analysis.Kernel, launch *analysis.Launch) (named string, numbers bool) {
	e, host := hostcode.Expr(launch, k.Prog)
	if e == nil || len(e.Kids) < 2 {
		return "", false
	}
	block, merged := e.Kids[1], ""
	if call := evaluate.MergedCall(block); call != nil {
		if block = evaluate.MergedBlock(call); block == nil || len(call.TArgs) == 0 {
			return "", false
		}
		merged = " * " + sourceOf(launch.File, call.TArgs[0])
	}
	if v := block.Var; block.Op == ir.OpIdent && v != nil && v.Type.Base == "dim3" && v.Init != nil && v.Kind == ir.VarLocal && len(v.Writes) == 0 && !v.AddrTaken && evaluate.PartsWritten(host, v) == 0 {
		block = v.Init
	}
	text := strings.TrimPrefix(sourceOf(launch.File, block), "dim3")
	var names []string
	numbers = true
	for _, word := range strings.Split(strings.Trim(text, "(){} "), ",") {
		switch word = strings.TrimSpace(word); {
		case word == "1":
		case plainNumber.MatchString(word):
			names = append(names, word)
		case !identifier.MatchString(word) || !headSees(k, word):
			return "", false
		default:
			names = append(names, word)
			numbers = false
		}
	}
	if numbers || slices.ContainsFunc(names, plainNumber.MatchString) {
		return "", numbers
	}
	return strings.Join(names, " * ") + merged, false
}

// headSees reports whether a name is known in front of the kernel: a macro, a template
// parameter of its own or a constant of its file that is declared before it.
func headSees(k *analysis.Kernel, name string) bool {
	if _, macro := k.File.Macros.Lookup(name, k.View.Start); macro {
		return true
	}
	for _, p := range k.Func.TParams {
		if p.Name == name {
			return true
		}
	}
	v := k.Prog.FileGlobals(k.File)[name]
	if v == nil || !v.Type.Const || v.Init == nil || v.Redeclared || v.Range.End > k.View.Start {
		return false
	}
	around := NamespaceAround(k.File, v.Range.Start)
	return around == nil || k.View.Start < int(around.End)
}

// NamespaceAround returns the innermost namespace around a place outside of functions, nil for none.
func NamespaceAround(f *parser.File, at int) (around *parser.Node) {
	f.Root.Walk(func(n *parser.Node) bool {
		if n.Kind == parser.KindNamespaceDefinition && int(n.Start) <= at && at < int(n.End) {
			around = n
		}
		return n.Kind != parser.KindFunctionDefinition
	})
	return around
}

// Namespaces are the names of a namespace and of those around it, the outermost first. An
// unnamed one counts for nothing: what is in it is seen around it.
func Namespaces(f *parser.File, n *parser.Node) (names []string) {
	for ; n != nil; n = n.Ancestor(parser.KindNamespaceDefinition) {
		if name := n.Child(parser.FieldName); name != nil && n.Kind == parser.KindNamespaceDefinition {
			names = append(strings.Split(f.Text(name), "::"), names...)
		}
	}
	return names
}

func sourceOf(f *parser.File, e *ir.Expr) string { return string(f.Src[e.Range.Start:e.Range.End]) }
