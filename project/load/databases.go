package load

import (
	"path/filepath"
	"sync"

	"github.com/smux-cuda/smux/project"
)

// databases are the compilation databases that lie about: compile_commands.json in the folder of a
// file or in its folder build, or in those above in the same repository. Outside of a repository
// the folder of the file alone is looked at. One that can't be read says nothing. Safe for concurrent use.
type databases struct {
	mu   sync.Mutex
	dirs map[string]project.Database // by the folder of a file
	read map[string]project.Database // by the name of the database
}

func newDatabases() *databases {
	return &databases{dirs: map[string]project.Database{}, read: map[string]project.Database{}}
}

// of returns the database that says something of a file, nil for none.
func (d *databases) of(file string) project.Database {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	dir := filepath.Dir(project.Resolved(file))
	if db, ok := d.dirs[dir]; ok {
		return db
	}
	top := project.Repository(dir)
	if top == "" {
		top = dir
	}
	name := project.FindDatabase(dir, top)
	if _, ok := d.read[name]; !ok && name != "" {
		d.read[name], _ = project.ReadDatabase(name)
	}
	d.dirs[dir] = d.read[name]
	return d.dirs[dir]
}
