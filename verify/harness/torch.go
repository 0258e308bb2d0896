package harness

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/harness/ctype"
)

// tensorType is PyTorch's type of an argument, as sources of extensions write it.
var tensorType = regexp.MustCompile(`^(?:const\s+)?(?:torch|at)\s*::\s*Tensor$|^(?:const\s+)?((?:std|c10|torch|at)\s*::\s*optional)\s*<\s*(?:torch|at)\s*::\s*Tensor\s*>$`)

//go:embed torch_calls.h
var torchCalls string

// TorchCall is a call of a host function of a PyTorch extension, with tensors that were chosen.
type TorchCall struct {
	file     *parser.File
	fn       *parser.Function
	Function string
	// Arguments are as they are printed: NAME=float[5,37] or NAME=3.
	Arguments []string
	lines     []string
}

func (c *TorchCall) String() string {
	return c.Function + "(" + strings.Join(c.Arguments, ", ") + ")"
}

// TorchCalls chooses calls of the functions of a PyTorch extension that take tensors and that none of the others
// calls: several shapes with odd tails, as many dimensions as the function asks sizes of, elements that differ
// and none of which is zero, of each type in turn where AT_DISPATCH… chooses it; whole numbers are below each size, since
// they may be indices. None where the program is no extension, or has a main.
func TorchCalls(prog *parser.Program) (calls []*TorchCall) {
	if hasMain(prog) {
		return nil
	}
	called := func(fn *parser.Function) bool {
		return slices.ContainsFunc(prog.Files, func(f *parser.File) bool {
			return slices.ContainsFunc(f.Functions, func(by *parser.Function) bool {
				return by != fn && takesTensors(f, by) && HasWord(f.Text(by.Body), fn.Name)
			})
		})
	}
	for _, f := range prog.Files {
		if !strings.Contains(string(f.Src), "#include <torch/") && !strings.Contains(string(f.Src), "#include <ATen/") && !strings.Contains(string(f.Src), "\"torch/") {
			continue
		}
		for _, fn := range f.Functions {
			if !takesTensors(f, fn) || called(fn) {
				continue
			}
			for k := range PlainRuns {
				if c := torchCall(prog, f, fn, k); c != nil {
					calls = append(calls, c)
				}
			}
		}
	}
	return calls
}

func takesTensors(f *parser.File, fn *parser.Function) bool {
	return fn.Body != nil && fn.Class == "" && !fn.IsKernel() && !fn.IsDevice() && !fn.IsTemplate &&
		slices.ContainsFunc(fn.Params, func(p parser.Param) bool { return isTensor(f, &p) })
}

func isTensor(f *parser.File, p *parser.Param) bool { return tensorMatch(f, p) != nil }

func isOptional(f *parser.File, p *parser.Param) bool { return tensorMatch(f, p)[1] != "" }

func tensorMatch(f *parser.File, p *parser.Param) []string {
	return tensorType.FindStringSubmatch(strings.TrimSpace(f.Text(p.Node.Child(parser.FieldType))))
}

// torchCall chooses the arguments of the k-th call; nil where a parameter is of a type that nothing is chosen for.
func torchCall(prog *parser.Program, f *parser.File, fn *parser.Function, k int) *TorchCall {
	c := &TorchCall{file: f, fn: fn, Function: fn.Name}
	dims := map[string]int{}
	uses := map[string][]tensorUse{}
	large := 0 // tensors of two dimensions and more
	for i := range fn.Params {
		if p := &fn.Params[i]; isTensor(f, p) {
			uses[p.Name] = usesOf(prog, f, fn, p.Name, 3)
			dims[p.Name] = dimensions(uses[p.Name])
			if dims[p.Name] > 1 {
				large++
			}
		}
	}
	inner := 0 // the last size of the first of them, which rows alone have, too
	for _, name := range slices.Sorted(maps.Keys(dims)) {
		if dims[name] > 1 && inner == 0 {
			all := shape(dims[name], large > 1, 0, k)
			inner = all[len(all)-1]
		}
	}
	least := 1 << 30
	for _, d := range dims {
		least = min(least, slices.Min(shape(d, large > 1, inner, k)))
	}
	for i := range fn.Params {
		p := &fn.Params[i]
		if p.Name == "" {
			return nil
		}
		if d, ok := dims[p.Name]; ok {
			if isOptional(f, p) && k%2 == 1 {
				c.Arguments = append(c.Arguments, p.Name+"=none")
				c.lines = append(c.lines, fmt.Sprintf("c10::optional<at::Tensor> %s;", p.Name))
				continue
			}
			sizes := sizesText(shape(d, large > 1, inner, k))
			typ := elementType(uses[p.Name], k)
			c.Arguments = append(c.Arguments, fmt.Sprintf("%s=%s[%s]", p.Name, typ, sizes))
			c.lines = append(c.lines, fmt.Sprintf("at::Tensor %s = smux_torch::distinct<%s>({%s}, %du, %d);", p.Name, typ, sizes, seed(p.Name), least))
			continue
		}
		t := TypeOf(f, fn, p, nil)
		value := ""
		switch {
		case t.Pointers > 0:
			return nil
		case t.Known == "bool":
			value = []string{"true", "false"}[k%2]
		case t.Known == "float" || t.Known == "double":
			value = []string{"1.5", "3.0", "0.75"}[k%3]
		case ctype.Bits[t.Known] != 0:
			value = []string{"3", "1", "2"}[k%3]
		default:
			return nil
		}
		c.Arguments = append(c.Arguments, p.Name+"="+value)
		c.lines = append(c.lines, fmt.Sprintf("%s %s = %s;", t.Base, p.Name, value))
	}
	return c
}

