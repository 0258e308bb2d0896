package report_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"

	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
)

var update = flag.Bool("update", false, "rewrite the goldens")

var way = rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: 2}

func named(name string, line int) report.Kernel {
	return report.Kernel{KernelReport: summary.KernelReport{Name: name, Position: diag.Position{File: "src/" + name + ".cu", Line: line, Column: 17}}}
}

func stands(registers, blocks int, from string, limit occupancy.Limit) selection.Standing {
	return selection.Standing{Resources: selection.Resources{Registers: registers, Source: from}, Blocks: blocks, Limiters: 1 << limit}
}

// modelled is a kernel that the model was asked about, on two GPUs.
func modelled(k report.Kernel, chosen bool) report.Kernel {
	r := &selection.Report{}
	ranked := selection.RankedVariant{Variant: way, Gain: 1.3}
	for i, gpu := range []string{"a100", "t4"} {
		before, after := stands(20, 16-8*i, "estimate", occupancy.Shared), stands(22, 20, "estimate", occupancy.Registers)
		r.Originals = append(r.Originals, selection.Original{GPU: gpu, Block: "64", Standing: before})
		ranked.Places = append(ranked.Places, selection.Prediction{GPU: gpu, Block: "64", Before: before, After: after, Ratio: 1.2 + 0.2*float64(i)})
	}
	r.Ranking = []selection.RankedVariant{ranked}
	if chosen {
		r.Choice = &way
	}
	k.Model, k.Offers = r, []rewrite.CheckedVariant{{Variant: way, Can: true}}
	return k
}

func refused(k report.Kernel, codes ...diag.Code) report.Kernel {
	o := rewrite.CheckedVariant{Variant: way}
	for _, c := range codes {
		o.Refused = append(o.Refused, diag.Message{Pos: k.Position, Code: c, Text: "the kernel has a " + string(c) + " | pipe in `it`"})
	}
	k.Offers = []rewrite.CheckedVariant{o}
	return k
}

// sample has a kernel of each kind.
func sample() []report.Program {
	measured := modelled(named("sums", 7), true)
	measured.Evidence = []report.Evidence{
		{Device: "NVIDIA A100-SXM4-40GB", Form: "vtb named N=2", Chosen: true, Ratio: 1.312, Low: 1.28, High: 1.35, Pairs: 24, On: "gpu", Correct: "outputs equal the original's"},
		{Device: "t4", Form: "vtb named N=4", Ratio: 1.1, Low: 1, High: 1.2, Pairs: 6, On: "command", Correct: "outputs not compared"},
	}
	return []report.Program{
		{Kernels: []report.Kernel{
			refused(named("exits", 3), "early-exit", "goto"), modelled(named("flat", 9), false), measured,
			refused(named("quiet", 5), "no-shared"), refused(named("jumps", 4), "goto"),
		}},
		{Lost: []report.Lost{{Name: "broken", Position: diag.Position{File: "x.cu", Line: 1, Column: 1}}}},
	}
}

// judged has a kernel of each verdict, and one that a certificate speaks of.
func judged() []report.Program {
	proved := modelled(named("sums", 7), true)
	proved.Judgement = &report.Judgement{Verdict: report.Proved, Block: [3]int{16, 16, 1}, Assumes: []string{"smux.cuh is as smux runtime writes it"}}
	doubted := modelled(named("waits", 11), true)
	doubted.Judgement = &report.Judgement{Verdict: report.NotShown, Doubt: &diag.Message{Pos: diag.Position{File: "src/waits.cu", Line: 12, Column: 1}, Text: "progress: this loop may wait"}}
	tested := modelled(named("tested", 13), true)
	tested.Judgement = &report.Judgement{Verdict: report.Tested, Tested: report.OutputsEqual, Doubt: doubted.Judgement.Doubt}
	before := refused(named("merged", 15), "already-multiplexed")
	before.Judgement = &report.Judgement{Verdict: report.Proved, Certificate: "proof.json"}
	return []report.Program{{Kernels: []report.Kernel{proved, doubted, tested, before}}}
}

func write(t testing.TB, programs []report.Program, opt report.MarkdownOptions) string {
	var out bytes.Buffer
	require.NoError(t, report.WriteMarkdown(&out, programs, opt))
	assert.LessOrEqual(t, out.Len(), report.MarkdownLimit)
	return out.String()
}

func TestTheCommentIsAsExpected(t *testing.T) {
	done := sample()
	for i := range done[0].Kernels {
		k := &done[0].Kernels[i]
		k.Result = &rewrite.KernelResult{Name: k.Name, Pos: k.Position}
		if k.Model != nil && k.Model.Choice != nil {
			k.Result.Variant, k.Result.Notes = way, []diag.Message{{Code: "chosen", Text: "vtb named N=2 chosen"}}
		} else {
			k.Result.Refused = []diag.Message{{Code: "no-gain", Text: "no variant gains"}}
		}
	}
	for name, got := range map[string]string{
		"analyze": write(t, sample(), report.MarkdownOptions{}),
		"rewrite": write(t, done, report.MarkdownOptions{Rewrite: true, Path: func(name string) string { return "lib/" + name }}),
		"judged":  write(t, judged(), report.MarkdownOptions{}),
		"empty":   write(t, nil, report.MarkdownOptions{}),
	} {
		file := "testdata/" + name + ".md"
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(got), 0o666))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(want), got, "go test ./report -update")
	}
}

