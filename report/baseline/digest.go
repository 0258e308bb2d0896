package baseline

import (
	"fmt"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/report/finding"
)

// Digest sums up a comparison for a person.
type Digest struct {
	Told         []finding.Finding // in their order; of the notes of a code only the first few
	More         []string          // how many notes of a code are left out
	Text         string            // the result, on a line
	Worse        bool              // a kernel got worse
	Incomparable bool              // registers could not be compared: CodeSource
}

// mostNotes is the number of notes of a code that are listed one by one.
const mostNotes = 5

// NewDigest sums up what the comparison of so many kernels found.
func NewDigest(found []finding.Finding, kernels int) Digest {
	var d Digest
	notes, worse, ignored := map[diag.Code]int{}, map[string]bool{}, 0
	for _, f := range found {
		switch {
		case f.Suppressed != "":
			ignored++
			continue
		case f.Level == finding.Note:
			if notes[f.Rule]++; notes[f.Rule] > mostNotes {
				continue
			}
		case f.Rule == CodeSource:
			d.Incomparable = true
		default:
			worse[f.Pos.File+"\n"+f.Kernel] = true
		}
		d.Told = append(d.Told, f)
	}
	for _, code := range []diag.Code{CodeNew, CodeGone, CodeBetter} {
		if more := notes[code] - mostNotes; more > 0 {
			d.More = append(d.More, fmt.Sprintf("%s: %d more", code, more))
		}
	}
	d.Worse = len(worse) > 0
	d.Text = fmt.Sprintf("%s compared, %d got worse", prose.Count(kernels, "kernel"), len(worse))
	if ignored > 0 {
		d.Text += fmt.Sprintf("; %s ignored", prose.Count(ignored, "message"))
	}
	if len(notes) > 0 {
		d.Text += `; "smux baseline write" records what is new, gone or better`
	}
	return d
}
