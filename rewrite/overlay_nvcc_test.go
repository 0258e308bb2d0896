package rewrite_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
	toolkit "github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// TestOverlaySavesBytesAndNoRegisterPaysForIt asks nvcc about programs of
// examples/footprint, before and after overlay, from the first architecture that it
// knows to the last.
func TestOverlaySavesBytesAndNoRegisterPaysForIt(t *testing.T) {
	needNVCC(t)
	tools, err := toolkit.Find()
	require.NoError(t, err)
	for _, example := range []string{"scan", "select", "stencil"} {
		path := filepath.Join("../examples/footprint", example, example+".cu")
		prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
		require.Empty(t, errs)
		res, err := rewrite.Run(prog, rewrite.Options{Variant: rewrite.Variant{Rewriter: "overlay"}})
		require.NoError(t, err)
		require.Empty(t, res.Kernels[0].Refused)
		for _, arch := range []string{"sm_80", "sm_52", "sm_70", "sm_75", "sm_86", "sm_90"} {
			name := filepath.Base(path) + " " + arch
			t.Run(name, func(t *testing.T) {
				suite.Sample(t, name, 8)
				ask := func(text []byte) toolkit.Kernel {
					kernels, err := tools.Resources(context.Background(), toolkit.Request{Texts: map[string][]byte{"k.cu": text}, Units: []string{"k.cu"}, Arch: arch})
					require.NoError(t, err)
					require.Len(t, kernels, 1)
					return kernels[0]
				}
				before, after := ask(prog.Files[0].Src), ask(res.Files[0].After)
				assert.LessOrEqual(t, after.StaticShared, before.StaticShared*3/5)
				assert.LessOrEqual(t, after.Registers, before.Registers)
				assert.Zero(t, after.SpillStores)
				t.Logf("%d -> %d bytes, %d -> %d registers", before.StaticShared, after.StaticShared, before.Registers, after.Registers)
			})
		}
	}
}
