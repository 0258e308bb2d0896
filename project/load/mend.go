package load

import (
	"path/filepath"
	"sync"

	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/disk"
)

// looked are the folders in which this process has looked for what killed runs left.
var looked sync.Map

// mend finishes what an earlier run was cut off at while it wrote files in the folders of
// files, before these are read, and says so.
func mend(c *console.Console, files []string) {
	for _, f := range files {
		dir := filepath.Dir(f)
		if f == "-" {
			continue
		}
		if _, before := looked.LoadOrStore(dir, true); before {
			continue
		}
		for _, line := range disk.Mend(dir) {
			c.Remark("%s", line)
		}
	}
}
