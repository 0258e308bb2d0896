package stress

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// What Appendable says of files.
var (
	ErrNotRegular = errors.New("it is not a regular file") // but a folder, a pipe or the like
	ErrNotRecord  = errors.New("a file that is not a record")
)

// Appendable returns why measurements can't be added to a file: ErrNotRegular, ErrNotRecord
// with the reason, or what the system says. A file that is empty or not there yet will
// do.
func Appendable(file string) error {
	there, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err := os.Stat(filepath.Dir(file))
		return err
	case err != nil:
		return err
	case !there.Mode().IsRegular():
		return ErrNotRegular
	case there.Size() == 0:
		return nil
	}
	if _, err = Read(file); err != nil {
		return fmt.Errorf("%w: %w", ErrNotRecord, err)
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
