package swizzle

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// scope has the values of names and members.
type scope map[string]uint32

// eval computes an expression of Go's syntax as CUDA does, in unsigned int.
func (s scope) eval(t *testing.T, e ast.Expr) uint32 {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.eval(t, e.X)
	case *ast.BasicLit:
		n, err := strconv.ParseUint(e.Value, 10, 32)
		require.NoError(t, err)
		return uint32(n)
	case *ast.Ident:
		require.Contains(t, s, e.Name)
		return s[e.Name]
	case *ast.SelectorExpr:
		return s.eval(t, ast.NewIdent(e.X.(*ast.Ident).Name+"."+e.Sel.Name))
	case *ast.CallExpr: // cond(a < b, c, d)
		if c := e.Args[0].(*ast.BinaryExpr); (s.eval(t, c.X) < s.eval(t, c.Y)) == (c.Op == token.LSS) {
			return s.eval(t, e.Args[1])
		}
		return s.eval(t, e.Args[2])
	case *ast.BinaryExpr:
		a, b := s.eval(t, e.X), s.eval(t, e.Y)
		switch e.Op {
		case token.ADD:
			return a + b
		case token.SUB:
			return a - b
		case token.MUL:
			return a * b
		case token.QUO:
			return a / b
		case token.REM:
			return a % b
		}
	}
	require.Failf(t, "unknown", "%T", e)
	return 0
}

var (
	suffix = regexp.MustCompile(`\b(\d+)u\b`)
	chosen = regexp.MustCompile(`^(.*) \? (.*) : (.*)$`)
)

// text evaluates one of C++.
func (s scope) text(t *testing.T, text string) uint32 {
	text = suffix.ReplaceAllString(text, "$1")
	text = chosen.ReplaceAllString(text, "cond($1, $2, $3)")
	e, err := parser.ParseExpr(text)
	require.NoError(t, err, text)
	return s.eval(t, e)
}

// renumbered runs the emitted lines for a block.
func renumbered(t *testing.T, lines []string, x, y, gx, gy uint32) (uint32, uint32) {
	s := scope{"blockIdx.x": x, "blockIdx.y": y, "gridDim.x": gx, "gridDim.y": gy}
	for _, line := range lines[:2] {
		list, ok := strings.CutPrefix(strings.TrimSuffix(line, ";"), "const unsigned ")
		require.True(t, ok, line)
		for _, one := range strings.Split(list, ", ") {
			name, value, ok := strings.Cut(one, " = ")
			require.True(t, ok, one)
			s[name] = s.text(t, value)
		}
	}
	require.Equal(t, "const uint3 smux_block = blockIdx;", lines[2])
	limit, made, ok := strings.Cut(lines[3], " ? smux_block : make_uint3(")
	require.True(t, ok, lines[3])
	require.Equal(t, "const uint3 blockIdx = gridDim.x > 65536u", limit)
	if gx > 65536 {
		return x, y
	}
	parts := strings.Split(strings.TrimSuffix(made, ");"), ", ")
	require.Equal(t, "smux_block.z", parts[2])
	return s.text(t, parts[0]), s.text(t, parts[1])
}

func asIs(name string) string { return name }

// Every plane of a grid is permuted, and groups of columns come one after the other.
func TestBlocksArePermuted(t *testing.T) {
	for _, g := range []int{2, 4, 8, 64} {
		for _, grid := range [][2]uint32{{1, 1}, {1, 7}, {7, 1}, {2, 2}, {3, 5}, {4, 4}, {5, 3}, {7, 8}, {8, 8}, {9, 2}, {12, 11}, {17, 4}, {65, 3}, {64, 5}} {
			gx, gy := grid[0], grid[1]
			seen, last := map[[2]uint32]bool{}, uint32(0)
			for y := range gy {
				for x := range gx {
					nx, ny := renumbered(t, formula(g, asIs), x, y, gx, gy)
					require.Less(t, nx, gx)
					require.Less(t, ny, gy)
					require.False(t, seen[[2]uint32{nx, ny}], "%d %d of %v", nx, ny, grid)
					seen[[2]uint32{nx, ny}] = true
					require.GreaterOrEqual(t, nx/uint32(g), last, "blocks of a group of columns run together")
					last = nx / uint32(g)
				}
			}
		}
	}
}

// Numbers of the largest grids don't wrap around: distinct blocks at their corners and edges keep distinct numbers, within the grid.
func TestLargeGridsDoNotOverflow(t *testing.T) {
	for _, grid := range [][2]uint32{{65536, 65535}, {65535, 65535}, {65533, 65535}, {3, 65535}, {65536, 1}, {1 << 31, 65535}, {65537, 3}} {
		gx, gy := grid[0], grid[1]
		seen := map[[2]uint32]bool{}
		at := map[string]bool{}
		for _, y := range []uint32{0, 1, gy / 2, gy - 2, gy - 1} {
			for _, x := range []uint32{0, 1, 7, 8, gx / 2, gx - 9, gx - 8, gx - 2, gx - 1} {
				if key := fmt.Sprint(x, y); x >= gx || y >= gy || at[key] {
					continue
				} else {
					at[key] = true
				}
				nx, ny := renumbered(t, formula(8, asIs), x, y, gx, gy)
				require.Less(t, nx, gx)
				require.Less(t, ny, gy)
				require.False(t, seen[[2]uint32{nx, ny}])
				seen[[2]uint32{nx, ny}] = true
			}
		}
	}
}