// shape returns the k-th sizes of a tensor. Where several tensors have rows and columns, their inner sizes must
// agree: then all sizes are one. A tensor of one dimension beside them has the inner size that is given.
func shape(dims int, square bool, inner, k int) []int {
	all := map[int][][]int{
		1: {{999}, {64}, {1}},
		2: {{5, 37}, {3, 64}, {1, 7}},
		3: {{3, 5, 17}, {2, 3, 32}, {1, 1, 7}},
		4: {{2, 3, 5, 9}, {1, 2, 8, 8}, {1, 1, 1, 7}},
		5: {{2, 3, 2, 5, 7}, {1, 2, 4, 4, 4}, {1, 1, 1, 1, 7}},
	}
	switch {
	case dims == 1 && inner > 0:
		return []int{inner}
	case square && dims > 1:
		return slices.Repeat([]int{[]int{37, 16, 7}[k%3]}, dims)
	}
	return all[dims][k%3]
}

func sizesText(sizes []int) string {
	words := make([]string, len(sizes))
	for i, n := range sizes {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ", ")
}

// AttachTorch gives an extension a main that makes calls and copies results and arguments back. The calls must be of
// functions of one file; those of functions that the program lacks, or that take others, are left out.
func AttachTorch(prog *parser.Program, calls []*TorchCall) (*parser.Program, error) {
	var host *parser.File
	var runs []string
	for _, c := range calls {
		for _, f := range prog.Files {
			fn := sameFunction(f, c)
			if fn == nil || host != nil && f != host {
				continue
			}
			host = f
			namespaces := ""
			for _, n := range (&Definition{f, fn}).namespaces() {
				namespaces += "using namespace " + n + "; "
			}
			var names []string
			show := ""
			for i := range fn.Params {
				// Names are the reference's: parameters of the other function may have others.
				name := c.fn.Params[i].Name
				names = append(names, name)
				if isTensor(f, &fn.Params[i]) {
					show += fmt.Sprintf(" smux_torch::show(%q, %s);", name, name)
				}
			}
			call := fmt.Sprintf("%s(%s)", fn.Name, strings.Join(names, ", "))
			if strings.TrimSpace(f.Text(fn.Node.Child(parser.FieldType))) != "void" {
				call = fmt.Sprintf(`smux_torch::show("result", %s)`, call)
			}
			runs = append(runs, fmt.Sprintf("    smux_torch::call(%q, [&] { %s%s %s;%s });", c.String(), namespaces, strings.Join(c.lines, " "), call, show))
		}
	}
	if host == nil {
		return nil, diag.Message{Code: CodeKernel, Text: "no function of the file takes what those of the other take"}
	}
	text := append(withoutMain(host), "\n"+torchCalls+"\nint main()\n{\n"+strings.Join(runs, "\n")+"\n    return smux_torch::end();\n}\n"...)
	run, err := prog.WithTexts(map[string][]byte{host.Name: text})
	if err != nil {
		return nil, diag.Failed("reading the program made for the extension", err)
	}
	return run, nil
}

// sameFunction returns the function of a file that has the name of a call's, or else its types of parameters.
func sameFunction(f *parser.File, c *TorchCall) *parser.Function {
	types := func(file *parser.File, fn *parser.Function) (out []string) {
		for i := range fn.Params {
			name := strings.TrimPrefix(file.Text(fn.Params[i].Node.Child(parser.FieldType)), "const ")
			out = append(out, cmp.Or(ctype.Canonical(name), strings.Join(strings.Fields(strings.Replace(name, "torch::", "at::", 1)), "")))
		}
		return out
	}
	want := types(c.file, c.fn)
	var alike *parser.Function
	for _, fn := range f.Functions {
		if !takesTensors(f, fn) || !slices.Equal(types(f, fn), want) {
			continue
		}
		if fn.Name == c.Function {
			return fn
		}
		if alike == nil {
			alike = fn
		}
	}
	return alike
}
