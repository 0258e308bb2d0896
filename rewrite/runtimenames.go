package rewrite

import (
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/merge"
	"github.com/smux-cuda/smux/rewrite/runtime"
)

// The names of smux's runtime are everyday words, and a program may have a macro of the same name:
//
//	#define block 64
//	const uint3 blockIdx = vtb.block;   // vtb.64
//
// Such a name gets a prefix, in the runtime and where emitted text uses it. So do names that are
// used in the runtime alone where the macro is defined before it.

// runtimeNames returns other names for those of the runtime that meet a macro. files are those that get the runtime.
func (r *run) runtimeNames(edits map[*parser.File]*edit.Buffer, files map[*parser.File]map[runtime.Part]bool) map[string]string {
	meet := map[string]bool{}
	macros := r.macroNames()
	for _, b := range edits {
		for _, e := range b.Edits() {
			eachRuntimeName(e.New, func(at, end int) { meet[e.New[at:end]] = macros[e.New[at:end]] })
		}
	}
	for f := range files {
		if r.runtimeComesFirst(f, files) {
			continue
		}
		for name := range runtime.Names() {
			if _, before := f.Macros.Lookup(name, runtimeOffset(f)); before {
				meet[name] = true
			}
		}
	}
	names := map[string]string{}
	for name, meets := range meet {
		if !meets || !runtime.Names()[name] {
			continue
		}
		other := runtime.Prefix + name
		for macros[other] {
			other += "_"
		}
		names[name] = other
	}
	return names
}

// macroNames returns the names of all macros that the program's files see.
func (r *run) macroNames() map[string]bool {
	names := map[string]bool{}
	for _, f := range r.Prog.Parsed.All() {
		for _, m := range f.Macros.All() {
			names[m.Name] = true
		}
	}
	return names
}

// runtimeComesFirst reports whether each file that includes f has the runtime at its own top, so
// that the one in f doesn't count.
func (r *run) runtimeComesFirst(f *parser.File, files map[*parser.File]map[runtime.Part]bool) bool {
	including := r.Prog.Parsed.Including(f)
	return !slices.ContainsFunc(including, func(top *parser.File) bool { return top != f && files[top] == nil }) && len(including) > 0
}

// rename has edits use other names of the runtime.
func rename(b *edit.Buffer, names map[string]string) {
	if len(names) == 0 {
		return
	}
	for i, e := range b.Edits() {
		var out strings.Builder
		from := 0
		eachRuntimeName(e.New, func(at, end int) {
			if other, ok := names[e.New[at:end]]; ok {
				out.WriteString(e.New[from:at] + other)
				from = end
			}
		})
		b.Edits()[i].New = out.String() + e.New[from:]
	}
}

// runtimeSpace is the runtime's namespace.
const runtimeSpace = "smux"

// runtimeUse matches what stands in front of a name of the runtime in emitted text, and the name: its
// namespace, an object that fresh or freshName has named, or a call.
var (
	runtimeUse  = regexp.MustCompile(`\b` + runtimeSpace + `::(\w+)|\b(?:vtb|` + merge.LaunchName + `)\d*\.(\w+)|\)\.(\w+)`)
	runtimeCall = regexp.MustCompile(`\b` + runtimeSpace + `::\w+(?:<[^;{}]*>)?$`)
)

// eachRuntimeName calls f with each place of an emitted text where a name of the runtime stands, in order.
func eachRuntimeName(text string, f func(at, end int)) {
	for _, m := range runtimeUse.FindAllStringSubmatchIndex(text, -1) {
		switch {
		case m[2] >= 0:
			f(m[0], m[0]+len(runtimeSpace))
			f(m[2], m[3])
		case m[4] >= 0:
			f(m[4], m[5])
		case runtimeCall.MatchString(text[:opening(text, m[0])]):
			f(m[6], m[7])
		}
	}
}

// opening is the offset of the parenthesis that the one at an offset closes, 0 where the text doesn't have it.
func opening(text string, at int) int {
	depth := 0
	for ; at > 0; at-- {
		switch text[at] {
		case ')':
			depth++
		case '(':
			depth--
		}
		if depth == 0 {
			return at
		}
	}
	return 0
}
