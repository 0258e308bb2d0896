// Package baseline is a gate for kernels that needs no GPU: it keeps what a thread
// block of each kernel takes, and how many run at once, in a small file that is
// committed with the source, and reports what got worse since, and which line did it.
//
// The file is made to be reviewed and merged: sorted, a kernel on a few lines of its own, commas on lines between
// kernels, and nothing in it that depends on the machine, the day or the version of smux. A kernel is found again by
// its file and its name, and by what stands in it where either has changed, so that it does not matter where in a
// file it stands.
//
// What is compared are facts of the source and numbers that follow from them, no
// times: a kernel that got no worse by this may still be slower.
package baseline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/rewrite"
)

// Schema is the version of the file. It grows when a field changes its meaning or goes away.
const Schema = 1

// Name is the default name of the file.
const Name = ".smux-baseline.json"

// File is a baseline.
type File struct {
	Schema  int      `json:"smux-baseline"`
	Kernels []Kernel `json:"kernels"` // by file, name and number
	// Findings are those of smux check that do not count.
	Findings []Known `json:"findings,omitempty"`
}

// Kernel holds what is recorded of one kernel.
type Kernel struct {
	File string `json:"file"` // relative to the folder of the baseline, with slashes
	Name string `json:"kernel"`
	Nth  int    `json:"nth,omitempty"` // of the kernels of this name in the file, from 2 on
	// Shared are the static shared variables in the order of the text.
	Shared []Array `json:"shared"`
	// Regions are the stretches in which they are live; null where they could not be looked for.
	Regions []Region `json:"regions"`
	// Share is the part of the kernel's statements that stands in regions, by estimate.
	Share float64 `json:"share"`
	// Lines are the hashes of the lines of the kernel and of the device functions that it reaches, four letters each.
	Lines  string  `json:"lines"`
	Stands []Stand `json:"stands"`
}

// Array is a static shared variable.
type Array struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"` // 0 where they depend on the launch
}

// Region is a place where shared variables are live.
type Region struct {
	Arrays []string `json:"arrays"`
	First  string   `json:"first"` // hash of the line of its first access
}

// Stand says how a kernel stands on one GPU, as it is launched in one form.
type Stand struct {
	GPU    string   `json:"gpu"`
	Launch string   `json:"launch,omitempty"` // template arguments, as the launch gives them
	Block  string   `json:"block"`            // 16x16; "unknown" where no launch gives it
	Blocks int      `json:"tbs"`              // thread blocks per SM; 0 where none can run
	Warps  int      `json:"warps"`            // of them
	Limits []string `json:"limits"`           // what allows no more; empty where Blocks is not known
	// Registers are those of a thread, and From is who counted them: "estimate", or
	// the compiler and its architecture.
	Registers int    `json:"registers"`
	From      string `json:"from"`
	Static    int    `json:"static"` // shared bytes, -1 where the bytes of a thread block are not known
	Dynamic   int    `json:"dynamic"`
}

// known reports whether the thread blocks per SM could be computed.
func (s Stand) known() bool { return len(s.Limits) > 0 }

// unknownBytes stands for shared bytes that are not known.
const unknownBytes = -1

// shared returns all shared bytes of a thread block, unknownBytes where they are not known.
func (s Stand) shared() int {
	if s.Static < 0 {
		return unknownBytes
	}
	return s.Static + s.Dynamic
}

// key identifies a kernel of a file.
type key struct {
	file, name string
	nth        int
}

func (k Kernel) key() key { return key{k.File, k.Name, k.Nth} }

// Encode writes a baseline: a kernel on a few lines, so that a review shows what changed of which kernel, and commas
// between kernels on lines of their own, so that a kernel that is added changes no other's line.
func Encode(kernels []Kernel, findings ...Known) []byte {
	sorted := slices.Clone(kernels)
	slices.SortStableFunc(sorted, func(a, b Kernel) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Nth, b.Nth))
	})
	var out bytes.Buffer
	out.WriteString("{\"smux-baseline\": " + text(Schema) + ", \"kernels\": [\n")
	for i, k := range sorted {
		if i > 0 {
			out.WriteString(",\n")
		}
		k.encode(&out)
	}
	out.WriteString("]")
	lines := []string{}
	for _, f := range findings {
		lines = append(lines, text(f))
	}
	if slices.Sort(lines); len(lines) > 0 {
		out.WriteString(", \"findings\": [\n" + strings.Join(lines, ",\n") + "\n]")
	}
	out.WriteString("}\n")
	return out.Bytes()
}

