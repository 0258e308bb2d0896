package passes

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPassesComeAfterWhatTheyRequire(t *testing.T) {
	done := map[string]bool{}
	for _, p := range All {
		for _, r := range p.Requires {
			assert.True(t, done[r], "%s requires %s, which comes later or not at all", p.Name, r)
		}
		assert.False(t, done[p.Name], "two passes named %s", p.Name)
		done[p.Name] = true
	}
}
