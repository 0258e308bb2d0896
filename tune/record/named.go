package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/prose"
)

// ReadNamed reads a record that a person has named, and tells where its end is left out. One without measurements is an error.
func ReadNamed(c *console.Console, file string) ([]Line, error) {
	lines, torn, err := ReadTorn(file)
	var path *fs.PathError
	if errors.As(err, &path) {
		return nil, diag.Usagef(suchFiles, "%s: %w", file, path.Err)
	}
	if err != nil {
		return nil, err
	}
	if torn > 0 {
		c.Remark("%s: the end is left out (%s): a run that was killed did not finish it, or one is writing it", file, prose.Count(torn, "byte"))
	}
	if len(lines) == 0 {
		return nil, diag.Usagef(suchFiles, "%s holds no measurement", file)
	}
	return lines, nil
}

func Folder() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "smux", "tune"), err
}

// HashInName is the length of the part of a program's hash in the name of its default record, after the last dash.
const HashInName = 8

// DefaultStore returns the file in Folder for a program, by its first file's name and the hash of its texts.
func DefaultStore(first, hash string) (string, error) {
	dir, err := Folder()
	if err != nil {
		return "", diag.Usagef("name a file with --store", "there is no cache folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", diag.Usagef("name a file with --store", "making the cache folder: %w", diag.PlainCause(err))
	}
	name := filepath.Base(first)
	name = name[:len(name)-len(filepath.Ext(name))]
	return filepath.Join(dir, name+"-"+hash[:HashInName]+".jsonl"), nil
}

// ReadTorn reads a file that another process may be writing, and returns how many bytes of an unfinished line it left out.
func ReadTorn(path string) (lines []Line, torn int, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, err
	}
	got, err := Parse(path, text)
	if err != nil {
		return nil, 0, err
	}
	return got.Lines, len(text) - got.Whole, nil
}