// encode writes one kernel.
func (k Kernel) encode(out *bytes.Buffer) {
	out.WriteString(`{"file": ` + text(k.File) + `, "kernel": ` + text(k.Name))
	if k.Nth > 0 {
		out.WriteString(`, "nth": ` + text(k.Nth))
	}
	out.WriteString(",\n \"shared\": " + text(k.Shared))
	out.WriteString(",\n \"share\": " + text(k.Share) + ", \"regions\": " + text(k.Regions))
	out.WriteString(",\n \"lines\": " + text(k.Lines))
	out.WriteString(",\n \"stands\": [")
	for i, s := range k.Stands {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n  " + text(s))
	}
	out.WriteString("]}\n")
}

// text returns a value as JSON on one line.
func text(v any) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // plain data
	}
	return string(bytes.TrimRight(out.Bytes(), "\n"))
}

// CodeFile reports that a baseline can't be read.
const CodeFile diag.Code = "baseline-file"

// FormatError is a file that is not a baseline, or that can't be read as one.
type FormatError struct{ Message diag.Message }

func (e *FormatError) Error() string { return e.Message.Error() }

// Parse reads a baseline; name is that of the file, for messages. The error is a
// *FormatError.
func Parse(name string, src []byte) (*File, error) {
	wrong := func(offset int64, help, format string, args ...any) error {
		return &FormatError{diag.Message{Pos: place(name, src, offset), Code: CodeFile, Text: fmt.Sprintf(format, args...), Help: help}}
	}
	if at := conflict(src); at >= 0 {
		return nil, wrong(int64(at), `take one side ("git checkout --ours FILE"), then run "smux baseline write"`, "this is the mark of a merge that was not finished")
	}
	var head struct {
		Schema *int `json:"smux-baseline"`
	}
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(src, &head); {
	case errors.As(err, &syntax):
		return nil, wrong(syntax.Offset-1, `take it from git again, or delete it and run "smux baseline write"`, "this is not JSON: %v", err)
	case err != nil || head.Schema == nil || *head.Schema < 1:
		return nil, wrong(0, `name another file; "smux baseline write" writes such files`, "this is not a baseline of smux")
	case *head.Schema > Schema:
		return nil, wrong(0, "update smux", "this baseline is of a newer smux: its schema is %d, and this one knows %d", *head.Schema, Schema)
	}
	f := &File{}
	var field *json.UnmarshalTypeError
	if err := json.Unmarshal(src, f); errors.As(err, &field) {
		return nil, wrong(field.Offset-1, `take it from git again, or delete it and run "smux baseline write"`, "this is no %s of a baseline: %s", field.Field, field.Value)
	} else if err != nil {
		return nil, wrong(0, "", "%v", err)
	}
	seen := map[key]bool{}
	for _, k := range f.Kernels {
		switch {
		case k.File == "" || k.Name == "":
			return nil, wrong(0, `take it from git again, or delete it and run "smux baseline write"`, "a kernel in it has no name or no file")
		case seen[k.key()]:
			return nil, wrong(0, `delete one of them, then run "smux baseline write"`, "kernel %q of %s is in it twice, as after a merge", k.Name, k.File)
		}
		seen[k.key()] = true
	}
	return f, nil
}

// conflict returns the offset of git's mark of a merge that needs a person, -1 for none.
func conflict(src []byte) int {
	for _, mark := range []string{"<<<<<<< ", "=======\n", ">>>>>>> ", "||||||| "} {
		if bytes.HasPrefix(src, []byte(mark)) {
			return 0
		}
		if i := bytes.Index(src, []byte("\n"+mark)); i >= 0 {
			return i + 1
		}
	}
	return -1
}

