package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Copy copies a file to a new path, with a mode.
func Copy(to, from string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(mode), out.Close())
}

// SyncFolder sees to it that the names in a folder are on the disk. Where a folder can't
// be opened or synced, there is nothing that could be done.
func SyncFolder(dir string) error {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}