var gfm = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))

// rendered is a comment as a reader of GitHub's Markdown sees it: the texts of all code,
// and the cells of all tables, by row.
type rendered struct {
	code []string
	rows [][]string
}

func render(src string) rendered {
	var out rendered
	source := []byte(src)
	doc := gfm.Parser().Parse(text.NewReader(source))
	ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.CodeSpan:
			if entering {
				out.code = append(out.code, plain(n, source))
			}
		case *east.TableRow:
			if entering {
				out.rows = append(out.rows, nil)
			}
		case *east.TableCell:
			if _, body := n.Parent().(*east.TableRow); entering && body {
				out.rows[len(out.rows)-1] = append(out.rows[len(out.rows)-1], plain(n, source))
			}
		}
		return ast.WalkContinue, nil
	})
	return out
}

// plain is the text of a node, without markup: tags are dropped, entities are what
// they stand for.
func plain(n ast.Node, source []byte) string {
	var out bytes.Buffer
	if err := gfm.Renderer().Render(&out, source, n); err != nil {
		panic(err)
	}
	return unhtml(strings.TrimSuffix(out.String(), "\n"))
}

func TestATableHasARowForEachKernelOrGPU(t *testing.T) {
	r := render(write(t, sample(), report.MarkdownOptions{}))
	want := [][]string{
		{"a100", "64", "shared memory → registers", "16 → 20", "20 → 22", "1.20x"},
		{"t4", "64", "shared memory → registers", "8 → 20", "20 → 22", "1.40x"},
		{"goto", "2", "", "exits, jumps"},
		{"early-exit", "1", "", "exits"},
	}
	require.GreaterOrEqual(t, len(r.rows), len(want))
	for i, row := range want {
		for j, cell := range row {
			if cell != "" {
				assert.Equal(t, cell, r.rows[i][j], "row %d, column %d", i, j)
			}
		}
	}
	assert.Len(t, r.rows, 2+2+1+2+1+1, "two GPUs, two codes, a kernel that is flat, two that are refused, one without shared memory, one lost")
}

// Whatever kernels, files and GPUs are called, the tables keep their shape, and names
// come out as they went in.
func TestNamesComeOutAsTheyWentIn(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a", "_", "__", "*", "**", "`", "``", "|", "\\", "\\|", "<", ">", "</details>", "<!--", "&", "&amp;", "&#124;", "[x](y)", "![", "#", "@me", " ", "\n", "\t", "~~", "ünï", "日本", "\x00", "\xff", "http://x.y", "www.z", ":", "!", "$", "1.", "- ", "+", "=", "-->", "\"", "'", "%", ";"}
	odd := func() string {
		var out strings.Builder
		for range 1 + r.IntN(6) {
			out.WriteString(pieces[r.IntN(len(pieces))])
		}
		return out.String()
	}
	for range 300 {
		name, file := odd(), odd()
		changed, flat, bad := modelled(named(name, 1), true), modelled(named(name, 2), false), refused(named(name, 3), "goto")
		for _, k := range []*report.Kernel{&changed, &flat, &bad} {
			k.Position.File = file
		}
		bad.Offers[0].Refused[0].Text = "it has " + name
		r := render(write(t, []report.Program{{Kernels: []report.Kernel{changed, flat, bad}, Lost: []report.Lost{{Name: name, Position: bad.Position}}}}, report.MarkdownOptions{}))
		shown, place := prose.Printable(name), func(line int) string { return fmt.Sprintf("%s:%d", prose.Printable(file), line) }
		require.Len(t, r.rows, 2+1+1+1+1, "%q", name)
		require.Equal(t, shown, r.rows[2][3], "of the code: %q", name)
		for i, line := range []int{2, 3} {
			require.Equal(t, shown+place(line), r.rows[3+i][0], "%q in %q", name, file)
		}
		require.Equal(t, []string{shown, place(3)}, r.rows[5], "%q in %q", name, file)
		require.Len(t, r.rows[3], 4)
		assert.Contains(t, r.rows[4][3], strings.TrimSpace("it has "+shown))
	}
}

func TestWhatIsTooLongIsCutAtTheEndOfARow(t *testing.T) {
	for _, n := range []int{100, 2500} {
		var p report.Program
		for i := range n {
			k := modelled(named(fmt.Sprintf("kernel%d", i), i+1), i%40 == 0)
			if i%3 == 1 {
				k = refused(named(fmt.Sprintf("kernel%d", i), i+1), "goto")
			}
			p.Kernels = append(p.Kernels, k)
		}
		got := write(t, []report.Program{p}, report.MarkdownOptions{})
		assert.Equal(t, strings.Count(got, "<details>"), strings.Count(got, "</details>"))
		assert.Equal(t, n > 1000, strings.Contains(got, "Left out, since a comment holds 65,536 characters"))
		for _, row := range render(got).rows {
			assert.Contains(t, []int{4, 6, 7}, len(row))
		}
	}
}
