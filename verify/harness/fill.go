package harness

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// fillForm is one kind of Fill, and how many values it takes.
type fillForm struct {
	kind   string
	counts []int
	usage  string
}

var fills = []fillForm{
	{"zero", []int{0}, "zero"},
	{"iota", []int{0}, "iota"},
	{"rows", []int{0}, "rows"},
	{"const", []int{1}, "const(VALUE)"},
	{"distinct", []int{0}, "distinct"},
	{"random", []int{0, 2}, "random or random(FROM,BELOW)"},
	{"bytes", []int{0}, "bytes"},
	{"file", []int{1}, "file(PATH)"},
}

// parseFill reads "kind" or "kind(values)".
func parseFill(p Phrase) (Fill, error) {
	kind, inner := p, Phrase{}
	if i := strings.IndexByte(p.Text, '('); i >= 0 {
		if !strings.HasSuffix(p.Text, ")") {
			return Fill{}, p.from(i).wrong(CodeSyntax, "", "\"(\" is never closed")
		}
		kind, inner = p.cut(0, i).trim(), p.cut(i+1, len(p.Text)-1)
	}
	var known []string
	for _, f := range fills {
		if f.kind == kind.Text {
			return f.read(kind, inner)
		}
		known = append(known, f.kind)
	}
	return Fill{}, p.wrong(CodeSyntax, diag.DidYouMean(kind.Text, known, "there are"), "an array can't be filled with %q", p.Text)
}

func (f fillForm) read(kind, inner Phrase) (Fill, error) {
	if f.kind == "file" {
		path := strings.TrimSpace(inner.Text)
		if path == "" {
			return Fill{}, kind.wrong(CodeSyntax, "write "+f.usage, "file needs a path")
		}
		return Fill{Kind: f.kind, Path: path}, nil
	}
	parts, err := inner.split(",")
	if err != nil {
		return Fill{}, err
	}
	if !slices.Contains(f.counts, len(parts)) {
		return Fill{}, kind.wrong(CodeSyntax, "write "+f.usage, "%s takes another number of values", f.kind)
	}
	out := Fill{Kind: f.kind}
	for _, part := range parts {
		n, err := parseNumber(part)
		if err != nil {
			return Fill{}, err
		}
		out.Values = append(out.Values, n)
	}
	return out, nil
}

// parseNumber reads a literal such as -1.5 or an integer expression.
func parseNumber(p Phrase) (Number, error) {
	text := strings.TrimRight(p.Text, "fF")
	if v, err := strconv.ParseFloat(text, 64); err == nil && strings.ContainsAny(text, ".eE") && !strings.ContainsAny(text, "xX_") {
		if math.IsInf(v, 0) {
			return Number{}, p.wrong(CodeSyntax, "", "%s is too large", p.Text)
		}
		return Number{Float: v}, nil
	}
	e, err := ParseExpr(p)
	return Number{Expr: e}, err
}
