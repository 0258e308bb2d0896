package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// journal is the record of files that are about to take their names together, so that the next run can finish what
// was cut off in between (Mend). It lies in the folder of each target, locked while its process lives. What is in the
// first folder counts: it comes last and goes first, so that where it is, all files had been complete.
type journal struct {
	Folder  string  `json:"-"`     // in which this copy lies, without links in its path
	First   string  `json:"first"` // folder whose copy counts, relative to this one
	Entries []entry `json:"files"`
}

// entry is a file of a journal.
type entry struct {
	Target string `json:"target"` // relative to the folder of the copy
	Temp   string `json:"temp"`   // the name of the new content beside it
	Before string `json:"before"` // hash of what the target held, "" where there was none
	After  string `json:"after"`
}

var (
	journalName = regexp.MustCompile(`^\.smux-[0-9a-f]{8}\.journal$`)
	tempName    = regexp.MustCompile(`^\.(.+)\.smux-[0-9a-f]{8}\.tmp$`)
)

// recorded is a journal of this process, one copy for each folder, the first one last.
type recorded []written

// record writes the journal of files that lie complete beside their targets.
func record(staged []*Staged) (out recorded, err error) {
	defer func() {
		if err != nil {
			out.remove()
			err = diag.Failed("writing a record of what is to be written", diag.PlainCause(err))
		}
	}()
	var folders []string
	var all []entry // with absolute targets
	for _, st := range staged {
		folder, err := filepath.EvalSymlinks(filepath.Dir(st.Target))
		if err == nil {
			folder, err = filepath.Abs(folder)
		}
		if err != nil {
			return out, err
		}
		if !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
		e := entry{Target: filepath.Join(folder, filepath.Base(st.Target)), Temp: filepath.Base(st.temp), After: st.after}
		if st.replaces != nil {
			e.Before = hashOf(st.before)
		}
		all = append(all, e)
	}
	name := fmt.Sprintf(".smux-%08x.journal", rand.Uint32())
	for _, folder := range slices.Backward(folders) {
		j := journal{Entries: slices.Clone(all)}
		j.First, err = filepath.Rel(folder, folders[0])
		for i := range j.Entries {
			if err == nil {
				j.Entries[i].Target, err = filepath.Rel(folder, all[i].Target)
			}
		}
		if err != nil {
			return out, err
		}
		c, err := j.write(filepath.Join(folder, name))
		if err != nil {
			return out, err
		}
		out = append(out, c)
	}
	return out, nil
}

// written is a copy of a journal of this process.
type written struct {
	path string
	held *os.File
}

// write puts a journal in place, locked, whole and for good.
func (j journal) write(path string) (written, error) {
	text, err := json.Marshal(j)
	if err != nil {
		return written{}, err
	}
	temp, f, err := TempBeside(path)
	if err != nil {
		return written{}, err
	}
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		Remove(temp)
		return written{}, err
	}
	_ = SyncFolder(filepath.Dir(path))
	return written{path, taken(temp)}, nil
}

// remove ends a journal: the copy that counts goes first.
func (r recorded) remove() {
	for _, c := range slices.Backward(r) {
		os.Remove(c.path)
		c.held.Close()
	}
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Mend looks in a folder for files that an earlier run was cut off at while it wrote several that belong together,
// and finishes that where one of them has been written; where none has, what is beside them goes. It returns a line
// for a person about each such run, and removes what killed runs left in the folder. Files that a person has changed
// since stay as they are.
func Mend(folder string) (said []string) {
	defer sweep(folder)
	if !LocksWork {
		return nil // whether a run lives is not known
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !journalName.MatchString(e.Name()) {
			continue
		}
		line, err := mend(filepath.Join(folder, e.Name()))
		if err != nil {
			line = fmt.Sprintf("%s: an earlier run was cut off while it wrote files, and that can't be mended: %v", filepath.Join(folder, e.Name()), err)
		}
		if line != "" {
			said = append(said, line)
		}
	}
	return said
}

// mend ends the journal of a run that is dead.
func mend(path string) (string, error) {
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	held, j, err := take(filepath.Join(folder, filepath.Base(path)))
	if held == nil || err != nil {
		return "", err
	}
	defer held.Close()
	copies := []string{held.Name()}
	for _, dir := range j.folders() {
		if other := filepath.Join(dir, filepath.Base(path)); !slices.Contains(copies, other) {
			copies = append(copies, other)
		}
	}
	first := filepath.Join(j.Folder, j.First, filepath.Base(path))
	counts := first == held.Name()
	if !counts {
		that, _, err := take(first)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil || that == nil:
			return "", err
		default:
			defer that.Close()
			counts = true
		}
	}
	line := ""
	if counts {
		if line, err = j.finish(); err != nil {
			return "", err
		}
		if err := os.Remove(first); err != nil {
			return "", err
		}
	} else {
		j.discard()
	}
	for _, c := range copies {
		os.Remove(c)
	}
	return line, nil
}

