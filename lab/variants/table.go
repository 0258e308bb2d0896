package variants

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// write writes all tables.
func write(w io.Writer, version string, programs []*program) error {
	var out strings.Builder
	fmt.Fprintf(&out, "nvcc %s, %s.\n\n## What the compiler makes of each rewrite\n\n", version, arch)
	out.WriteString("| | rewrite | registers | spilled bytes | stack bytes | shared bytes | barriers | instructions | growth |\n")
	out.WriteString("|---|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, p := range programs {
		row(&out, strings.ToUpper(p.name), "original", p.original, "")
		for _, v := range p.variants {
			if len(v.refused) == 0 {
				row(&out, "", v.Variant.String(), v.figures, fmt.Sprintf("%+.1f %%", p.growth(v)))
			}
		}
	}
	writeShorter(&out, programs)
	out.WriteString("\n## What is refused\n\n| | code | rewrites | the first reason |\n|---|---|---|---|\n")
	for _, p := range programs {
		for _, r := range p.refusals() {
			fmt.Fprintf(&out, "| %s | `%s` | %s | %s |\n", strings.ToUpper(p.name), r.code, strings.Join(r.ways, ", "), strings.ReplaceAll(r.text, "|", "\\|"))
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// writeShorter writes what the knobs that make turns shorter change, and blocks that stay.
func writeShorter(out *strings.Builder, programs []*program) {
	out.WriteString("\n## Shorter turns\n\nRegisters, spilled bytes, shared bytes and instructions of vtb in mode named; a dash where a knob changes nothing.\n\n| | N | without |")
	line := "|---|---:|---|"
	for _, set := range sets() {
		name := set[0]
		if len(set) > 1 {
			name = "all of these"
		}
		fmt.Fprintf(out, " %s |", name)
		line += "---|"
	}
	out.WriteString("\n" + line + "\n")
	for _, p := range programs {
		for _, row := range p.shorter {
			fmt.Fprintf(out, "| %s | %d |", strings.ToUpper(p.name), row[0].Factor)
			writeCells(out, row)
		}
	}
	out.WriteString("\n## Blocks that stay\n\nThe same figures of other rewriters and modes; a dash where the rewrite is refused.\n\n| | | without | persistent |\n|---|---|---|---|\n")
	for _, p := range programs {
		for _, row := range p.staying {
			fmt.Fprintf(out, "| %s | %s |", strings.ToUpper(p.name), row[0].Variant)
			writeCells(out, row)
		}
	}
}

// writeCells writes the figures of a row's variants, and ends the row.
func writeCells(out *strings.Builder, row []tabulated) {
	for _, v := range row {
		cell := "-"
		if f := v.figures; f.instructions > 0 {
			cell = fmt.Sprintf("%d, %d, %d, %d", f.Registers, f.SpillStores+f.SpillLoads, f.StaticShared, f.instructions)
		}
		fmt.Fprintf(out, " %s |", cell)
	}
	out.WriteString("\n")
}

func row(out *strings.Builder, name, way string, f figures, growth string) {
	fmt.Fprintf(out, "| %s | %s | %d | %d | %d | %d | %d | %d | %s |\n",
		name, way, f.Registers, f.SpillStores+f.SpillLoads, f.Stack, f.StaticShared, f.Barriers, f.instructions, growth)
}

// refusal is a code with the rewrites that get it.
type refusal struct {
	code diag.Code
	text string
	ways []string
}

// refusals are the codes of a program's refused rewrites, in the order in which
// they come first. A rewrite stands with its first code.
func (p *program) refusals() (out []*refusal) {
	for _, v := range p.variants {
		if len(v.refused) == 0 {
			continue
		}
		first := v.refused[0]
		i := slices.IndexFunc(out, func(r *refusal) bool { return r.code == first.Code })
		if i < 0 {
			i, out = len(out), append(out, &refusal{code: first.Code, text: first.Text})
		}
		out[i].ways = append(out[i].ways, v.Variant.String())
	}
	return out
}
