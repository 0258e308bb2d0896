package verify_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
)

// What is done is told before the first file is compiled: everything in front of that takes milliseconds. The compiler here
// writes down that it was asked to, and refuses.
func TestProgressIsToldBeforeAnythingIsCompiled(t *testing.T) {
	compiler, err := build.Find("")
	if err != nil || compiler.Kind != build.GCC {
		t.Skip("no g++ to stand in for")
	}
	dir := t.TempDir()
	log, script := filepath.Join(dir, "compiled"), filepath.Join(dir, "g++")
	text := fmt.Sprintf("#!/bin/sh\nfor a; do [ \"$a\" = -c ] && { echo compiled >> %s; exit 1; }; done\nexec %s \"$@\"\n", log, compiler.Path)
	require.NoError(t, os.WriteFile(script, []byte(text), 0o755))
	var told []string
	tell := func(what string) {
		if _, err := os.Stat(log); err != nil {
			told = append(told, what)
		}
	}
	_, err = verify.Run(context.Background(), verify.Request{
		Original: oneFile("empty", []byte("int main() {}\n")), Compiler: script, CacheDir: filepath.Join(dir, "cache"), Jobs: 1,
		Preparing: func(string) { tell("preparing") },
		Progress: func(program string, mode build.Mode, begun, all int) {
			tell(fmt.Sprint(program, " ", mode, " ", begun))
		},
	})
	assert.Error(t, err, "the runtime does not compile")
	assert.Equal(t, []string{"preparing", "original plain 1"}, told)
	assert.FileExists(t, log)
}
