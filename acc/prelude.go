package acc

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/texts"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// checkedCall is a line with a call in ACC_CHECK.
var checkedCall = regexp.MustCompile(`(?m)\bACC_CHECK\((.*)\);$`)

// prelude puts what the program needs after its includes.
func (t *translation) prelude() {
	if t.apiNeeds(texts.CallsStream.MatchString) || t.apiNeeds(texts.NamesQueue.MatchString) {
		t.use("acc_stream")
	}
	if t.apiNeeds(texts.CallsBehind.MatchString) {
		t.use("acc_behind")
	}
	api := t.apiText()
	if len(t.uses) == 0 && api == "" && !t.edited(func(text string) bool { return strings.Contains(text, "ACC_CHECK(") || strings.Contains(text, "acc_") }) {
		return
	}
	does := t.does()
	if t.table {
		t.uses["acc_memory"] = texts.For(t.presentTable(), does)
	}
	frees := func(text string) bool { return strings.Contains(text, "acc_free_behind(") }
	if frees(t.uses["acc_memory"]) || t.edited(frees) {
		t.use("acc_free_behind")
	}
	var b strings.Builder
	for _, h := range []string{"stdio.h", "stdlib.h"} {
		if !slices.ContainsFunc(t.file.Includes, func(i parser.Include) bool { return i.Path == h }) {
			b.WriteString("#include <" + h + ">\n")
		}
	}
	b.WriteString("\n" + texts.Pieces["ACC_CHECK"])
	for _, name := range slices.Sorted(maps.Keys(t.uses)) {
		b.WriteString("\n" + texts.For(t.uses[name], does))
	}
	b.WriteString(texts.For(api, does))
	at := t.behindIncludes()
	if rest := t.file.Src[at:]; len(rest) > 0 && rest[0] != '\n' && rest[0] != '\r' {
		b.WriteString("\n")
	}
	t.ahead(at, b.String())
}

// isOpenACC defines the macro that says so, where the program asks for it: nvcc does not.
func (t *translation) isOpenACC() {
	asks := slices.ContainsFunc(t.sources(), func(s *source) bool { return bytes.Contains(s.file.Src, []byte("_OPENACC")) })
	if directives := parser.Directives(t.file.Src); asks && len(directives) > 0 {
		t.ahead(directives[0][0], "#define _OPENACC 202211 // the version of OpenACC that this was translated from\n")
	}
}

// behindIncludes is the start of the line after the last #include before any function, or the function's where both are in one #if.
func (t *translation) behindIncludes() int {
	src := t.file.Src
	first, above := len(src), 0
	if f := lists.Find(t.tree.Functions, func(f *parser.Function) bool { return f.Body != nil }); f != nil {
		first, above = t.startOf(f), t.above(f)
	}
	// What stands in an #if of which the first function is not a part, such as a header that stands here, is over.
	depth, last, within := 0, 0, false
	for _, d := range parser.Directives(src) {
		if d[0] > first {
			break
		}
		word := strings.TrimLeft(string(src[d[0]+1:d[1]]), " \t")
		switch {
		case strings.HasPrefix(word, "if"):
			depth++
		case strings.HasPrefix(word, "endif"):
			depth--
		}
		include := strings.HasPrefix(word, "include")
		if depth == 0 && (include || within) {
			last = d[1]
		}
		within = depth > 0 && (within || include)
	}
	if within {
		return above
	}
	if i := bytes.IndexByte(src[last:], '\n'); last > 0 && i >= 0 {
		return last + i + 1
	}
	return 0
}

func (t *translation) use(name string) { t.uses[name] = texts.Pieces[name] }

// readAPI notes which functions of openacc.h the program calls.
func (t *translation) readAPI() {
	for n := range t.tree.Root.All() {
		called := t.callee(n)
		name := cmp.Or(texts.Older[called], called)
		if !strings.HasPrefix(called, "acc_") || t.functionNamed(called) != nil || t.declaredOnly(called) {
			continue
		}
		refuseIf(texts.API[name] == "", t.place(n), CodeUnsupported, fmt.Sprintf("the function %s of openacc.h", name), "write it by directives, or as calls of CUDA in the result")
		if name == "acc_set_device_num" {
			from, _ := t.rangeOf(n)
			t.choosesDevice(from, name)
		}
		t.api[name] = true
		if name != called {
			t.older = append(t.older, n.Child(parser.FieldFunction))
		}
	}
	if t.api["acc_on_device"] {
		t.bound["acc_on_device"] = "acc_on_cuda"
	}
}

// writeAPI gives the program what it uses of openacc.h, and takes its #include out.
func (t *translation) writeAPI() {
	for _, inc := range t.file.Includes {
		if inc.Path == "openacc.h" && !t.file.Macros.Dead(inc.Pos) {
			from, to := t.wholeLines(inc.Pos, inc.End)
			t.edits.Replace(from, to, "")
		}
	}
	for _, callee := range t.older {
		if !t.inCompute(callee) && !t.dropped(callee) {
			t.replace(callee, texts.Older[t.text(callee)])
		}
	}
}

func (t *translation) apiText() string {
	var b strings.Builder
	for _, piece := range [][]string{{"device types", "acc_device_"}, {"properties", "acc_property_", "acc_device_property_t"}, {"queues", "acc_async_noval", "acc_async_sync"}} {
		if slices.ContainsFunc(piece[1:], t.mentions) {
			b.WriteString("\n" + texts.Pieces[piece[0]])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.api)) {
		if name == "acc_on_device" {
			b.WriteString("\n" + texts.Pieces["acc_on_cuda"])
			if !t.calledOnHost(name, map[string]bool{}) {
				continue
			}
		}
		b.WriteString("\n" + texts.API[name])
	}
	return b.String()
}

// mentions reports whether a word of the program, or a function that it calls, begins with a text.
func (t *translation) mentions(word string) bool {
	return lists.Any(maps.Keys(t.words), func(w string) bool { return strings.HasPrefix(w, word) }) || t.apiNeeds(func(text string) bool { return strings.Contains(text, word) })
}

// apiNeeds reports whether something is true of the text of a function of openacc.h that the program calls.
func (t *translation) apiNeeds(is func(string) bool) bool {
	return lists.Any(maps.Keys(t.api), func(name string) bool { return is(texts.API[name]) })
}

// edited reports whether something is true of a text that the translation puts in.
func (t *translation) edited(is func(string) bool) bool {
	return slices.ContainsFunc(t.edits.Edits(), func(e edit.Edit) bool { return is(e.New) })
}
