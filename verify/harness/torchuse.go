package harness

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// tensorUse is a tensor in a function that gets it: the body, and what the tensor is called there.
type tensorUse struct{ body, name string }

// usesOf returns where a parameter of a function of an extension goes: the function itself, then those that take tensors and that
// it is handed to, as it is or after a call such as x.contiguous().
func usesOf(prog *parser.Program, f *parser.File, fn *parser.Function, name string, deep int) []tensorUse {
	body := f.Text(fn.Body)
	out := []tensorUse{{body, name}}
	if deep == 0 {
		return out
	}
	for _, other := range prog.Files {
		for _, g := range other.Functions {
			if g == fn || !takesTensors(other, g) {
				continue
			}
			for i, argument := range argumentsOf(body, g.Name) {
				if i < len(g.Params) && regexp.MustCompile(`^`+regexp.QuoteMeta(name)+`\s*(?:\.\s*\w+\(\))*$`).MatchString(argument) {
					out = append(out, usesOf(prog, other, g, g.Params[i].Name, deep-1)...)
				}
			}
		}
	}
	return out
}

// argumentsOf returns the arguments of the first call of a function in a text.
func argumentsOf(text, name string) (out []string) {
	at := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\s*\(`).FindStringIndex(text)
	if at == nil {
		return nil
	}
	depth, from := 0, at[1]
	for i := at[1]; i < len(text); i++ {
		switch text[i] {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			if depth--; depth < 0 {
				return append(out, strings.TrimSpace(text[from:i]))
			}
		case ',':
			if depth == 0 {
				out, from = append(out, strings.TrimSpace(text[from:i])), i+1
			}
		}
	}
	return nil
}

// dimensions returns how many dimensions the functions that get a tensor take it to have.
func dimensions(uses []tensorUse) int {
	most := 1
	for _, u := range uses {
		most = max(most, u.dimensions())
	}
	return most
}

// member matches what stands before the name of a member of the tensor, or of one that may be there.
func (u tensorUse) member() string {
	return `\b` + regexp.QuoteMeta(u.name) + `(?:\s*\.\s*value\(\)|\s*\))?\s*(?:\.|->)\s*`
}

func (u tensorUse) dimensions() int {
	body, most := u.body, 1
	quoted := u.member()
	if m := regexp.MustCompile(quoted + `(?:generic_)?(?:packed_)?accessor(?:32|64)?\s*<[^;()]*?,\s*(\d+)`).FindStringSubmatch(body); m != nil {
		n, _ := strconv.Atoi(m[1])
		return min(n, 5)
	}
	for _, form := range []string{quoted + `size\(\s*(-?\d+)\s*\)`, quoted + `stride\(\s*(-?\d+)\s*\)`, quoted + `(?:sizes|strides)\(\)\s*\[\s*(\d+)\s*\]`} {
		for _, m := range regexp.MustCompile(form).FindAllStringSubmatch(body, -1) {
			if n, err := strconv.Atoi(m[1]); err == nil {
				most = max(most, n+1, -n)
			}
		}
	}
	if m := regexp.MustCompile(quoted + `(?:dim|ndimension)\(\)\s*==\s*(\d+)`).FindStringSubmatch(body); m != nil {
		most, _ = strconv.Atoi(m[1])
	}
	return min(most, 5)
}

// elementType returns the type of a tensor's elements in the k-th call: that by which its data are asked for, and where a
// dispatch chooses it, one of those that the dispatch has.
func elementType(uses []tensorUse, k int) string {
	for _, u := range uses {
		if all := u.elements(); len(all) > 0 {
			return all[k%len(all)]
		}
	}
	return "float"
}

// elements returns the types that a function takes a tensor's elements to have; none if nothing tells.
func (u tensorUse) elements() []string {
	body := u.body
	m := regexp.MustCompile(u.member() + `(?:template\s+)?(?:data|data_ptr|const_data_ptr|mutable_data_ptr|\w*accessor\w*)\s*<\s*(?:const\s+)?([\w:]+(?:\s+[\w:]+)*)\s*[>,]`).FindStringSubmatch(body)
	switch {
	case m == nil && regexp.MustCompile(u.member()+`(scalar_type|type|dtype)\(\)`).MatchString(body), m != nil && m[1] == "scalar_t":
		return dispatched(body)
	case m == nil:
		return nil
	}
	return []string{elementOf(m[1])}
}

// elementOf returns the type of the stand-in by a name of PyTorch: at::Half, kHalf, int64_t.
func elementOf(name string) string {
	switch {
	case strings.HasSuffix(name, "BFloat16"):
		return "__nv_bfloat16"
	case strings.HasSuffix(name, "Half"), strings.HasSuffix(name, "kFloat16"):
		return "__half"
	}
	return name
}

var dispatch = regexp.MustCompile(`\bAT_DISPATCH_(?:CASE_)?((?:\w*_)?TYPES(?:_AND_HALF|_AND\d?)?)\s*\(([^"]*)`)

// dispatched returns the types that the first dispatch of a function has, as far as they differ in what a kernel does with
// them: floating ones, then those of half the width, then whole ones; none where there is no dispatch.
func dispatched(body string) (out []string) {
	m := dispatch.FindStringSubmatch(body)
	if m == nil {
		return nil
	}
	set, extra := m[1], m[2]
	if strings.Contains(set, "REDUCED") {
		return []string{"__half", "__nv_bfloat16"}
	}
	if strings.Contains(set, "INTEGRAL") {
		out = []string{"int", "int64_t", "uint8_t"}
	} else {
		out = []string{"float", "double"}
	}
	if strings.HasSuffix(set, "_HALF") || strings.Contains(extra, "Half") || strings.Contains(extra, "kFloat16") {
		out = append(out, "__half")
	} else if strings.Contains(extra, "BFloat16") {
		out = append(out, "__nv_bfloat16")
	}
	if strings.HasPrefix(set, "ALL") {
		out = slices.Insert(out, 1, "int")
	}
	return out
}
