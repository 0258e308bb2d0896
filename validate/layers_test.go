package validate_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// layer is a part of this package that has to be read to believe what a certificate says, if that part was used.
type layer struct {
	name  string
	files string
	hooks string // what the core asks of it; nothing else of it is used there
}

// layers are the core, which every proof of merged blocks needs, and what is asked where a rewrite has more.
var layers = []layer{
	{"core", "doc types units names result compare trusted kernels object align erase equal reach effect taint flow paths uniform builtins copies givenmacros", ""},
	{"launches", "launch launchparts launchnames", "host namedElsewhere"},
	{"content", "content contentexpr contentstmt value", "contentFits"},
	{"moves", "moves movestemp temps later split trips numbers needless stored", "alikeCounted alikeLater alikeParted alikeSplit alikeStored allPrivate countsMore later movesFit parted private puts splitOf temp typeOf useOfSplit useOfTemp waits"},
	{"certificate", "certificate", ""},
	{"shapes", "assume shapes", "assumes shapeFits told"},
	{"plain", "plain", ""},
	{"demote", "demote slots", "demoted demotedFunction"},
	{"overlay", "overlay phases", "overlaid"},
	{"slice", "replay*", "sliced replayed"},
	{"stage", "*", "stage* slice*"}, // all others
}

// What the core uses of other layers is what is named here, so that whoever believes that a proof has nothing of a layer
// in it need not read the layer.
func TestTheCoreStandsAlone(t *testing.T) {
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	fits := func(name, patterns string) bool {
		return slices.ContainsFunc(strings.Fields(patterns), func(p string) bool { ok, err := filepath.Match(p, name); return ok && err == nil })
	}
	of := map[string]string{}
	for _, name := range names {
		for _, l := range layers {
			if of[name] == "" && fits(strings.TrimSuffix(name, ".go"), l.files) {
				of[name] = l.name
			}
		}
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, 0)
		require.NoError(t, err)
		files = append(files, f)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Error: func(error) {}} // what is imported is not looked at
	pkg, _ := config.Check("validate", set, files, &info)
	hooks := map[string]map[string]bool{}
	for id, obj := range info.Uses {
		from, to := of[set.Position(id.Pos()).Filename], of[set.Position(obj.Pos()).Filename]
		if v, isVar := obj.(*types.Var); obj.Pkg() != pkg || from != "core" || to == "core" || to == "" || isVar && !v.IsField() && v.Parent() != pkg.Scope() {
			continue
		}
		if hooks[to] == nil {
			hooks[to] = map[string]bool{}
		}
		hooks[to][obj.Name()] = true
	}
	for _, l := range layers[1:] {
		for _, name := range slices.Sorted(maps.Keys(hooks[l.name])) {
			assert.True(t, fits(name, l.hooks), "the core uses %s of %s", name, l.name)
		}
	}
}
