package merge

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheTableOfAttributesIsThatOfTheDocs: docs/use/merged-blocks.md says of each attribute of a launch whether
// merged blocks may have it, as the rewriters do.
func TestTheTableOfAttributesIsThatOfTheDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/use/merged-blocks.md")
	require.NoError(t, err)
	told := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[A-Z].*?) \\| (have it|refused)").FindAllStringSubmatch(string(text), -1) {
		for _, name := range regexp.MustCompile("`([A-Z]\\w+)`").FindAllStringSubmatch(row[1], -1) {
			told["cudaLaunchAttribute"+name[1]] = row[2] == "have it"
		}
	}
	for name, why := range attributes {
		may, is := told[name]
		assert.True(t, is, "%s is missing", name)
		assert.Equal(t, why == "", may, name)
	}
	for name := range told {
		assert.Contains(t, attributes, name)
	}
}
