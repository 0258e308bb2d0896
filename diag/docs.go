package diag

import (
	"slices"
	"strings"
)

// Doc is the documentation of one code, as `smux explain CODE` prints it.
type Doc struct {
	Code    Code
	Title   string // one line: what the code means
	Help    string // one line, begins with a verb: what a person can do
	Text    string // what it means, and why smux leaves it alone
	Example string // a piece of CUDA that gets this code, or an input that does
	Fix     string // what to change, in words or CUDA

	// Loose means of a refusal that a rewritten kernel may get it as a remark, too, or
	// that it depends on the knobs of a rewrite or on an earlier run.
	Loose bool
	// Firm means of a code that it is always reported, unlike those beside it.
	Firm bool
}

// group is documentation of codes that are about one thing.
type group struct {
	docs []Doc
	kind kind
}

// kind is to whom and when a code is reported.
type kind uint8

const (
	always  kind = iota // always reported
	remark              // of a kernel: a person may suppress it
	refusal             // a remark that each kernel gets whose rewrites it stops
)

// groups are the documented codes, by what they are about.
var groups = []group{
	{inputDocs, always},                                                                                             // files that can't be read
	{hazardDocs, refusal}, {controlDocs, refusal}, {blockDocs, refusal}, {pipeDocs, refusal}, {launchDocs, refusal}, // kernels that are not rewritten
	{stageDocs, refusal},                                                               // loads ahead, block shapes, locks
	{sliceDocs, refusal},                                                               // exchanges in rounds
	{stagingDocs, refusal},                                                             // arrays staged in shared memory
	{overlayDocs, refusal},                                                             // shared arrays of the same bytes
	{demoteDocs, remark}, {capDocs, remark}, {wordsDocs, remark}, {ladderDocs, remark}, // registers
	{findingDocs, remark},                                           // findings for other tools
	{choiceDocs, remark},                                            // which rewrite a kernel gets
	{raceDocs, always}, {memoryDocs, always}, {verdictDocs, always}, // what running a program showed
	{accDocs, always},                                               // directives of OpenACC in C
	{validateDocs, always},                                          // two programs laid side by side
	{runDocs, always}, {translateDocs, always}, {benchDocs, always}, // programs that can't be run, or not fully
	{nvccDocs, remark},                             // files that nvcc was asked about
	{configDocs, remark},                           // files of settings
	{directiveDocs, always}, {requestDocs, remark}, // what a person asks for in the source
	{resultsDocs, always},  // files of other autotuners
	{jobsDocs, always},     // tuning on a cluster
	{baselineDocs, remark}, // kernels compared with what was recorded
}

// Docs returns the documentation of every code, sorted by code.
func Docs() []Doc {
	var out []Doc
	for _, g := range groups {
		out = append(out, g.docs...)
	}
	slices.SortFunc(out, func(a, b Doc) int { return strings.Compare(string(a.Code), string(b.Code)) })
	return out
}

// Lookup returns the documentation of a code; ok is false if there is none.
func Lookup(code Code) (doc Doc, ok bool) {
	doc, _, ok = lookup(code)
	return doc, ok
}

func lookup(code Code) (doc Doc, k kind, ok bool) {
	for _, g := range groups {
		for _, d := range g.docs {
			if d.Code == code {
				return d, g.kind, true
			}
		}
	}
	return Doc{}, always, false
}

// Ignorable reports whether a person may suppress a code: it tells why a
// kernel was left alone, or remarks on one. What keeps smux from reading a file,
// what running a program showed, what is wrong with a directive, and what keeps a
// baseline from being compared is always reported.
func Ignorable(code Code) bool {
	d, k, ok := lookup(code)
	return ok && k != always && !d.Firm
}

// Refuses reports whether a code is reported of every kernel that it is true of
// whenever its rewrites are looked for, by a refusal of one of them: if it was not
// reported, it is not true.
func Refuses(code Code) bool {
	d, k, _ := lookup(code)
	return k == refusal && !d.Loose
}

// Help returns one line on what a person can do about a message of this code,
// "" for a code that is not documented.
func Help(code Code) string {
	d, _ := Lookup(code)
	return d.Help
}
