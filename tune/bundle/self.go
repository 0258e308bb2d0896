package bundle

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// CopySelf copies this program into a folder, for another machine, and returns the copy's path.
func CopySelf(dir string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	in, err := os.Open(self)
	if err != nil {
		return "", err
	}
	defer in.Close()
	path := filepath.Join(dir, "smux")
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	return path, errors.Join(err, out.Close())
}
