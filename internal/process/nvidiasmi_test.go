//go:build unix

package process

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// driver puts an nvidia-smi of one's own on the path.
func driver(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte("#!/bin/sh\n"+script+"\n"), 0o777))
	t.Setenv("PATH", dir)
}

func TestWhatTheDriverSaysIsReturned(t *testing.T) {
	driver(t, `echo "asked for $1"`)
	out, err := NVIDIASMI(context.Background(), "--query-gpu=name")
	require.NoError(t, err)
	assert.Equal(t, "asked for --query-gpu=name\n", out)
}

func TestADriverThatIsOfNoUseIsAnErrorThatSaysWhy(t *testing.T) {
	driver(t, `echo No devices were found; echo more; exit 6`)
	_, err := NVIDIASMI(context.Background())
	assert.EqualError(t, err, "nvidia-smi: No devices were found")
	driver(t, `exit 6`)
	_, err = NVIDIASMI(context.Background())
	assert.EqualError(t, err, "nvidia-smi: exit status 6")
	driver(t, `while :; do echo "0123456789012345678901234567890123456789012345678901234567890123456789"; done`)
	_, err = NVIDIASMI(context.Background())
	assert.EqualError(t, err, "nvidia-smi prints without end")
	t.Setenv("PATH", t.TempDir())
	_, err = NVIDIASMI(context.Background())
	assert.Equal(t, ErrNoDriver, err)
}
