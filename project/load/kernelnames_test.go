package load

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheNamesOfKernelsAreFoundInFilesAndFolders(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	file := write("a.cu", "__global__ void one() {}\n__global__ void two();\nvoid host() {}\n")
	write("src/b.cu", "__global__ void two() {}\n__global__ void three() {}\n")
	wrong := write("wrong.cu", strings.Repeat("{", 1000))
	missing := filepath.Join(dir, "missing.cu")
	assert.Equal(t, []string{"one", "two", "three"}, KernelNames(context.Background(), []string{missing, file, wrong, filepath.Join(dir, "src", "...")}))
	over, cancel := context.WithCancel(context.Background())
	cancel()
	assert.Empty(t, KernelNames(over, []string{file}))
}
