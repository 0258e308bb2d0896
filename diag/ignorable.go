package diag

import "slices"

// Ignorable reports whether a person may ask not to hear of a code: it says why a
// kernel was left alone, or remarks on one. What keeps smux from reading a file,
// what running a program showed, what is wrong with a directive, and what keeps a
// baseline from being compared is always told.
func Ignorable(code Code) bool {
	_, documented := Lookup(code)
	return documented && !slices.Contains(notOfBaselines, code) && !holds(code, inputDocs, raceDocs, memoryDocs, verdictDocs, runDocs, translateDocs, benchDocs, directiveDocs)
}

// notOfBaselines are codes of baselines that are not about a kernel of the source.
var notOfBaselines = []Code{"baseline-file", "baseline-missing", "baseline-source", "baseline-gone"}

// alsoNotes are codes of refusals that a rewritten kernel may get as a remark, or
// that depend on the knobs of a rewrite or on an earlier run.
var alsoNotes = []Code{"already-multiplexed", "block-unknown", "launch-by-hand", "syntax", "slots", "partition", "separate-locks", "shape-assumed"}

// Refuses reports whether a code is said of every kernel that it is true of
// whenever its rewrites are looked for, by a refusal of one of them: if it was not
// said, it is not true.
func Refuses(code Code) bool {
	return holds(code, hazardDocs, controlDocs, blockDocs, pipeDocs, launchDocs, stageDocs) && !slices.Contains(alsoNotes, code)
}

func holds(code Code, lists ...[]Doc) bool {
	for _, docs := range lists {
		for _, d := range docs {
			if d.Code == code {
				return true
			}
		}
	}
	return false
}
