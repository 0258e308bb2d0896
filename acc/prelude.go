package acc

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// pieces of text that a program gets once, where it needs them.
const checkText = `// ACC_CHECK ends the program where a call of CUDA fails.
#define ACC_CHECK(call) \
    do { \
        cudaError_t acc_error = (call); \
        if (acc_error != cudaSuccess) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(acc_error)); \
            exit(EXIT_FAILURE); \
        } \
    } while (0)
`

// checkedCall is a line with a call in ACC_CHECK.
var checkedCall = regexp.MustCompile(`(?m)\bACC_CHECK\((.*)\);$`)

var helperTexts = map[string]string{
	"acc_apart": `// acc_apart ends the program where two arrays share memory: each has a copy of its own on
// the device.
static inline void acc_apart(const void *a, size_t bytes_of_a, const void *b, size_t bytes_of_b)
{
    if ((const char *)a < (const char *)b + bytes_of_b && (const char *)b < (const char *)a + bytes_of_a) {
        fprintf(stderr, "two arrays of a data region share memory\n");
        exit(EXIT_FAILURE);
    }
}
`,
	"acc_blocks": `// acc_blocks is the number of thread blocks for some iterations: at least one, in which no
// thread has anything to do where there are none.
static inline unsigned acc_blocks(long long iterations, int threads)
{
    return iterations > 0 ? (unsigned)((iterations + threads - 1) / threads) : 1;
}
`,
	"acc_blocks_up_to": `// acc_blocks_up_to is the same for threads that go on with further iterations, at most a number.
static inline unsigned acc_blocks_up_to(unsigned most, long long iterations, int threads)
{
    unsigned blocks = acc_blocks(iterations, threads);
    return blocks < most ? blocks : most;
}
`,
}

// use notes that the program needs a helper.
func (t *translation) use(name string) { t.uses[name] = helperTexts[name] }

// prelude puts what the program needs after its includes.
func (t *translation) prelude() {
	if t.apiNeeds(callsStream) || t.apiNeeds(namesQueue) {
		t.useQueues()
	}
	if t.apiNeeds(callsBehind) {
		t.uses["acc_behind"] = behindText
	}
	api := t.apiText()
	if len(t.uses) == 0 && api == "" && !slices.ContainsFunc(t.edits.Edits(), func(e edit.Edit) bool {
		return strings.Contains(e.New, "ACC_CHECK(") || strings.Contains(e.New, "acc_")
	}) {
		return
	}
	if t.uses["acc_stream"] != "" {
		t.uses["acc_stream"] = t.queues()
	}
	if t.table {
		t.uses["acc_memory"] = t.presentTable()
	}
	if strings.Contains(t.uses["acc_memory"], "acc_free_behind(") || slices.ContainsFunc(t.edits.Edits(), func(e edit.Edit) bool { return strings.Contains(e.New, "acc_free_behind(") }) {
		t.uses["acc_free_behind"] = freeBehindText
	}
	var b strings.Builder
	for _, h := range []string{"stdio.h", "stdlib.h"} {
		if !slices.ContainsFunc(t.file.Includes, func(i parser.Include) bool { return i.Path == h }) {
			b.WriteString("#include <" + h + ">\n")
		}
	}
	b.WriteString("\n" + checkText)
	for _, name := range slices.Sorted(maps.Keys(t.uses)) {
		b.WriteString("\n" + t.uses[name])
	}
	b.WriteString(api)
	b.WriteString(t.blankLine(t.behindIncludes()))
	t.ahead(t.behindIncludes(), b.String())
}

// isOpenACC defines the macro that says so, where the program asks for it: nvcc does not.
func (t *translation) isOpenACC() {
	asks := slices.ContainsFunc(t.sources(), func(s *source) bool { return bytes.Contains(s.file.Src, []byte("_OPENACC")) })
	if directives := parser.Directives(t.file.Src); asks && len(directives) > 0 {
		t.ahead(directives[0][0], "#define _OPENACC 202211 // the version of OpenACC that this was translated from\n")
	}
}

// blankLine returns the line break that parts the text after a place from what is put there.
func (t *translation) blankLine(at int) string {
	if rest := t.file.Src[at:]; len(rest) == 0 || rest[0] == '\n' || rest[0] == '\r' {
		return ""
	}
	return "\n"
}

// behindIncludes is the start of the line after the last #include before any function.
func (t *translation) behindIncludes() int {
	src, at := t.file.Src, 0
	first := len(src)
	for _, f := range t.tree.Functions {
		if f.Body != nil {
			from, _ := t.original(f.Start, f.Start+1)
			first = min(first, from)
		}
	}
	depth, last := 0, 0
	for _, d := range parser.Directives(src) {
		word := strings.TrimLeft(string(src[d[0]+1:d[1]]), " \t")
		switch {
		case strings.HasPrefix(word, "if"):
			depth++
		case strings.HasPrefix(word, "endif"):
			depth--
		}
		if d[0] < first && strings.HasPrefix(word, "include") && depth == 0 {
			last = d[1]
		}
	}
	if last > 0 {
		if i := bytes.IndexByte(src[last:], '\n'); i >= 0 {
			at = last + i + 1
		}
	}
	return at
}
