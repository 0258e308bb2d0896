package mutate

import (
	"bytes"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// fault is a mutation of smux's device runtime: within the text that stands
// there exactly once, the part between « and » is replaced.
type fault struct {
	what, text, with string
}

// faults lists how the runtime may go wrong, in the order of its
// text. Those whose text is not in a file, since it uses another sync mode, are
// left out.
var faults = []fault{
	{"count-full", "count(«left(blocks) < most(blocks) ? left(blocks) : most(blocks)»)", "N"},
	{"all-active", "active(«id < count»)", "true"},
	{"sync-half", "own::sync(number(), «this->size()»)", "this->size() / 2"},
	{"sync-twice", "own::sync(number(), «this->size()»)", "2 * this->size()"},
	{"sync-shared", "return Own == 1 ? 0 : «this->id»;", "0u"},
	{"start-alone", "if («this->count > 1» && this->id == this->count - 1) hand_over(0);", "true"},
	{"start-all", "if (this->count > 1 && «this->id == this->count - 1») hand_over(0);", "true"},
	{"start-second", "if (this->count > 1 && this->id == this->count - 1) hand_over(«0»);", "1"},
	{"acquire-alone", "sync(this->id, «this->count > 1» ? 2 * threads : threads);", "true"},
	{"acquire-never", "«barriers<Own + 1, N>::sync(this->id, this->count > 1 ? 2 * threads : threads)»;", "(void)0"},
	{"acquire-own", "sync(this->id, this->count > 1 ? «2 * threads» : threads);", "threads"},
	{"acquire-shared", "sync(«this->id», this->count > 1 ? 2 * threads : threads);", "0u"},
	{"release-alone", "if («this->count > 1») hand_over(this->id + 1 < this->count ? this->id + 1 : 0);", "true"},
	{"release-never", "if («this->count > 1») hand_over(this->id + 1 < this->count ? this->id + 1 : 0);", "false"},
	{"release-self", "hand_over(«this->id + 1 < this->count ? this->id + 1 : 0»);", "this->id"},
	{"release-unwrapped", "hand_over(«this->id + 1 < this->count ? this->id + 1 : 0»);", "this->id + 1"},
	{"release-first", "hand_over(«this->id + 1 < this->count ? this->id + 1 : 0»);", "0u"},
	{"finish-all", "if (this->count > 1 && «this->id == 0») barriers", "true"},
	{"finish-alone", "if («this->count > 1» && this->id == 0) barriers", "true"},
	{"numbered-sync-half", "else wait(1 + this->id, «this->size()»);", "this->size() / 2"},
	{"numbered-sync-one", "bar.sync 1, %0;\" ::\"r\"(«this->size()»)", "this->size() / 2"},
	{"numbered-start-all", "if (this->count > 1 && «this->id + 1 == this->count») give(0);", "true"},
	{"numbered-acquire-never", "if (this->merged()) «wait(Own + 1 + this->id, all)»;", "(void)0"},
	{"numbered-acquire-own", "unsigned all = «this->count > 1 ? 2 * this->size() : this->size()»;", "this->size()"},
	{"numbered-release-never", "if («this->count > 1») give(this->id + 1 == this->count ? 0 : this->id + 1);", "false"},
	{"numbered-release-self", "give(«this->id + 1 == this->count ? 0 : this->id + 1»);", "this->id"},
	{"numbered-finish-all", "if (this->count > 1 && «this->id == 0») wait(Own + 1", "true"},
	{"lock-held", "if («this->id == 0 && leads()») taken() = 0;", "false"},
	{"lock-own", "while («atomicOr(&taken(), 1u << s) >> s & 1») s = s + 1 < M", "false"},
	{"lock-alone", "M > 1 ? this->id % M : 0;\n            while (atomicOr(&taken(), «1u << s») >> s & 1)", "0u"},
	{"acquire-unasked", "if (M > 1) slots()[this->id] = s;\n        }\n        «this->sync()»;", "(void)0"},
	{"release-early", "void release() const {\n        «this->sync()»;", "(void)0"},
	{"release-none", "atomicAnd(&taken(), «~(1u << slot())»);", "~0u"},
	{"release-every", "atomicAnd(&taken(), «~(1u << slot())»);", "0u"},
	{"slot-shared", "return M > 1 ? «slots()[this->id]» : 0;", "this->id % M"},
	{"slot-one", "return M > 1 ? «slots()[this->id]» : 0;", "0"},
	{"groups-fewer", "this->active = «rest > step»;", "rest > 2 * step"},
	{"groups-same", "this->block.z) += «step»;", "0u"},
	{"groups-alone", "if («rest == 1») alone(*this, 0);", "false"},
	{"groups-full", "if («rest < N») {", "false"},
	{"groups-all-active", "this->active = «this->id < rest»;", "true"},
	{"hand-over-own", "barriers<Own + 1, N>::arrive(next, «2 * this->size()»);", "this->size()"},
}

// find returns the range that a fault replaces.
func (d fault) find(text string) (start, end int, ok bool) {
	before, rest, _ := strings.Cut(d.text, "«")
	part, after, _ := strings.Cut(rest, "»")
	whole := before + part + after
	at := strings.Index(text, whole)
	if at < 0 || strings.Count(text, whole) > 1 {
		return 0, 0, false
	}
	start = at + len(before)
	return start, start + len(part), true
}

// runtime lists the mutants of the device runtime in the file.
func (e *enumerator) runtime() {
	n := runtimeOf(e.file)
	if n == nil {
		return
	}
	text, base := e.file.Text(n), int(n.Start)
	for _, d := range faults {
		start, end, ok := d.find(text)
		if !ok || neverRun(d.what, e.file) {
			continue
		}
		e.out = append(e.out, Mutant{
			ID: "runtime:" + d.what, Pos: e.file.Position(base + start),
			Text:  text[start:end] + " becomes " + d.with,
			start: base + start, end: base + end, with: d.with,
		})
	}
}

// neverRun reports whether the text that a fault changes is never run in a file.
func neverRun(what string, f *parser.File) bool {
	shared := declares(f, "vtb_numbered<1,") // by all v-TBs
	switch what {
	case "sync-shared":
		return !ownBarriers(f)
	case "numbered-sync-half":
		return shared
	case "numbered-sync-one":
		return !shared
	case "groups-alone": // there is no turn to take back
		return declares(f, "vtb_lock<")
	}
	return false
}

// ownBarriers reports whether v-TBs of a file have a barrier each. Where they
// share one, what picks theirs is never run.
func ownBarriers(f *parser.File) bool {
	for _, name := range []string{"vtb_lock<", "vtb_named_own<", "vtb_apart<"} {
		if declares(f, name) {
			return true
		}
	}
	return false
}

// declares reports whether v-TBs of a kernel are of a type: alone, or as blocks that stay
// (const smux::vtb_lock<…> vtb, smux::persistent<smux::vtb_lock<…>, 3> vtb).
func declares(f *parser.File, class string) bool {
	return bytes.Contains(f.Src, []byte("const smux::"+class)) || bytes.Contains(f.Src, []byte("smux::persistent<smux::"+class))
}
