package bundle

import (
	"os"
	"path/filepath"
	"strconv"
)

// Folders returns the folders of the forms that have one, the original's first: as the
// tasks of submit.sbatch count them.
func (m *Manifest) Folders() []string {
	var out []string
	for _, f := range m.Forms {
		if f.Folder != "" {
			out = append(out, f.Folder)
		}
	}
	return out
}

// Task returns the number in submit.sbatch of the task that searches with, or confirms,
// the form of a folder; ok is false where there is none.
func (m *Manifest) Task(folder string, confirms bool) (task int, ok bool) {
	all := m.Folders()
	for i, f := range all {
		if f == folder {
			if confirms {
				i += len(all)
			}
			return i, true
		}
	}
	return 0, false
}

// Held says what a folder holds of a form, measured on a product; nothing is read of it, so
// that it can be asked often.
type Held struct {
	Ended bool // it failed, or was not built: nothing more will be measured
	Pairs int  // whole ones
}

// Held looks at the pairs of a form in the search; those that confirm, where confirms is
// set; or those against the form in a folder. No product is known by "".
func (m *Manifest) Held(dir, product, folder string, confirms bool, against string) Held {
	var out Held
	if product == "" {
		return out
	}
	results := filepath.Join(dir, resultsName, product)
	_, arch, err := readMachine(dir, results, m.Subject.Machine)
	out.Ended = exists(filepath.Join(results, "failed", folder)) || err == nil && exists(filepath.Join(dir, "bin", arch, folder+".failed"))
	entries, err := os.ReadDir(filepath.Join(results, "pairs", folder))
	if err != nil {
		return out // there is none
	}
	phase := "search"
	if confirms {
		phase = "confirm"
	}
	for _, e := range entries {
		p := pairName.FindStringSubmatch(e.Name())
		if p == nil || p[1] != phase || p[2] != against {
			continue
		}
		if _, err := strconv.Atoi(p[3]); err == nil {
			out.Pairs++
		}
	}
	return out
}
