package texts

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Programs get pieces by what they call: each function that a text calls has to be in one of them.
func TestTextsCallWhatThereIs(t *testing.T) {
	var all strings.Builder
	for _, text := range Pieces {
		all.WriteString(text)
	}
	for name, text := range API {
		assert.Contains(t, text, name+"(")
		all.WriteString(text)
	}
	defined := map[string]bool{"acc_on_cuda": true} // by the translation
	for _, m := range regexp.MustCompile(`(?m)^\S.*?\b(acc_\w+)\([^;\n]*$`).FindAllStringSubmatch(all.String(), -1) {
		defined[m[1]] = true
	}
	called := 0
	for _, m := range regexp.MustCompile(`\b(acc_[a-z_]+)\(`).FindAllStringSubmatch(all.String(), -1) {
		assert.True(t, defined[m[1]], "no text defines %s", m[1])
		called++
	}
	assert.Greater(t, called, 100)
}

func TestOlderNamesLeadToFunctions(t *testing.T) {
	for old, now := range Older {
		assert.Contains(t, API, now, old)
		assert.NotContains(t, API, old)
	}
}

// A line for programs that do something is there for them, and no other text is.
func TestLinesAreForProgramsThatDoSomething(t *testing.T) {
	assert.Equal(t, "a\n b\n\nd\n", For("a\n//+x  b\n//-x c\n//+x\n//+x //-y d\n//+x //+y e\n", []string{"x"}))
	words := []string{"chooses", "devices", "files", "queued"}
	found := map[string]bool{}
	for _, all := range []map[string]string{Pieces, API} {
		for name, text := range all {
			for _, m := range regexp.MustCompile(`//[+-](\w+)`).FindAllStringSubmatch(text, -1) {
				assert.Contains(t, words, m[1], name)
				found[m[1]] = true
			}
			assert.NotContains(t, For(text, words), "//+")
			assert.NotContains(t, For(text, nil), "//-")
		}
	}
	assert.Len(t, found, len(words))
	queue := For(Pieces["acc_stream"], words)
	assert.Contains(t, queue, "inline int &acc_chosen_queue()")
	assert.NotContains(t, queue, "static inline cudaStream_t")
}
