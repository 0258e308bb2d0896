package simulation

import (
	"bytes"
	"fmt"
	"math"

	svg "github.com/ajstarks/svgo"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/sim"
)

// lives is the number of times that the original fills the SM of a timeline, and
// fewest the least number of thread blocks in it.
const (
	lives  = 3
	fewest = 12
)

// Timeline draws what each thread block does when as an SVG document, a picture for each policy under one time axis.
// The error is for more than one kernel or GPU, and for one that no policy is possible for.
func (m *Simulation) Timeline() ([]byte, error) {
	if len(m.drawn) != 1 {
		return nil, diag.Usagef("pick one with --kernel, --block and --gpu", "--timeline draws one kernel on one GPU, and there are %d", len(m.drawn))
	}
	d := m.drawn[0]
	opt := sim.Options{Blocks: m.Options.Blocks, Timeline: true}
	if opt.Blocks == 0 {
		base, err := sim.Place(d.gpu, d.work, sim.Policy{})
		if err != nil {
			return nil, diag.Usagef("", "--timeline: %s", sim.Cause(err))
		}
		opt.Blocks = max(fewest, lives*base.Resident)
	}
	var results []*sim.Result
	longest := 0.0
	for i, p := range d.policies {
		if d.refused[i] {
			continue // the table tells why
		}
		r, err := sim.Run(d.gpu, d.work, p, opt)
		if err != nil {
			continue // the table tells why
		}
		results = append(results, r)
		longest = max(longest, r.Cycles)
	}
	if len(results) == 0 {
		return nil, diag.Usagef("", "--timeline has nothing to draw: no policy is possible")
	}
	var pictures []*picture
	height := titleHeight
	for _, r := range results {
		p, err := draw(r, fmt.Sprintf("%s: %.0f cycles", Notation(r.Policy), r.Cycles), longest)
		if err != nil {
			return nil, diag.Failed("drawing the timeline", err)
		}
		pictures = append(pictures, p)
		height += int(math.Ceil(p.height))
	}
	return stack(d.title(opt.Blocks), pictures, height), nil
}

// titleHeight is the height of the title of all pictures.
const titleHeight = 34

// stack puts pictures under one another, under one title.
func stack(title string, pictures []*picture, height int) []byte {
	var out bytes.Buffer
	d := svg.New(&out)
	d.Startview(drawingWidth, height, 0, 0, drawingWidth, height)
	d.Title(title)
	// The pictures have backgrounds of their own, light or dark.
	d.Text(12, 22, title, `font-family="sans-serif"`, `font-size="15"`, `fill="#777"`)
	y := titleHeight
	for _, p := range pictures {
		d.Translate(0, y)
		out.Write(p.text.Bytes()[bytes.Index(p.text.Bytes(), []byte("<svg")):])
		d.Gend()
		y += int(math.Ceil(p.height))
	}
	d.End()
	return out.Bytes()
}

// title is that of the pictures. They show fewer thread blocks than the table is of, and another number of cycles.
func (d simulated) title(blocks int) string {
	text := fmt.Sprintf("%s, %d thread blocks", d.name, blocks)
	if d.blocks > 0 && d.blocks != blocks {
		text += fmt.Sprintf("; the table is of %d", d.blocks)
	}
	return text
}
