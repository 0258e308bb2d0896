package baseline

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/project"
)

// Known is a finding of smux check or smux verify, or a reason why these could not judge, that does not count any more.
type Known struct {
	File   string    `json:"file"` // relative to the folder of the baseline, with slashes
	Code   diag.Code `json:"code"`
	Kernel string    `json:"kernel,omitempty"`
	Line   string    `json:"line,omitempty"` // hash of the text of its line
}

// KnownFindings are those of a baseline, each of which stands for one place. Safe for concurrent use.
type KnownFindings struct {
	baseline *Stored
	mu       sync.Mutex
	left     map[Known]int
	seen     map[diag.Message]bool // places and codes, and whether they are known
	Found    []Known               // all that was asked for, each place once
}

// Known returns the findings that a baseline has.
func (b *Stored) Known() *KnownFindings {
	k := &KnownFindings{baseline: b, left: map[Known]int{}, seen: map[diag.Message]bool{}}
	for _, f := range b.Findings {
		k.left[f]++
	}
	return k
}

// Has reports whether a finding is known. Several in one place, as of a header in several programs, are one.
func (k *KnownFindings) Has(m diag.Message, kernel string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := diag.Message{Pos: m.Pos, Code: m.Code, Text: kernel}
	if known, told := k.seen[at]; told {
		return known
	}
	file, err := pathFrom(k.baseline.Dir, m.Pos.File)
	if err != nil {
		return false
	}
	f := Known{File: file, Code: m.Code, Kernel: kernel}
	if text, err := os.ReadFile(m.Pos.File); err == nil {
		if lines := bytes.Split(text, []byte("\n")); m.Pos.Line > 0 && m.Pos.Line <= len(lines) {
			f.Line = Line{Text: string(lines[m.Pos.Line-1])}.hash()
		}
	}
	k.left[f]--
	k.seen[at] = k.left[f] >= 0
	k.Found = append(k.Found, f)
	return k.seen[at]
}

// Record puts what was found into the baseline, in the place of what it had of these files and folders, and writes it unless it
// holds that already.
func (k *KnownFindings) Record(args []string) (written bool, err error) {
	b, paths := k.baseline, located(args)
	all := slices.DeleteFunc(slices.Clone(b.Findings), func(f Known) bool {
		return slices.Contains(k.Found, f) || project.Within(filepath.Join(b.Dir, filepath.FromSlash(f.File)), paths)
	})
	return b.replace(Encode(b.Kernels, append(all, k.Found...)...))
}
