package arrows

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/smux-cuda/smux/"

// allowed says, for each folder, what its packages import of this module, beside
// one another. A folder further down that has an entry of its own goes by that.
// A folder stands before all that import it, so there are no circles.
// internal/lists knows nothing of this module, and all packages may import it.
var allowed = []struct{ folder, imports string }{
	{"model/hardware", ""},
	{"diag", ""},
	{"diff", ""},
	{"report/plot", ""},
	{everywhere, ""},
	{"internal", "diag"},
	{"report/finding", "diag diff"},
	{"parser", "diag"},
	{"project", "parser internal diag"},
	{"analysis/operator", ""},
	{"analysis/intrinsic", ""},
	{"analysis", "analysis/operator analysis/intrinsic parser diag model/hardware"},
	{"model", "diag internal model/hardware"}, // knows no source text and no CUDA
	{"nvcc", "internal"},
	{"analysis/cost", "analysis analysis/operator analysis/intrinsic model parser diag model/hardware"},
	{"analysis/demotion", "analysis analysis/intrinsic parser diag"},
	{"analysis/instance", "analysis nvcc parser diag"},
	{"analysis/sizes", "analysis parser diag"},
	{"acc/directive", "parser diag"},
	{"acc/words", "acc/directive parser diag"},
	{"acc/layout", ""},
	{"acc/texts", ""},
	{"validate/linear", ""},
	{"validate/units", "parser"},
	{"validate/kit", "validate/units analysis parser diag"},
	{"validate/content", "validate/kit validate/units analysis parser"},
	{"validate/moves", "validate/content validate/kit validate/units analysis"},
	{"validate/turns", "validate/moves validate/content validate/kit validate/units analysis parser"},
	{"validate/overlay", "validate/content validate/kit validate/units analysis parser"}, // a rewrite knows no other rewrite
	{"validate/slice", "validate/linear validate/content validate/kit validate/units analysis parser"},
	{"validate/stage", "validate/linear validate/content validate/kit validate/units analysis parser"},
	{"validate/registers", "validate/content validate/kit validate/units analysis parser"},
	{"validate/numbers", "validate/linear validate/kit validate/units analysis parser"},
	{"validate/coarsen", "validate/kit validate/units analysis parser"},
	{"validate", "validate/turns validate/coarsen validate/numbers validate/overlay validate/slice validate/stage validate/registers validate/content validate/kit validate/units analysis parser diag"}, // shares nothing with the rewriters
	{"rewrite/edit", ""},
	{"acc", "acc/directive acc/words acc/layout acc/texts rewrite/edit analysis parser diag"}, // of analysis the arithmetic and the types of numbers
	{"rewrite/packing", ""},
	{"rewrite/runtime", ""},
	{"rewrite/variant", "model/hardware diag"},
	{"rewrite/macrotext", "rewrite/edit parser diff diag"},
	{"rewrite/kit", "rewrite/variant rewrite/edit rewrite/runtime analysis analysis/intrinsic parser diag model/hardware"},
	{"rewrite/merge", "rewrite/kit rewrite/variant rewrite/edit rewrite/runtime analysis analysis/intrinsic parser diag model/hardware"}, // a rule knows no other rule
	{"rewrite/overlay", "rewrite/kit rewrite/variant rewrite/edit rewrite/runtime analysis analysis/intrinsic parser diag model/hardware rewrite/packing"},
	{"rewrite/slice", "rewrite/packing rewrite/kit rewrite/variant rewrite/edit rewrite/runtime analysis analysis/intrinsic parser diag model/hardware rewrite/overlay"}, // its arrays become overlays of each other
	{"rewrite/stage", "rewrite/kit rewrite/variant rewrite/edit rewrite/runtime analysis analysis/intrinsic parser diag model/hardware"},
	{"rewrite/registers", "rewrite/kit rewrite/variant rewrite/edit rewrite/runtime analysis analysis/intrinsic parser diag model/hardware analysis/demotion"},
	{"rewrite/shape", "rewrite/kit rewrite/variant rewrite/edit rewrite/runtime analysis analysis/intrinsic parser diag model/hardware"},
	{"rewrite/reshape", "rewrite/kit rewrite/variant rewrite/runtime analysis analysis/intrinsic parser diag model/hardware"},
	{"rewrite/coarsen", "rewrite/merge rewrite/kit rewrite/variant rewrite/edit rewrite/runtime analysis analysis/intrinsic parser diag model/hardware"},
	{"rewrite/swizzle", "rewrite/kit rewrite/variant analysis analysis/intrinsic diag"},
	{"rewrite/unroll", "rewrite/kit rewrite/variant analysis analysis/demotion parser diag"},
	{"rewrite", "rewrite/reshape rewrite/coarsen rewrite/swizzle rewrite/unroll rewrite/merge rewrite/overlay rewrite/slice rewrite/stage rewrite/registers rewrite/shape rewrite/macrotext rewrite/kit rewrite/variant rewrite/edit rewrite/runtime analysis analysis/intrinsic parser diag model/hardware"},
	{"project/config", "rewrite/variant model/hardware model parser internal diag"},
	{"verify/harness/ctype", ""},
	{"verify/harness", "verify/harness/ctype analysis parser model/hardware diag"},
	{"project/setup", "project/config project internal diag"},
	{"project/load", "verify/harness model/hardware rewrite/variant project project/config rewrite analysis parser internal diag"},
	{"verify", "rewrite/edit rewrite/runtime parser diff diag internal model/hardware"},
	{"verify/alone", "verify/harness verify parser diag"},
	{"pipeline/selection", "rewrite/variant rewrite/merge rewrite/stage rewrite analysis analysis/cost model internal diag model/hardware"},
	{"pipeline/targets", "project/load project/config project model parser internal diag"},
	{"pipeline/resources", "analysis/instance analysis/cost analysis nvcc model parser internal diag"},
	{"report", "validate analysis/sizes rewrite/variant pipeline/selection project/config report/finding rewrite analysis model parser internal diag"},
	{"report/baseline", "report/finding pipeline/resources project/config project rewrite analysis/cost analysis model parser internal diag"},
	{"report/simulation", "report pipeline/resources analysis/cost analysis model parser internal diag"},
	{"report/residency", "report report/plot pipeline/resources analysis model parser internal diag"},
	{"report/page", "report pipeline/selection rewrite analysis model internal diff diag"},
	{"rewrite/regreduce", "rewrite/variant rewrite/kit rewrite analysis analysis/demotion analysis/instance nvcc model parser internal diag"},
	{"tune/instrument", "rewrite/edit rewrite analysis parser diag"},
	{"tune/record", "rewrite parser internal diag"},
	{"tune/judge", "tune/record internal"},
	{"tune/stress", "rewrite/variant pipeline/resources tune/record tune/judge tune/instrument rewrite analysis nvcc model parser internal diag"},
	{"tune/search", "tune/record"},
	{"tune/foreign", "tune/judge tune/record diag"},
	{"tune/replay", "internal"},
	{"tune/space", "validate/units analysis/sizes model/hardware rewrite/kit rewrite/variant rewrite/merge rewrite/stage rewrite/reshape rewrite/edit tune/record tune/replay rewrite/regreduce pipeline/selection rewrite analysis nvcc model parser diag"},
	{"tune/machine", "tune/replay verify/harness tune/record tune/instrument verify rewrite analysis nvcc model parser internal diag"},
	{"tune/bundle", "internal diag"},
	{"tune/slurm", "internal diag"},
	{"tune/fidelity", "tune/judge tune/search tune/record model internal diag"},
	{"tune/modelcheck", "verify/harness tune/fidelity tune/judge tune/record tune/search analysis/cost analysis report/plot model parser internal diag model/hardware"},
	{"internal/doctor", "rewrite/variant rewrite/runtime analysis verify project/config rewrite nvcc model parser internal diag"},
	{"pipeline/header", "rewrite/runtime rewrite project diag"},
	{"internal/lsp", "report/finding report pipeline/selection project model internal diag"},
	{"pipeline", "rewrite/variant rewrite/runtime verify pipeline/resources pipeline/selection report project/config tune/stress tune/record rewrite/regreduce rewrite analysis/cost analysis/instance analysis nvcc model parser internal diff diag"},
	{"tune", "verify/harness rewrite/runtime tune/bundle tune/fidelity tune/foreign tune/judge tune/machine tune/record tune/search tune/slurm tune/space" +
		" pipeline/targets pipeline/selection pipeline project/load project verify rewrite analysis nvcc model parser internal diag"},
	{"acc/space", "acc rewrite rewrite/stage rewrite/variant analysis/cost analysis model parser internal diag"},
	{"cmd", "acc acc/space validate verify/alone verify/harness rewrite/variant rewrite/runtime pipeline analysis/instance analysis/cost analysis nvcc model parser diff diag rewrite/regreduce rewrite verify" +
		" internal/doctor internal/lsp internal" +
		" project/config project/load project/setup project" +
		" pipeline/header pipeline/resources pipeline/selection pipeline/targets" +
		" report/baseline report/finding report/page report/plot report/residency report/simulation report" +
		" tune/bundle tune/fidelity tune/foreign tune/judge tune/modelcheck tune/record tune/search tune/stress tune"},
}

