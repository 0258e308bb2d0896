package translate

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// Options describes where translated files will be written and how the originals were read.
type Options struct {
	Parse parser.Options // as the files were parsed with: ReadFile finds headers that exist in memory only
	Dir   string         // folder into which Files will be written: absolute, used in #include directives
	Own   bool           // its device variables are no other file's (OwnVariables)
	Part  bool           // the file will stand in a namespace, beside other programs (build.BuildTogether)
}

// File is one translated file.
type File struct {
	Name    string // the original's name, as messages show it
	Path    string // where the text is to be written, inside Options.Dir
	Text    []byte // C++; begins with #line 1 "Name", then line i+1 of Text is line i of the original
	Runtime [2]int // first and last line of smux's own device runtime in it, 0 0 if none

	position positions
}

// Unit is a translated .cu file with the headers that it needs in translation.
type Unit struct {
	Files   []File         // Files[0] is the translation unit, the others headers that had to be translated
	Remarks []diag.Message // what will run less checked (e.g. shared variable declared in a macro)
	// Functions are the names of those that a part declares outside of namespaces,
	// but for main. Other units have none.
	Functions []string
	// Arrays is set if kernels may have arrays whose bounds the run-time does not know, but the compiler: of a thread,
	// inside of structures, or variables of the device.
	Arrays bool
}

// The codes of remarks.
const (
	// CodeSharedStatic: a shared variable stays a static variable of the host, so
	// that its bounds and races are not checked.
	CodeSharedStatic diag.Code = "shared-static"
	// CodeHostDeviceOverload: a host and a device function have one signature.
	CodeHostDeviceOverload diag.Code = "host-device-overload"
	// CodeUnsupportedAsm: inline PTX that ends the program if it is reached.
	CodeUnsupportedAsm diag.Code = "unsupported-asm"
)

// Translate translates a .cu file and those of its headers that hold CUDA syntax, include such a header, or exist in
// memory only. headers are the parsed includes by cleaned path (parser.Program.Headers). The error is never about the
// input: two translations collided.
func Translate(f *parser.File, headers map[string]*parser.File, opt Options) (*Unit, error) {
	set := newFileSet(f, headers, opt)
	for _, t := range set.files {
		t.own = opt.Own
		t.translateText()
	}
	set.chooseCopies()
	u := &Unit{}
	if opt.Part {
		set.files[0].partMain()
		u.Functions = topFunctions(f)
	}
	for _, t := range set.files {
		u.Remarks = append(u.Remarks, t.remarks...)
		u.Arrays = u.Arrays || t.hasArrays()
		if !t.copied {
			continue
		}
		set.rewriteIncludes(t)
		out, err := t.finish()
		if err != nil {
			return nil, err
		}
		u.Files = append(u.Files, *out)
	}
	return u, nil
}

// text is one file on its way.
type text struct {
	file      *parser.File
	path      string // of the copy
	kernels   map[string]bool
	referring map[string]bool // kernels with a parameter that is a reference
	own       bool            // Options.Own
	edits     []edit.Edit
	remarks   []diag.Message
	runtime   [2]int
	numbers   int // shared declarations so far
	copied    bool
	covered   []span // ranges that were replaced as a whole
}

type span struct{ start, end int }

// translateText makes all edits but those of includes.
func (t *text) translateText() {
	t.byteOrderMark()
	file := &stretch{src: t.file.Src, toks: t.file.Tokens()}
	stretches := []*stretch{file}
	for _, d := range t.file.Definitions() {
		toks := parser.TokensBetween(t.file.Src, d.BodyStart, d.BodyEnd)
		if len(toks) > 0 {
			stretches = append(stretches, &stretch{src: t.file.Src, toks: toks, macro: d.Macro, end: d.BodyEnd})
		}
	}
	for _, s := range stretches {
		t.inlineAsm(s)
		t.sharedVariables(s)
		t.deviceVariables(s)
		t.launches(s)
		t.kernelPointers(s)
		t.spinLoops(s)
		t.unusedResults(s)
		heap(t, s)
	}
	tellConditional(t)
	t.launchBounds()
	ends(t)
	t.hooks()
	t.overloads()
	countBranches(t)
	chosenArrays(t)
}

// byteOrderMark drops the mark: it may stand at a file's beginning only, and there is a #line now.
func (t *text) byteOrderMark() {
	if src := t.file.Src; len(src) >= 3 && string(src[:3]) == "\xef\xbb\xbf" {
		t.replace(0, 3, "")
	}
}

func (t *text) insert(at int, s string) { t.replace(at, at, s) }

// replace notes an edit, unless it lies in text that is replaced as a whole.
func (t *text) replace(start, end int, s string) {
	for _, c := range t.covered {
		if c.start <= start && end <= c.end {
			return
		}
	}
	t.edits = append(t.edits, edit.Edit{Start: start, End: end, New: s})
}

// cover replaces a range as a whole; line breaks are kept, after the new text.
func (t *text) cover(s *stretch, start, end int, with string) {
	t.replace(start, end, with+lineBreaks(t.file.Src[start:end], s.macro != nil))
	t.covered = append(t.covered, span{start, end})
}

// free reports whether nothing was edited yet in a range.
func (t *text) free(start, end int) bool {
	return !slices.ContainsFunc(t.edits, func(e edit.Edit) bool { return e.Start < end && e.End > start || start < e.Start && e.Start < end })
}

func (t *text) remark(at int, code diag.Code, format string, args ...any) {
	t.remarks = append(t.remarks, diag.Message{Pos: t.file.Position(at), Code: code, Text: fmt.Sprintf(format, args...)})
}

// finish applies the edits.
func (t *text) finish() (*File, error) {
	var b edit.Buffer
	b.Append(t.edits)
	body, err := b.Apply(t.file.Src)
	if err != nil {
		return nil, fmt.Errorf("translating %s: %w", t.file.Name, err)
	}
	head := "#line 1 " + quote(t.file.Name) + "\n"
	if t.runtime[0] == 0 {
		t.runtime = runtimeLines(t.file)
	}
	return &File{
		Name: t.file.Name, Path: t.path, Text: append([]byte(head), body...), Runtime: t.runtime,
		position: newPositions(t.file.Src, body, t.edits),
	}, nil
}
