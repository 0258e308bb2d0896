package usage

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEscapedMarkdownIsText(t *testing.T) {
	for from, want := range map[string]string{
		"a*b_c [x](y) <<<1>>>": `a\*b\_c \[x\](y) \<\<\<1\>\>\>`,
		"- no list":            `\- no list`,
		"1. no list":           `1\. no list`,
		"-d is a flag":         "-d is a flag",
		"version 1.2. then":    "version 1.2. then",
	} {
		assert.Equal(t, want, Escaped(from))
	}
}
