package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/smux-cuda/smux/internal/disk"
)

// scratch is the folder of a machine: its programs, and the outputs of runs until
// they are released.
type scratch struct {
	dir  string
	last atomic.Int64
}

// newScratch makes one in the folder for temporary files.
func newScratch() (*scratch, error) {
	dir, err := disk.TempDir("", "smux-tune-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for programs and their outputs: %w", err)
	}
	return &scratch{dir: dir}, nil
}

// folder makes a new folder.
func (s *scratch) folder(what string) (string, error) {
	dir := filepath.Join(s.dir, fmt.Sprintf("%s-%d", what, s.last.Add(1)))
	return dir, os.Mkdir(dir, 0o777)
}

func (s *scratch) Close() error { return disk.Remove(s.dir) }
