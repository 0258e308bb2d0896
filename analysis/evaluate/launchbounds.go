package evaluate

import (
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/parser"
)

// MaxThreads returns the most threads of a block that the kernel's own launch bounds allow, in an instance, or with
// nil in any. ok is false where it has none, or they do not fold to a number.
func MaxThreads(k *analysis.Kernel, in *analysis.Instance) (threads int, ok bool) {
	lb := k.View.LaunchBounds
	if lb == nil || lb.Kind == parser.MarkMacro || lb.Name != "__launch_bounds__" {
		return 0, false
	}
	return FirstArgument(k, in, lb)
}

// FirstArgument folds the first argument of a mark that the kernel has in its own file,
// in an instance: the threads of __launch_bounds__, the registers of __maxnreg__.
func FirstArgument(k *analysis.Kernel, in *analysis.Instance, m *parser.Mark) (n int, ok bool) {
	first := string(k.File.Src[m.ArgStart:m.ArgEnd])
	depth := 0
	for i, c := range first {
		switch {
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			return FoldText(k, in, first[:i], m.ArgStart)
		}
	}
	return FoldText(k, in, first, m.ArgStart)
}

// FoldText folds an expression that the syntax tree does not hold, from its text: numbers, + - * / % << >>, macros,
// constants at namespace scope, template arguments.
func FoldText(k *analysis.Kernel, in *analysis.Instance, text string, at int) (int, bool) {
	text, err := k.File.Macros.Expand(text, at)
	if err != nil {
		return 0, false
	}
	var out strings.Builder
	end := 0
	for _, t := range parser.TokensBetween([]byte(text), 0, len(text)) {
		word := text[t.Start:t.End]
		switch t.Kind {
		case parser.TokenIdent:
			n, ok := foldName(k, in, word)
			if !ok {
				return 0, false
			}
			word = strconv.FormatInt(n, 10)
		case parser.TokenNumber:
			word = strings.TrimRight(word, "uUlL")
			if len(word) > 1 && word[0] == '0' && strings.ToLower(word)[1] != 'x' || strings.Contains(word, "'") {
				return 0, false
			}
		}
		if t.Start > end {
			out.WriteByte(' ') // "<<" comes as two tokens
		}
		out.WriteString(word)
		end = t.End
	}
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, out.String())
	if err != nil || v.Value == nil || v.Value.Kind() != constant.Int {
		return 0, false
	}
	n, exact := constant.Int64Val(v.Value)
	return int(n), exact && n > 0 && n <= 1<<20
}

func foldName(k *analysis.Kernel, in *analysis.Instance, name string) (int64, bool) {
	for i, tp := range k.Func.TParams {
		if tp.Name == name {
			if in == nil {
				return 0, false
			}
			n, typ, ok := TemplateArgument(k, in, i)
			return n, ok && typ == ""
		}
	}
	v := k.GlobalVar(k.Func, name)
	if v == nil || v.Init == nil || !v.Type.Const {
		return 0, false
	}
	return Constant(k, in, k.Func, v.Init)
}
