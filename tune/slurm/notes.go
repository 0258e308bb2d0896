package slurm

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// note holds what a task has said of itself in the folder, of its last run.
type note struct {
	there   bool
	node    string
	product string // of its GPU, "" before it knows it
	failed  string // why it ended, "" for nothing
	ended   bool   // it came to its end by itself, as far as run.sh knows
}

// readNote reads jobs/JOB_TASK.note, as run.sh writes it.
func readNote(dir, job string, task int) note {
	var n note
	text, err := os.ReadFile(filepath.Join(dir, "jobs", job+"_"+strconv.Itoa(task)+".note"))
	if err != nil {
		return n
	}
	for line := range strings.Lines(string(text)) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "began": // anew, where it was requeued
			_, node, _ := strings.Cut(rest, " on ")
			n = note{there: true, node: node, product: n.product}
		case "product":
			n.product = rest
		case "failed":
			n.failed = rest
		case "ended":
			n.ended = true
		}
	}
	return n
}

// noted reports whether any task has written a note.
func noted(dir string) bool {
	notes, err := filepath.Glob(filepath.Join(dir, "jobs", "*.note"))
	return err == nil && len(notes) > 0
}

// fence keeps a job that may still come from doing anything: run.sh looks for the file.
func fence(dir, name string) error {
	return os.WriteFile(filepath.Join(dir, "jobs", name+".dropped"), nil, 0o666)
}
