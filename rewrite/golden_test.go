package rewrite_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diff"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/unroll"
	"github.com/smux-cuda/smux/rewrite/variant"
)

var update = flag.Bool("update", false, "write what the code does into the goldens")

const casesDir = "../testdata/cases"

// rewriteCase is one archive of testdata/cases: a comment that says what it
// shows, with settings at its end, then the source files, then the goldens.
//
//	named: in.cu k.cuh   the files to rewrite (default: all .cu)
//	block: 64            the block size given on the command line
//	factor: 4            N (default 2)
//	slots: 2             M: dyn is tried as well
//	variants: merge dyn  the rewriters that it is shown for (default: vtb)
//	private: 2           P, for co-vtb
//	along: y             merge along that dimension of the grid
//	stage: 8             K, loads ahead of a region
//	assume: yes          tell the compiler the block shape
//	cut: by=window R=3   the knobs of slice
//	after: y=2 unroll=4  what follows coarsen
//	of: threads          what coarsen puts together
//	scheme: table        the form in which stage copies arrays
//	shape: 32,8          the shape of blocks that reshape launches
//	vector: 4            how many elements stage copies at a time
//	on: pin-values       knobs that are on
//	recipe: pin=i        show what demote makes of it; may be given more than once
//	input: crlf|bom|bare the files as a txtar archive can't hold them
type rewriteCase struct {
	name    string
	archive *txtar.Archive
	sources map[string][]byte
	order   []string // of the sources
	named   []string
	block   [3]int
	factor  int
	slots   int
	shown   []string // rewriters
	along   string
	private int
	stage   int
	assume  bool
	on      rewrite.Variant
	recipes []string
	by      string
	rounds  int
}

// goldenSection reports whether a section of an archive holds what is expected.
func goldenSection(name string) bool {
	return name == "regions" || strings.HasSuffix(name, ".messages") || strings.HasSuffix(name, ".diff")
}

func loadCases(t *testing.T) []*rewriteCase {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(casesDir, "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	var out []*rewriteCase
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		c := &rewriteCase{name: strings.TrimSuffix(filepath.Base(path), ".txtar"), archive: archive, sources: map[string][]byte{}, factor: 2, shown: []string{"vtb"}}
		input := ""
		for _, line := range strings.Split(string(archive.Comment), "\n") {
			key, value, _ := strings.Cut(line, ": ")
			switch key {
			case "named":
				c.named = strings.Fields(value)
			case "block":
				n, err := strconv.Atoi(value)
				require.NoError(t, err, path)
				c.block = [3]int{n, 1, 1}
			case "factor":
				c.factor, err = strconv.Atoi(value)
				require.NoError(t, err, path)
			case "slots":
				c.slots, err = strconv.Atoi(value)
				require.NoError(t, err, path)
			case "variants":
				c.shown = strings.Fields(value)
			case "private":
				c.private, err = strconv.Atoi(value)
				require.NoError(t, err, path)
			case "along":
				c.along = value
			case "stage":
				c.stage, err = strconv.Atoi(value)
				require.NoError(t, err, path)
			case "assume":
				c.assume = value == "yes"
			case "cut":
				w, err := variant.Parse("slice " + value)
				require.NoError(t, err, path)
				c.by, c.rounds = w.By, w.Rounds
			case "after":
				w, err := variant.Parse("coarsen " + value)
				require.NoError(t, err, path)
				c.on.FactorY, c.on.Unroll = w.FactorY, w.Unroll
			case "of":
				c.on.Of = value
			case "scheme":
				c.on.Scheme = value
			case "shape":
				c.on.Extents = value
			case "vector":
				c.on.Vector, err = strconv.Atoi(value)
				require.NoError(t, err, path)
			case "on":
				for _, knob := range strings.Fields(value) {
					*c.on.Switch(knob) = true
				}
			case "recipe": // of demote; each has sections of its own
				c.recipes = append(c.recipes, value)
			case "input":
				input = value
			}
		}
		for _, f := range archive.Files {
			if goldenSection(f.Name) {
				continue
			}
			c.sources[f.Name] = convert(t, f.Data, input)
			c.order = append(c.order, f.Name)
		}
		if c.named == nil {
			for _, name := range c.order {
				if strings.HasSuffix(name, ".cu") {
					c.named = append(c.named, name)
				}
			}
		}
		out = append(out, c)
	}
	return out
}

// convert makes of a file what an archive can't hold.
func convert(t *testing.T, data []byte, input string) []byte {
	t.Helper()
	switch input {
	case "":
		return data
	case "crlf":
		return bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
	case "bom":
		return append([]byte("\xef\xbb\xbf"), data...)
	case "bare":
		return bytes.TrimRight(data, "\n")
	}
	t.Fatalf("input: %s is not known", input)
	return nil
}

