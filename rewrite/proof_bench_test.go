package rewrite_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/named"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// BenchmarkRefusals measures what it costs to ask whether the kernels of the examples can
// be rewritten, by rewriter and sync mode and with the analysis done: a proof each, and no edit.
func BenchmarkRefusals(b *testing.B) {
	paths, err := filepath.Glob("../examples/*/*.cu")
	require.NoError(b, err)
	var progs []*analysis.Program
	var all [][]*analysis.Kernel
	for _, path := range paths {
		prog, _ := parser.LoadProgram([]string{path}, parser.Options{})
		progs = append(progs, passes.NewProgram(prog, [3]int{}))
		all = append(all, progs[len(progs)-1].Kernels())
	}
	for _, rw := range rewrite.Rewriters {
		for _, sync := range rw.Syncs {
			b.Run(strings.TrimSpace(rw.Name+" "+sync), func(b *testing.B) {
				ask := func() {
					for i, prog := range progs {
						for _, k := range all[i] {
							opt := rewrite.Options{Variant: rewrite.Variant{Rewriter: rw.Name, Sync: sync, Recipe: everyPin(k)}}
							rewrite.Refusals(prog, all[i], rewrite.Group{Kernels: []*analysis.Kernel{k}}, opt)
						}
					}
				}
				ask() // what the analysis keeps is there from now on
				b.ReportAllocs()
				for b.Loop() {
					ask()
				}
			})
		}
	}
}

// everyPin is a recipe that pins all local variables of a kernel.
func everyPin(k *analysis.Kernel) string {
	var names []string
	for _, v := range k.Func.Vars {
		if name := named.VariableName(k, k.Func, v); name != "" {
			names = append(names, name)
		}
	}
	return "pin=" + strings.Join(names, ",")
}
