package hardware_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// named are numbers that mean a limit wherever they stand in these packages.
var named = map[string]string{
	"1024": "MaxThreadsPerBlock", "1023": "MaxThreadsPerBlock-1", "2048": "MaxThreadsPerSM", "65535": "MaxGridDimY", "65536": "RegistersPerSM",
}

func TestProofsAndRewritesNameTheLimits(t *testing.T) {
	for _, folder := range []string{"analysis", "rewrite", "rewrite/*", "verify/harness", "model/sim"} {
		paths, err := filepath.Glob("../../" + folder + "/*.go")
		require.NoError(t, err)
		require.NotEmpty(t, paths, folder)
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, 0)
			require.NoError(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.INT && named[l.Value] != "" {
					t.Errorf("%s: %s: is it hardware.%s? Bytes are written as 1 << 10", files.Position(l.Pos()), l.Value, named[l.Value])
				}
				return true
			})
		}
	}
}
