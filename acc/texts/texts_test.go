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

// A replacement that finds nothing would leave a program as it is without a word.
func TestReplacementsFindWhatTheyReplace(t *testing.T) {
	changes := func(what, name, text string, replaced string) {
		assert.NotEqual(t, text, replaced, "%s of %s", what, name)
	}
	for _, name := range []string{"acc_enter", "acc_leave", "acc_leave_whole"} {
		changes("queues", name, Pieces[name], QueuedCopies.Replace(Pieces[name]))
	}
	for _, name := range []string{"acc_memory", "acc_enter"} {
		changes("devices", name, Pieces[name], EachDevice.Replace(Pieces[name]))
	}
	changes("files", "acc_memory", Pieces["acc_memory"], OneTable.Replace(Pieces["acc_memory"]))
	queue := OneQueue.Replace(Pieces["default queue"] + Pieces["acc_stream"])
	assert.Contains(t, queue, "inline int &acc_chosen_queue()")
	assert.NotContains(t, queue, "static inline cudaStream_t")
}
