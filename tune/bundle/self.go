package bundle

import (
	"os"
	"path/filepath"

	"github.com/smux-cuda/smux/internal/disk"
)

// CopySelf copies this program into a folder, for another machine, and returns the copy's path.
func CopySelf(dir string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "smux")
	return path, disk.Copy(path, self, 0o755)
}
