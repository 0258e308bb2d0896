package registers

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/rewrite/regreduce"
	"github.com/smux-cuda/smux/rewrite/variant"
)

var update = flag.Bool("update", false, "climb, and renew the table in docs/evidence/registers.md and testdata/registers/recipes.txt")

const (
	opening = "<!-- $ go run ./lab/main.go registers -->\n\n"
	closing = "<!-- end -->"

	// documented is the version whose figures docs/evidence/registers.md shows.
	documented = "11.8"
)

var (
	page    = filepath.Join("docs", "evidence", "registers.md")
	recipes = filepath.Join("testdata", "registers", "recipes.txt")
	folder  = filepath.Join("examples", "registers")
)

// TestMain runs the tests at the top of the repository, as go run is.
func TestMain(m *testing.M) {
	if err := os.Chdir(filepath.Join("..", "..")); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// recorded is a line of the documented table.
type recorded struct {
	name, rung, recipe string
	cells              []string // from the registers on
}

// documentedRows reads the table, and what stands around it.
func documentedRows(t *testing.T) (rows []recorded, before, after string) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), opening)
	require.True(t, ok, "%s has no line %q", page, opening)
	shown, after, ok := strings.Cut(rest, closing)
	require.True(t, ok, "%s has no line %q", page, closing)
	name := ""
	for _, line := range strings.Split(shown, "\n") {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) < 11 || strings.HasPrefix(line, "|---") || strings.Contains(line, "| rung |") {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if cells[0] != "" {
			name = cells[0]
		}
		rows = append(rows, recorded{name, cells[1], strings.Trim(cells[2], "`"), cells[3:9]})
	}
	return rows, before, after
}

// TestDocumentationShowsWhatNVCCMakes compiles what the table shows as it is, as
// chosen and as demoted for sm_80 again, and compares the figures. It does not
// climb: that takes many minutes, and is for -update.
func TestDocumentationShowsWhatNVCCMakes(t *testing.T) {
	suite.OnlyFull(t) // it compiles the programs in examples/registers
	toolkit, err := nvcc.Find()
	if err != nil {
		t.Skip(err)
	}
	if version, err := toolkit.Version(); err != nil || version != documented {
		t.Skipf("nvcc is not %s but %q (%v)", documented, version, err)
	}
	rows, before, after := documentedRows(t)
	if *update {
		renew(t, toolkit, before, after)
		return
	}
	programs := map[string]*program{}
	for _, name := range names {
		programs[name], err = open(toolkit, folder, name)
		require.NoError(t, err)
	}
	var all sync.WaitGroup
	slots := make(chan struct{}, 2)
	for _, r := range rows {
		if r.rung != "as is" && r.rung != "chosen" && r.rung != regreduce.RungDemote {
			continue
		}
		require.Contains(t, programs, r.name)
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			on, err := programs[r.name].measure(context.Background(), r.recipe, boards[:1])
			if !assert.NoError(t, err) {
				return
			}
			for i, cell := range figures(on) {
				shown, _, _ := strings.Cut(r.cells[i], " / ")
				assert.Equal(t, shown, cell, "%s %s, figure %d: renew it with go test ./lab/registers -update", r.name, r.rung, i+1)
			}
		})
	}
	all.Wait()
}

// renew climbs and writes the page and the recipes.
func renew(t *testing.T, toolkit *nvcc.Toolkit, before, after string) {
	climbed, err := climbAll(context.Background(), toolkit, folder)
	require.NoError(t, err)
	var table bytes.Buffer
	require.NoError(t, write(&table, documented, climbed))
	require.NoError(t, os.WriteFile(page, []byte(before+opening+table.String()+"\n"+closing+after), 0o644))
	text := "# Recipes that the ladder finds for the programs in examples/registers: program,\n# rung, recipe. go test ./lab/registers -update renews them.\n"
	for _, p := range climbed {
		for _, r := range p.rows {
			switch r.name {
			case "chosen":
				text += fmt.Sprintf("%s %s %s\n", p.name, r.name, r.recipe)
			case regreduce.RungDemote:
				for _, form := range []string{"", variant.FormAsm} {
					recipe, err := variant.ParseRecipe(r.recipe)
					require.NoError(t, err)
					if recipe.Form = form; recipe.Words != nil {
						text += fmt.Sprintf("%s %s %s\n", p.name, r.name, recipe)
					}
				}
			}
		}
	}
	require.NoError(t, os.WriteFile(recipes, []byte(text), 0o644))
}

// At least five of the programs reach their next step without a spill, and none
// runs fewer thread blocks than before.
func TestProgramsReachTheirNextStep(t *testing.T) {
	rows, _, _ := documentedRows(t)
	asIs := map[string]recorded{}
	clean := map[string]bool{}
	for _, r := range rows {
		switch r.rung {
		case "as is":
			asIs[r.name] = r
		case "chosen":
			was, is := pair(t, asIs[r.name].cells[4]), pair(t, r.cells[4])
			spills := pair(t, r.cells[1])
			more := 0
			for i := range boards {
				assert.GreaterOrEqual(t, is[i], was[i], "%s on %s", r.name, boards[i])
				if is[i] > was[i] && spills[i] == 0 {
					more++
				}
			}
			clean[r.name] = more > 0
		}
	}
	assert.Len(t, asIs, len(names))
	n := 0
	for _, ok := range clean {
		if ok {
			n++
		}
	}
	assert.GreaterOrEqual(t, n, 5)
}

// pair reads the figures of a cell.
func pair(t *testing.T, cell string) []int {
	t.Helper()
	var a, b int
	_, err := fmt.Sscanf(cell, "%d / %d", &a, &b)
	require.NoError(t, err, cell)
	return []int{a, b}
}