// take reads a journal and locks it; nil where its process lives or another has mended it.
func take(path string) (*os.File, *journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	if Lock(f, true, false) != nil {
		f.Close()
		return nil, nil, nil
	}
	mine, err := f.Stat()
	there, gone := os.Lstat(path)
	if err != nil || gone != nil || !os.SameFile(mine, there) {
		f.Close()
		return nil, nil, nil
	}
	j := &journal{Folder: filepath.Dir(path)}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, j)
	}
	if err == nil {
		err = j.check()
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, j, nil
}

// check refuses a journal that smux has not written: new content lies beside its target
// under a name of smux's own, so that nothing but what is there already comes to a folder.
func (j *journal) check() error {
	for _, e := range j.Entries {
		m := tempName.FindStringSubmatch(e.Temp)
		if m == nil || m[1] != filepath.Base(e.Target) || filepath.IsAbs(e.Target) || filepath.Base(e.Temp) != e.Temp {
			return errors.New("it is not a record of smux's")
		}
	}
	if filepath.IsAbs(j.First) {
		return errors.New("it is not a record of smux's")
	}
	return nil
}

func (j *journal) target(e entry) string { return filepath.Join(j.Folder, e.Target) }

func (j *journal) temp(e entry) string { return filepath.Join(filepath.Dir(j.target(e)), e.Temp) }

func (j *journal) folders() (out []string) {
	for _, e := range j.Entries {
		if dir := filepath.Dir(j.target(e)); !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

// discard removes new content that did not come to be used.
func (j *journal) discard() {
	for _, e := range j.Entries {
		os.Remove(j.temp(e))
	}
}

// finish completes a write of which a part is done, and says so.
func (j *journal) finish() (string, error) {
	var written, open, other []entry
	for _, e := range j.Entries {
		now := ""
		info, err := os.Lstat(j.target(e))
		switch {
		case err == nil && info.Mode().IsRegular():
			text, err := os.ReadFile(j.target(e))
			if err != nil {
				return "", diag.PlainCause(err)
			}
			now = hashOf(text)
		case err == nil || !errors.Is(err, fs.ErrNotExist):
			now = "?"
		}
		text, err := os.ReadFile(j.temp(e))
		switch ready := err == nil && hashOf(text) == e.After; {
		case now == e.After:
			written = append(written, e)
		case now == e.Before && ready:
			open = append(open, e)
		default:
			other = append(other, e)
		}
	}
	switch {
	case len(written) == 0, len(open) == 0 && len(other) == 0:
		j.discard()
		return "", nil
	case len(other) > 0:
		j.discard()
		return fmt.Sprintf("an earlier run was cut off after it wrote %s; %s changed since, so that they stay as they are, and %s not written",
			j.names(written), j.names(other), j.names(open)), nil
	}
	for _, e := range open {
		if err := os.Rename(j.temp(e), j.target(e)); err != nil {
			return "", diag.PlainCause(err)
		}
		_ = SyncFolder(filepath.Dir(j.target(e)))
	}
	j.discard() // what a second copy of a target may have left
	return fmt.Sprintf("an earlier run was cut off after it wrote %d of %d files that belong together; now the others are written, too: %s",
		len(written), len(j.Entries), j.names(open)), nil
}

// names lists files for a person.
func (j *journal) names(list []entry) string {
	if len(list) == 0 {
		return "nothing else"
	}
	var out []string
	for _, e := range list {
		name := j.target(e)
		if cwd, err := os.Getwd(); err == nil {
			if rel, err := filepath.Rel(cwd, name); err == nil && !strings.HasPrefix(rel, "..") {
				name = rel
			}
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}
