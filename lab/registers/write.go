package registers

import (
	"fmt"
	"io"
	"strings"
)

// header is the head of the table. Pairs are figures for A100 (sm_80) and H100
// (sm_90).
const header = "| | rung | recipe | registers | spilled bytes | shared bytes | instructions | thread blocks per SM | occupancy | rank | not chosen because |\n" +
	"|---|---|---|---:|---:|---:|---:|---:|---:|---:|---|\n"

// write writes the table.
func write(w io.Writer, version string, programs []*program) error {
	var out strings.Builder
	fmt.Fprintf(&out, "nvcc %s, sm_80 / sm_90.\n\n%s", version, header)
	for _, p := range programs {
		for i, r := range p.rows {
			name := ""
			if i == 0 {
				name = p.name
			}
			out.WriteString(r.line(name))
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (r row) line(name string) string {
	recipe, rank := "", ""
	if r.recipe != "" {
		recipe = "`" + r.recipe + "`"
	}
	if r.rank > 0 {
		rank = fmt.Sprint(r.rank)
	}
	cells := []string{name, r.name, recipe}
	cells = append(cells, figures(r.on)...)
	cells = append(cells, rank, strings.ReplaceAll(r.verdict, "|", "\\|"))
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// figures are the cells that hold figures, those of the boards with strokes in
// between.
func figures(on []measured) []string {
	pair := func(f func(measured) string) string {
		var out []string
		for _, m := range on {
			out = append(out, f(m))
		}
		return strings.Join(out, " / ")
	}
	return []string{
		pair(func(m measured) string { return fmt.Sprint(m.Figures.Registers) }),
		pair(func(m measured) string { return fmt.Sprint(m.Spills()) }),
		pair(func(m measured) string { return fmt.Sprint(m.Figures.Shared) }),
		pair(func(m measured) string { return fmt.Sprint(m.Instructions) }),
		pair(func(m measured) string { return fmt.Sprint(m.Blocks) }),
		pair(func(m measured) string { return fmt.Sprintf("%.0f %%", 100*m.Result.Occupancy) }),
	}
}
