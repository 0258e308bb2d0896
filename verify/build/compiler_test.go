package build

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCompilersAreToldApart(t *testing.T) {
	for version, want := range map[string]string{
		"g++ (Debian 12.2.0-14) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc.\n": GCC,
		"c++ (GCC) 13.1.1\nCopyright (C) 2023 Free Software Foundation, Inc.\n":              GCC,
		"Debian clang version 14.0.6\nTarget: x86_64-pc-linux-gnu\n":                         Clang,
		"Apple clang version 15.0.0 (clang-1500.3.9.4)\n":                                    Clang,
		"nvcc: NVIDIA (R) Cuda compiler driver\n":                                            "",
	} {
		assert.Equal(t, want, kindOf(version), version)
	}
}

func TestWhatIsNoCompilerIsSaidSo(t *testing.T) {
	t.Setenv("CXX", "")
	var missing *NoCompilerError
	_, err := Find("no-such-compiler")
	require.ErrorAs(t, err, &missing)
	assert.Contains(t, err.Error(), "no-such-compiler")
	assert.Equal(t, "install g++ or clang++, or name one with --cxx", missing.Message().Help)

	fake := filepath.Join(t.TempDir(), "fake")
	require.NoError(t, os.WriteFile(fake, []byte("#!/bin/sh\necho I am a fake\n"), 0o777))
	_, err = Find(fake)
	require.ErrorAs(t, err, &missing)
	assert.Contains(t, err.Error(), "neither g++ nor clang++")

	t.Setenv("PATH", t.TempDir())
	_, err = Find("")
	require.ErrorAs(t, err, &missing)
	assert.Contains(t, err.Error(), "there is no C++ compiler")
	t.Setenv("CXX", "my-cxx")
	_, err = Find("")
	assert.ErrorContains(t, err, "my-cxx")
}
