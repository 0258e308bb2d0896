//go:build !unix

package disk

import (
	"io/fs"
	"os"
)

// keepOwner does nothing on systems where files have no Unix owner.
func keepOwner(*os.File, fs.FileInfo) {}
