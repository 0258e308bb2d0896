//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives f the owner of the file it will replace, where the person may do that.
func keepOwner(f *os.File, replaces fs.FileInfo) {
	if st, ok := replaces.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}
