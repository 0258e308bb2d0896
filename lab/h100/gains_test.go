package h100

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestThePageShowsTheGains holds docs/evidence/h100.md to what the program prints.
func TestThePageShowsTheGains(t *testing.T) {
	folder := filepath.Join("..", "..", "docs", "evidence")
	var table bytes.Buffer
	require.NoError(t, Main([]string{"-gains", "-times", filepath.Join(folder, "h100-replays.txt")}, &table))
	page, err := os.ReadFile(filepath.Join(folder, "h100.md"))
	require.NoError(t, err)
	assert.Contains(t, string(page), "<!-- $ go run ./lab/main.go h100 -gains -->\n\n"+table.String()+"\n<!-- end -->\n", "go run ./lab/main.go h100 -gains prints it anew")
}
