package diag

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// Doc is the documentation of one code, as `smux explain CODE` prints it: a page below codes.
type Doc struct {
	Code    Code
	Title   string // one line: what the code means
	Help    string // one line, begins with a verb: what a person can do
	Text    string // what it means, and why smux leaves it alone
	Example string // a piece of CUDA that gets this code, or an input that does
	Fix     string // what to change, in words or CUDA

	kind kind
	// loose means of a refusal that a rewritten kernel may get it as a remark, too, or
	// that it depends on the knobs of a rewrite or on an earlier run.
	loose bool
	// firm means of a code that it is always reported, unlike those beside it.
	firm bool
}

// kind is to whom and when a code is reported.
type kind uint8

const (
	always  kind = iota // always reported
	remark              // of a kernel: a person may suppress it
	refusal             // a remark that each kernel gets whose rewrites it stops
)

// Group is a folder below codes, in which the pages of some codes lie.
type Group struct {
	Folder string
	Title  string // its heading in docs/codes.md
	kind   kind   // of its codes
}

// Groups are all of them, in the order of docs/codes.md.
var Groups = []Group{
	{"choice", "Which rewrite a kernel gets", remark},
	{"hazard", "Refusals: what no rewrite may touch", refusal},
	{"control", "Refusals: exits, barriers and control", refusal},
	{"block", "Refusals: the size of thread blocks", refusal},
	{"pipe", "Refusals: vtb-pipe", refusal},
	{"launch", "Refusals: signatures, launches and files", refusal},
	{"stage", "Loads ahead, block shapes and locks", refusal},
	{"slice", "Exchanges in rounds", refusal},
	{"staging", "Arrays staged in shared memory", refusal},
	{"ladder", "Registers: what was found", remark},
	{"demote", "Registers: recipes", remark},
	{"cap", "Registers: caps, unroll factors and pins", remark},
	{"words", "Registers: words in shared memory", remark},
	{"nvcc", "Messages about the compiler", remark},
	{"input", "Input that can't be read", always},
	{"config", "Settings", remark},
	{"directive", "Directives in the source", always},
	{"baseline", "Comparison with a baseline", remark},
	{"finding", "Findings that other tools show", remark},
	{"request", "Requests: what came of a directive or setting", remark},
	{"race", "Findings: the order of threads", always},
	{"memory", "Findings: wrong accesses", always},
	{"verdict", "Findings: programs that differ", always},
	{"translate", "Remarks: checked less", always},
	{"run", "Programs that could not be run", always},
	{"bench", "How to run a kernel without a program", always},
	{"jobs", "Tuning on a cluster", always},
	{"acc", "Directives of OpenACC", always},
	{"overlay", "Shared arrays of the same bytes", refusal},
	{"reshape", "Refusals of reshape", refusal},
	{"coarsen", "Refusals of coarsen", refusal},
	{"swizzle", "Refusals of swizzle", refusal},
	{"unroll", "Refusals of unroll", refusal},
	{"results", "Files of other tuners", always},
	{"validate", "Proofs and certificates", always},
}

//go:embed codes
var pages embed.FS

// documented reads the pages of all codes, sorted by code.
var documented = sync.OnceValue(func() (out []Doc) {
	paths, _ := fs.Glob(pages, "codes/*/*.md")
	for _, p := range paths {
		text, _ := pages.ReadFile(p)
		d, err := parsePage(string(text))
		i := slices.IndexFunc(Groups, func(g Group) bool { return g.Folder == path.Base(path.Dir(p)) })
		if err == nil && (i < 0 || string(d.Code)+".md" != path.Base(p)) {
			err = errors.New("its folder or name is another")
		}
		if err != nil {
			panic(fmt.Sprintf("%s: %v", p, err)) // each page is part of the program
		}
		d.kind = Groups[i].kind
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b Doc) int { return strings.Compare(string(a.Code), string(b.Code)) })
	return out
})

// parsePage reads the page of a code: its title, what a person can do, when it is reported, text, example, fix.
func parsePage(page string) (d Doc, err error) {
	head, fix, ok := strings.Cut(strings.TrimSuffix(page, "\n```\n"), "\n\n## Fix\n\n```\n")
	head, example, ok2 := strings.Cut(strings.TrimSuffix(head, "\n```"), "\n\n## Example\n\n```\n")
	parts := strings.SplitN(head, "\n\n", 3)
	if !ok || !ok2 || len(parts) < 3 {
		return d, errors.New("not the page of a code")
	}
	code, title, ok := strings.Cut(strings.TrimPrefix(parts[0], "# "), ": ")
	if !ok {
		return d, errors.New("no title")
	}
	d = Doc{Code: Code(code), Title: title, Help: strings.TrimPrefix(parts[1], "Help: "), Text: parts[2], Example: example, Fix: fix}
	if when, text, ok := strings.Cut(d.Text, "\n\n"); ok {
		d.loose, d.firm = strings.HasPrefix(when, "Loose: "), strings.HasPrefix(when, "Firm: ")
		if d.loose || d.firm {
			d.Text = text
		}
	}
	return d, nil
}

// Docs returns the documentation of every code, sorted by code.
func Docs() []Doc { return slices.Clone(documented()) }

// Lookup returns the documentation of a code; ok is false if there is none.
func Lookup(code Code) (doc Doc, ok bool) {
	docs := documented()
	i, ok := slices.BinarySearchFunc(docs, code, func(d Doc, c Code) int { return strings.Compare(string(d.Code), string(c)) })
	if !ok {
		return Doc{}, false
	}
	return docs[i], true
}

// Ignorable reports whether a person may suppress a code: it tells why a kernel was left alone, or remarks on one.
// What keeps smux from reading a file, what running a program showed, what is wrong with a directive, and what keeps
// a baseline from being compared is always reported.
func Ignorable(code Code) bool {
	d, ok := Lookup(code)
	return ok && d.kind != always && !d.firm
}

// Refuses reports whether a code is reported of every kernel that it is true of whenever its rewrites are looked for,
// by a refusal of one of them: if it was not reported, it is not true.
func Refuses(code Code) bool {
	d, _ := Lookup(code)
	return d.kind == refusal && !d.loose
}

// Help returns one line on what a person can do about a message of this code, "" for a code that is not documented.
func Help(code Code) string {
	d, _ := Lookup(code)
	return d.Help
}