// visible shows in a golden what a person would not see.
func visible(b []byte) []byte {
	b = bytes.ReplaceAll(b, []byte("\r"), []byte("<CR>"))
	return bytes.ReplaceAll(b, []byte("\xef\xbb\xbf"), []byte("<BOM>"))
}

func (c *rewriteCase) parse(t *testing.T) *parser.Program {
	t.Helper()
	opt := parser.Options{ReadFile: func(name string) ([]byte, error) {
		if data, ok := c.sources[filepath.ToSlash(filepath.Clean(name))]; ok {
			return data, nil
		}
		return nil, os.ErrNotExist
	}}
	prog, errs := parser.LoadProgram(c.named, opt)
	require.NoError(t, errors.Join(errs...))
	return prog
}

// caseVariant is a rewrite that a case is shown in.
type caseVariant struct{ variant, sync, recipe string }

// variants are the rewriters that a case is shown for in all their sync modes
// and, where it says how many slots, dyn.
func (c *rewriteCase) variants() []caseVariant {
	var out []caseVariant
	shown := c.shown
	if c.slots > 0 && !slices.Contains(shown, "dyn") {
		shown = append(slices.Clone(shown), "dyn")
	}
	for _, name := range shown {
		for _, r := range rewrite.Rewriters {
			for _, sync := range r.Syncs {
				if r.Name == name && !r.Has(variant.KnobRecipe) {
					out = append(out, caseVariant{variant: name, sync: sync})
				}
			}
		}
	}
	for _, recipe := range c.recipes {
		out = append(out, caseVariant{variant: "demote", recipe: recipe})
	}
	return out
}

// stem returns the beginning of the sections of a variant.
func (c *rewriteCase) stem(v caseVariant) string {
	switch {
	case v.recipe != "":
		return "demote " + v.recipe
	case v.sync == "":
		return v.variant
	case v.variant == "dyn":
		return fmt.Sprintf("dyn-%d-%d", c.factor, c.slots)
	}
	return fmt.Sprintf("%s-%s-%d", v.variant, v.sync, c.factor)
}

// variant returns the variant that a case asks for.
func (c *rewriteCase) variant(v caseVariant) rewrite.Variant {
	w := c.on
	w.Rewriter, w.Factor, w.Sync, w.SharedSets, w.GridAxis = v.variant, c.factor, v.sync, c.slots, c.along
	w.PrivateRows, w.Stage, w.Assume, w.Recipe = c.private, c.stage, c.assume, v.recipe
	w.By, w.Rounds = c.by, c.rounds
	return w
}

func (c *rewriteCase) rewrite(t *testing.T, v caseVariant, runtime string) *rewrite.Result {
	t.Helper()
	prog := c.parse(t)
	res, err := rewrite.Run(prog, rewrite.Options{Variant: c.variant(v), Block: c.block, Runtime: runtime})
	require.NoError(t, err)
	res.Files, err = rewrite.Delivered(res, prog)
	require.NoError(t, err)
	return res
}

