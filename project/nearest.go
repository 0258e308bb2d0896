package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Nearest finds the command of a file or, where the database has none, that of the file that lies
// nearest to it: with most folders in common, then with the same ending, then with the longest common
// beginning of the name. It returns the absolute path of the file whose command that is.
func (db Database) Nearest(name string) (c CompileCommand, of string, ok bool) {
	abs, err := filepath.Abs(name)
	if err != nil || len(db) == 0 {
		return CompileCommand{}, "", false
	}
	if c, ok := db[abs]; ok {
		return c, abs, true
	}
	files := make([]string, 0, len(db))
	for file := range db {
		files = append(files, file)
	}
	slices.Sort(files)
	best := [3]int{-1}
	for _, file := range files {
		common := 0
		for common < min(len(file), len(abs)) && file[common] == abs[common] {
			common++
		}
		near := [3]int{strings.Count(abs[:common], string(filepath.Separator)), 0, common}
		if filepath.Ext(file) == filepath.Ext(abs) {
			near[1] = 1
		}
		if slices.Compare(near[:], best[:]) > 0 {
			best, of = near, file
		}
	}
	return db[of], of, true
}

// DatabaseName is how a compilation database is called.
const DatabaseName = "compile_commands.json"

// FindDatabase returns the database that belongs to the files of a folder: the one in it or in the folder
// "build" of it, or else in the folders above, up to top; "" for none. Top is a folder at or above dir.
func FindDatabase(dir, top string) string {
	for {
		for _, name := range []string{filepath.Join(dir, DatabaseName), filepath.Join(dir, "build", DatabaseName)} {
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				return name
			}
		}
		if dir == top || dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}
