package command

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// state says what a copy of the project is to be: what is in it, and where the text
// of each file is kept.
type state struct {
	all  listing
	text map[string]string
}

// keptIn returns the state of a project as it is kept in a folder.
func keptIn(all listing, dir string) state {
	s := state{all, map[string]string{}}
	for name, e := range all {
		if e.mode.IsRegular() {
			s.text[name] = filepath.Join(dir, filepath.FromSlash(name))
		}
	}
	return s
}

// workCopy is a copy of the project in which commands run.
type workCopy struct {
	dir string
	is  state // as it was when it was put back last
}

// restore puts the copy back to a state. Only what isn't as it should be is
// written: a file is taken to be as it was left if its size and the time of its
// last change are.
func (c *workCopy) restore(want state) error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	now, err := list(c.dir)
	if err != nil {
		return err
	}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(now))) { // what is in a folder first
		w, wanted := want.all[name]
		if wanted && w.mode.Type() == now[name].mode.Type() {
			continue
		}
		if err := os.RemoveAll(c.path(name)); err != nil {
			return err
		}
		delete(now, name)
	}
	for _, name := range slices.Sorted(maps.Keys(want.all)) { // a folder before what is in it
		w := want.all[name]
		if is, there := now[name]; there && is.is(w) && c.is.text[name] == want.text[name] {
			continue
		}
		if err := w.write(c.path(name), want.text[name]); err != nil {
			return err
		}
	}
	c.is = state{maps.Clone(want.all), maps.Clone(want.text)}
	return nil
}

// keep copies what a build has changed into a folder, and returns the state that
// the copy is in.
func (c *workCopy) keep(dir string) (state, error) {
	now, err := list(c.dir)
	if err != nil {
		return state{}, err
	}
	s := state{now, map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		e := now[name]
		if !e.mode.IsRegular() {
			continue
		}
		if was, there := c.is.all[name]; there && e.is(was) {
			s.text[name] = c.is.text[name]
			continue
		}
		kept := filepath.Join(dir, filepath.FromSlash(name))
		if err := e.write(kept, c.path(name)); err != nil {
			return state{}, err
		}
		s.text[name] = kept
	}
	c.is = s
	return s, nil
}

// replace gives a file another text. The time of its change is now, so that make
// builds anew what is made of it.
func (c *workCopy) replace(name string, text []byte) error {
	delete(c.is.all, name)
	path := c.path(name)
	mode := os.FileMode(0o600)
	if e, err := look(path); err == nil && e.mode.IsRegular() {
		mode = e.mode.Perm()
	}
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

func (c *workCopy) path(name string) string { return filepath.Join(c.dir, filepath.FromSlash(name)) }
