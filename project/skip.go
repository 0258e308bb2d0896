package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// vendored are the names of folders that hold what others have written.
var vendored = []string{"vendor", "third_party", "thirdparty", "3rdparty", "external", "extern", "node_modules", "_deps"}

// isVendored reports whether a folder of that name is left out, as the go command
// leaves out those that begin with a dot or an underscore.
func isVendored(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || slices.Contains(vendored, strings.ToLower(name))
}

// isBuild reports whether CMake builds in a folder.
func isBuild(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "CMakeCache.txt"))
	return err == nil
}

// kind is the kind of a file by its name.
type kind uint8

const (
	other  kind = iota
	cuda        // always taken
	header      // taken where there is CUDA in it
)

func kindOf(name string) kind {
	switch ext := filepath.Ext(name); {
	case ext == ".cu", ext == ".cuh":
		return cuda
	case parser.IsHeader(name):
		return header
	}
	return other
}
