package diag

import (
	"slices"
	"strings"
)

// Doc is the documentation of one code, as `smux explain CODE` prints it.
type Doc struct {
	Code    Code
	Title   string // one line: what the code says
	Help    string // one line, begins with a verb: what a person can do
	Text    string // what it means, and why smux leaves it alone
	Example string // a piece of CUDA that gets this code, or an input that does
	Fix     string // what to change, in words or CUDA
}

// allDocs are the documented codes, by what they are about.
var allDocs = [][]Doc{
	inputDocs,                                                // files that can't be read
	hazardDocs, controlDocs, blockDocs, pipeDocs, launchDocs, // kernels that are not rewritten
	stageDocs,                                  // loads ahead, block shapes, locks
	demoteDocs, capDocs, wordsDocs, ladderDocs, // registers
	findingDocs,                       // findings for other tools
	choiceDocs,                        // which rewrite a kernel gets
	raceDocs, memoryDocs, verdictDocs, // what running a program showed
	runDocs, translateDocs, benchDocs, // programs that can't be run, or not fully
	nvccDocs,                // files that nvcc was asked about
	configDocs,              // files of settings
	directiveDocs, wishDocs, // what a person asks for in the source
	baselineDocs, // kernels compared with what was recorded
}

// Docs returns the documentation of every code, sorted by code.
func Docs() []Doc {
	out := slices.Concat(allDocs...)
	slices.SortFunc(out, func(a, b Doc) int { return strings.Compare(string(a.Code), string(b.Code)) })
	return out
}

// Lookup returns the documentation of a code; ok is false if there is none.
func Lookup(code Code) (doc Doc, ok bool) {
	for _, docs := range allDocs {
		for _, d := range docs {
			if d.Code == code {
				return d, true
			}
		}
	}
	return Doc{}, false
}

// Help returns one line on what a person can do about a message of this code,
// "" for a code that is not documented.
func Help(code Code) string {
	d, _ := Lookup(code)
	return d.Help
}
