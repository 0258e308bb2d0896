package lazyregexp_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/internal/lazyregexp"
)

func TestItIsTheSameExpression(t *testing.T) {
	const expression, text = `(\w)(\d)`, "a1 b2 c"
	lazy, eager := lazyregexp.New(expression), regexp.MustCompile(expression)
	assert.True(t, lazy.MatchString(text))
	assert.False(t, lazy.MatchString("c"))
	assert.Equal(t, eager.FindStringSubmatch(text), lazy.FindStringSubmatch(text))
	assert.Equal(t, eager.FindStringSubmatchIndex(text), lazy.FindStringSubmatchIndex(text))
	assert.Equal(t, eager.FindAllString(text, -1), lazy.FindAllString(text, -1))
	assert.Equal(t, eager.FindAllStringSubmatch(text, 1), lazy.FindAllStringSubmatch(text, 1))
	assert.Equal(t, eager.FindAllSubmatch([]byte(text), -1), lazy.FindAllSubmatch([]byte(text), -1))
	assert.Equal(t, "1 2 c", lazy.ReplaceAllString(text, "$2"))
	assert.Equal(t, "A1 B2 c", lazy.ReplaceAllStringFunc(text, strings.ToUpper))
}

func TestTestsSeeAWrongExpression(t *testing.T) {
	assert.Panics(t, func() { lazyregexp.New("(") })
}
