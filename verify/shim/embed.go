// Package shim holds the C++ that CUDA programs are compiled against when they run on the CPU, embedded in the
// binary: `include`, the headers that take the place of CUDA's, and `runtime`, what is compiled once and linked to
// every program. It holds text only; package build compiles it.
package shim

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"sync"
)

//go:embed include runtime
var files embed.FS

// Files returns the tree with the folders include and runtime.
func Files() fs.FS { return files }

// Hash returns a name for the content of the tree: it changes when a file is added, removed, renamed or edited.
func Hash() string { return hash() }

var hash = sync.OnceValue(func() string {
	sum := sha256.New()
	// Walking an embedded tree cannot fail, and goes in the order of the names.
	_ = fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		part := sha256.Sum256(text)
		sum.Write([]byte(path + "\x00"))
		sum.Write(part[:])
		return err
	})
	return hex.EncodeToString(sum.Sum(nil))[:16]
})