// everywhere is the folder that all may import, as they may the standard library.
const everywhere = "internal/lists"

// folderOf is the entry that a package goes by, -1 for none.
func folderOf(path string) int {
	at, longest := -1, 0
	for i, a := range allowed {
		if (path == a.folder || strings.HasPrefix(path, a.folder+"/")) && len(a.folder) > longest {
			at, longest = i, len(a.folder)
		}
	}
	return at
}

// imports returns what the packages import of this module, files of tests aside. The
// sources are read here, not by the go command: so a cached result is not taken
// for that of changed sources.
func imports(t *testing.T) map[string][]string {
	root, out := filepath.Join("..", ".."), map[string][]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && path != root && (e.Name() == "testdata" || strings.HasPrefix(e.Name(), ".")) {
			return filepath.SkipDir
		}
		if e.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		pkg := filepath.ToSlash(folder)
		out[pkg] = append(out[pkg], ofModule(file)...)
		return err
	}))
	require.Greater(t, len(out), len(allowed), "there is more than a package a folder")
	return out
}

// ofModule lists what a file imports of this module.
func ofModule(file *ast.File) []string {
	var out []string
	for _, i := range file.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		if rest, ok := strings.CutPrefix(path, module); ok {
			out = append(out, rest)
		}
	}
	return out
}