// place returns where an offset is.
func place(name string, src []byte, offset int64) diag.Position {
	at := max(0, min(int(offset), len(src)))
	before := src[:at]
	return diag.Position{File: name, Line: 1 + bytes.Count(before, []byte("\n")), Column: at - bytes.LastIndexByte(before, '\n')}
}

// maxBytes is more than any baseline has: a hundred thousand kernels.
const maxBytes = 256 << 20

// CodeMissing reports that there is nothing to compare with.
const CodeMissing diag.Code = "baseline-missing"

// Stored is a baseline as it lies on the disk.
type Stored struct {
	*File        // empty where there is none
	Name  string // as a person knows it
	Dir   string // its folder, absolute; paths of kernels are relative to it
	text  []byte // nil where there is no such file
}

// Open reads a baseline. One that is not there is empty, and made by Record. The error is
// a *FormatError for what is not a baseline, else a diag.Failure.
func Open(name string) (*Stored, error) {
	b := &Stored{File: &File{}, Name: name, Dir: filepath.Dir(project.Located(name))}
	switch info, err := os.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return b, nil
	case err != nil:
		return nil, diag.Failed("reading "+name, diag.PlainCause(err))
	case !info.Mode().IsRegular():
		return nil, diag.Usagef("name the file itself", "%s is %s, and a baseline is a file", name, disk.KindOf(info.Mode()))
	case info.Size() > maxBytes:
		return nil, diag.Usagef("name another file", "%s is not a baseline: it has %d bytes", name, info.Size())
	}
	var err error
	if b.text, err = os.ReadFile(name); err != nil {
		return nil, diag.Failed("reading "+name, diag.PlainCause(err))
	}
	b.File, err = Parse(name, b.text)
	return b, err
}

// Exists reports whether there was such a file.
func (b *Stored) Exists() bool { return b.text != nil }

// Nearest returns the path of the nearest baseline upwards, as far as the
// repository of the working directory goes, and one in that where there is none.
func Nearest() string {
	wd, err := os.Getwd()
	if err != nil {
		return Name
	}
	top := project.Repository(wd)
	for dir, up := wd, ""; ; dir, up = filepath.Dir(dir), filepath.Join(up, "..") {
		if _, err := os.Lstat(filepath.Join(dir, Name)); err == nil {
			return filepath.Join(up, Name)
		}
		if dir == top || dir == filepath.Dir(dir) {
			return Name
		}
	}
}

// Covers reports whether a recorded kernel is among what arguments (files and folders) and globs of names ask for.
func (b *Stored) Covers(args, kernels []string) func(Kernel) bool {
	paths := located(args)
	return func(k Kernel) bool {
		return rewrite.Matches(kernels, k.Name) && project.Within(filepath.Join(b.Dir, filepath.FromSlash(k.File)), paths)
	}
}

// located returns the absolute paths that arguments name.
func located(args []string) (paths []string) {
	for _, a := range args {
		if project.IsFolder(a) {
			paths = append(paths, project.Resolved(project.Folder(a)))
		} else {
			paths = append(paths, project.Located(a))
		}
	}
	return paths
}

// Record puts kernels in the place of those that covers selects, and writes the baseline
// unless it holds them already. It returns how many kernels it has then.
func (b *Stored) Record(now []Sight, covers func(Kernel) bool) (kernels int, written bool, err error) {
	all := slices.DeleteFunc(slices.Clone(b.Kernels), covers)
	for _, k := range now {
		all = append(all, k.Kernel)
	}
	written, err = b.replace(Encode(all, b.Findings...))
	return len(all), written, err
}

func (b *Stored) replace(text []byte) (written bool, err error) {
	if bytes.Equal(b.text, text) {
		return false, nil
	}
	var st *disk.Staged
	if b.text == nil {
		st, err = disk.Stage(b.Name, text)
	} else {
		st, err = disk.StageOver(b.Name, b.text, text)
	}
	if err != nil {
		return false, err
	}
	return true, st.Commit()
}

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