// regions lists where shared memory is live, per kernel of a program.
func regions(prog *analysis.Program) []byte {
	var b bytes.Buffer
	for _, k := range prog.Kernels() {
		fmt.Fprintf(&b, "%s:", k.Name)
		for _, h := range k.Hazards {
			fmt.Fprintf(&b, " %s", h.Code)
		}
		if len(k.Hazards) == 0 {
			for i, in := range k.Instances {
				if i > 0 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, " %s", in)
			}
		}
		b.WriteByte('\n')
		for _, r := range k.Regions {
			first, last := k.File.Position(r.First.Start), k.File.Position(r.Last.Start)
			fmt.Fprintf(&b, "\t%d:%d to %d:%d,", first.Line, first.Column, last.Line, last.Column)
			for _, s := range r.Arrays {
				fmt.Fprintf(&b, " %s", s.Name)
			}
			fmt.Fprintf(&b, ", %d barriers", r.Barriers)
			if r.Loops > 0 {
				fmt.Fprintf(&b, ", in %d loops", r.Loops)
			}
			if len(r.Live) > 0 {
				b.WriteString(", live:")
				for _, s := range r.Live {
					fmt.Fprintf(&b, " %s", s.Name)
				}
			}
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// sections computes the goldens of a case.
func (c *rewriteCase) sections(t *testing.T) []txtar.File {
	out := []txtar.File{{Name: "regions", Data: regions(passes.NewProgram(c.parse(t), c.block))}}
	for _, v := range c.variants() {
		res := c.rewrite(t, v, "header")
		stem := c.stem(v)
		var said bytes.Buffer
		for _, k := range res.Kernels {
			require.True(t, k.Rewriter != "" != (len(k.Refused) > 0), "%s: %s is either rewritten or refused", c.name, k.Name)
			for _, m := range k.Refused {
				fmt.Fprintf(&said, "%s: refused: %s\n", k.Name, m)
			}
			for _, m := range k.Notes {
				fmt.Fprintf(&said, "%s: note: %s\n", k.Name, m)
			}
		}
		if said.Len() > 0 {
			out = append(out, txtar.File{Name: stem + ".messages", Data: said.Bytes()})
		}
		var diffs bytes.Buffer
		for _, f := range res.Files {
			require.Equal(t, string(c.sources[f.Name]), string(f.Before), "%s: what %s was", c.name, f.Name)
			diffs.Write(visible(diff.Unified(f.Name, f.Name, f.Before, f.After)))
		}
		if diffs.Len() > 0 {
			out = append(out, txtar.File{Name: stem + ".diff", Data: diffs.Bytes()})
		}
	}
	return out
}

// TestCases compares regions, rewritten code and refusals with the goldens.
func TestCases(t *testing.T) {
	for _, c := range loadCases(t) {
		t.Run(c.name, func(t *testing.T) {
			got := c.sections(t)
			if *update {
				var files []txtar.File
				for _, f := range c.archive.Files {
					if !goldenSection(f.Name) {
						files = append(files, f)
					}
				}
				c.archive.Files = append(files, got...)
				require.NoError(t, os.WriteFile(filepath.Join(casesDir, c.name+".txtar"), txtar.Format(c.archive), 0o666))
				return
			}
			want := map[string]string{}
			for _, f := range c.archive.Files {
				if goldenSection(f.Name) {
					want[f.Name] = string(f.Data)
				}
			}
			for _, f := range got {
				require.Equal(t, want[f.Name], string(f.Data), "section %s (-update writes it)", f.Name)
				delete(want, f.Name)
			}
			require.Empty(t, want, "sections that are no more")
		})
	}
}

// TestRewritingIsIdempotent feeds what was emitted to smux again: every kernel
// that was rewritten must be refused as already multiplexed, or because nothing is left to do, and no byte change.
func TestRewritingIsIdempotent(t *testing.T) {
	for _, c := range loadCases(t) {
		for _, v := range c.variants() {
			res := c.rewrite(t, v, "inline")
			if len(res.Files) == 0 {
				continue
			}
			again := *c
			again.sources = map[string][]byte{}
			for name, data := range c.sources {
				again.sources[name] = data
			}
			rewritten := map[string]bool{}
			for _, f := range res.Files {
				again.sources[f.Name] = f.After
			}
			for _, k := range res.Kernels {
				rewritten[k.Name] = k.Rewriter != ""
			}
			res = again.rewrite(t, v, "inline")
			for _, k := range res.Kernels {
				if rewritten[k.Name] {
					require.NotEmpty(t, k.Refused, "%s %s: %s is rewritten twice", c.name, v, k.Name)
					done := rewrite.CodeAlready
					if v.variant == "unroll" { // a pragma is no mark of smux
						done = unroll.CodeNothing
					}
					require.Equal(t, done, k.Refused[0].Code, "%s %s: %s", c.name, v, k.Name)
				}
			}
			require.Empty(t, res.Files, "%s %s", c.name, v)
		}
	}
}

// TestRewritingIsDeterministic runs a rewrite several times: maps must not
// decide over the order of edits or messages.
func TestRewritingIsDeterministic(t *testing.T) {
	for _, c := range loadCases(t) {
		for _, v := range c.variants() {
			first := c.rewrite(t, v, "header")
			for range 3 {
				require.Equal(t, first, c.rewrite(t, v, "header"), "%s %s", c.name, v)
			}
		}
	}
}

// TestExampleRegions compares the regions of the ten benchmarks with what a
// person found by reading them.
func TestExampleRegions(t *testing.T) {
	paths, err := filepath.Glob("../examples/*/*.cu")
	require.NoError(t, err)
	require.Len(t, paths, 10)
	sort.Strings(paths)
	var b bytes.Buffer
	for _, path := range paths {
		prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
		require.NoError(t, errors.Join(errs...))
		fmt.Fprintf(&b, "== %s\n%s", filepath.Base(path), regions(passes.NewProgram(prog, [3]int{})))
	}
	golden := "../testdata/examples/regions.golden"
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o777))
		require.NoError(t, os.WriteFile(golden, b.Bytes(), 0o666))
		return
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}