// inLab reports whether a package serves tests and tables of the docs alone.
func inLab(pkg string) bool { return pkg == "lab" || strings.HasPrefix(pkg, "lab/") }

func TestImportsFollowTheArrows(t *testing.T) {
	for pkg, list := range imports(t) {
		if inLab(pkg) {
			continue // it may use everything
		}
		from := folderOf(pkg)
		if !assert.GreaterOrEqual(t, from, 0, "%s is in none of the folders of this test", pkg) {
			continue
		}
		for _, path := range list {
			to := folderOf(path)
			if from != to && to >= 0 && path != everywhere && !slices.Contains(strings.Fields(allowed[from].imports), allowed[to].folder) {
				t.Errorf("%s imports %s: packages of %s may import %q", pkg, path, allowed[from].folder, allowed[from].imports)
			}
		}
	}
}

// TestSmuxIsBuiltFromAllPackagesButTheLab: what serves tests and tables of the docs alone lies in lab, and smux needs nothing of it.
func TestSmuxIsBuiltFromAllPackagesButTheLab(t *testing.T) {
	all, needed := imports(t), map[string]bool{}
	var need func(pkg string)
	need = func(pkg string) {
		if !needed[pkg] {
			needed[pkg] = true
			for _, p := range all[pkg] {
				need(p)
			}
		}
	}
	need("cmd/smux")
	need("rewrite/new") // a program for who adds a rewriter
	needed["internal/arrows"] = true
	for pkg := range all {
		assert.Equal(t, inLab(pkg), !needed[pkg], pkg)
	}
}

// TestAnalysesStandInLayers: an analysis uses what stands before it, and those that guess what a program passes come last.
func TestAnalysesStandInLayers(t *testing.T) {
	layers := strings.Fields("values . hostcode pointers evaluate barriers launches uniformity footprint hazards regions liveness motion named usual summary passes")
	all := imports(t)
	for i, layer := range layers {
		for _, path := range all[filepath.ToSlash(filepath.Join("analysis", layer))] {
			at := slices.IndexFunc(layers, func(l string) bool { return filepath.ToSlash(filepath.Join("analysis", l)) == path })
			assert.Less(t, at, i, "analysis/%s imports %s", layer, path)
		}
	}
	for pkg := range all {
		if rest, ok := strings.CutPrefix(pkg, "analysis/"); ok && !strings.Contains(rest, "/") && folderOf(pkg) == folderOf("analysis") {
			assert.Contains(t, append(layers, "ir", "polynomial"), rest)
		}
	}
}

func TestTheArrowsMakeNoCircle(t *testing.T) {
	var before []string
	for _, a := range allowed {
		for _, folder := range strings.Fields(a.imports) {
			assert.Contains(t, before, folder, "%s imports it, so it has to stand before", a.folder)
		}
		before = append(before, a.folder)
	}
	assert.Equal(t, len(before), len(slices.Compact(slices.Sorted(slices.Values(before)))), "each folder once")
}

func TestThePageOnContributingSaysWhatEachPackageIsFor(t *testing.T) {
	text, err := os.ReadFile("../../docs/develop/contributing.md")
	require.NoError(t, err)
	_, layout, ok := strings.Cut(string(text), "\n## The rooms\n")
	require.True(t, ok)
	layout, _, _ = strings.Cut(layout, "\n## ")
	for pkg := range imports(t) {
		assert.True(t, strings.Contains(layout, "`"+pkg+"`"), "the layout leaves %s out", pkg)
	}
}

func TestThePageOnContributingSaysWhatEachDependencyIsFor(t *testing.T) {
	text, err := os.ReadFile("../../docs/develop/contributing.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(text), "\n## Dependencies\n")
	require.True(t, ok)
	mod, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	var known []string
	for _, line := range regexp.MustCompile(`(?m)^\t(\S+?)(/v[0-9]+)? v\S+$`).FindAllStringSubmatch(string(mod), -1) { // none that is indirect
		name := strings.TrimPrefix(line[1], "github.com/")
		known = append(known, name)
		assert.True(t, strings.Contains(section, "`"+name+"`") || strings.Contains(section, "`"+path.Base(name)+"`"), "%s is left out", name)
	}
	for _, name := range regexp.MustCompile("`([^`/]+/[^`]+)`").FindAllStringSubmatch(section, -1) {
		assert.Contains(t, known, name[1], "a dependency that is gone")
	}
}
