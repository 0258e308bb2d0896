package stress

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/smux-cuda/smux/diag"
)

// Appendable returns why measurements can't be added to the file of --record, nil without one. A file that is empty or
// not there yet will do.
func Appendable(file string) error {
	if file == "" {
		return nil
	}
	there, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err = os.Stat(filepath.Dir(file))
	case err != nil:
	case !there.Mode().IsRegular():
		return diag.Usagef("name another file", "--record %s is not a regular file", file)
	case there.Size() == 0:
	default:
		if _, err := Read(file); err != nil {
			return diag.Usagef("name another file", "--record would add to a file that is not a record: %w", err)
		}
	}
	if err != nil {
		return diag.Usagef("check the path", "--record %s: %w", file, diag.PlainCause(err))
	}
	return nil
}

// Append adds measurements to a record, which is made if it is not there.
func Append(file string, rows []Row) error {
	text, err := Encode(rows)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
