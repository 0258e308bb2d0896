package config_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/project/config"
)

// TestExamplesGetTheirCodes: what `smux explain` shows is so.
func TestExamplesGetTheirCodes(t *testing.T) {
	for _, code := range []diag.Code{config.CodeSyntax, config.CodeKey, config.CodeValue} {
		doc, ok := diag.Lookup(code)
		require.True(t, ok)
		_, err := config.Read(config.Name, []byte(doc.Example), boards)
		var wrong *config.Error
		require.ErrorAs(t, err, &wrong)
		for _, m := range wrong.Messages {
			assert.Equal(t, code, m.Code)
		}
		_, err = config.Read(config.Name, []byte(doc.Fix), boards)
		assert.NoError(t, err)
	}
}

var fence = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// TestTheDocumentationHoldsValidSettings reads every YAML block of docs/use/config.md;
// the first is the complete one.
func TestTheDocumentationHoldsValidSettings(t *testing.T) {
	text, err := os.ReadFile("../../docs/use/config.md")
	require.NoError(t, err)
	blocks := fence.FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, blocks)
	for i, b := range blocks {
		s, err := config.Read(config.Name, []byte(b[1]), func(string) ([]byte, error) { return []byte(strings.ReplaceAll(board, "gpu.mine", "gpu.ours")), nil })
		require.NoError(t, err, b[1])
		if i > 0 {
			continue
		}
		for _, key := range config.Keys() {
			assert.Contains(t, s.At, key, "the complete example lacks a key")
		}
		for _, key := range []string{"pin", "leave", "rewrites", "min-gain"} {
			found := false
			for _, k := range s.Kernels {
				_, has := k.At[key]
				found = found || has
			}
			assert.True(t, found, "no kernel of the complete example has %s", key)
		}
	}
	for _, key := range config.Keys() {
		assert.Contains(t, string(text), "`"+strings.TrimPrefix(key, "baseline.")+"`", "the table lacks a key")
	}
}
