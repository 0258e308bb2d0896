package load

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project/config"
)

// SettingsSource describes which settings count, and finds them. A nil one finds none. It
// is not for concurrent use; each file is read once.
type SettingsSource struct {
	File string // the file that counts wherever the sources are, "" for the nearest .smux.yaml
	None bool   // none counts
	// Changed reports whether a person gave a flag, by its name; nil where there are none.
	Changed func(flag string) bool

	finder *config.Finder
	named  *config.Settings // of File, once it is read
	told   map[string]bool  // files that are wrong, by path
}

// Check refuses what contradicts itself.
func (s *SettingsSource) Check() error {
	given := s != nil && s.Changed != nil && s.Changed("config")
	switch {
	case given && s.None:
		return diag.Usagef("give one of them", "--config and --no-config contradict each other")
	case given && s.File == "":
		return diag.Usagef("--no-config goes without", "--config names no file")
	}
	return nil
}

// For finds the settings that count for a program: those nearest to the folder that all of its files are in, nil for
// none. Those of standard input are the working directory's. What is wrong with a file is reported once; the error is
// then diag.ErrReported each time.
func (s *SettingsSource) For(c *console.Console, files []string) (*config.Settings, error) {
	if err := s.Check(); err != nil || s == nil || s.None {
		return nil, err
	}
	if s.File != "" {
		return s.fromNamed(c)
	}
	path, err := s.nearest(files)
	if err != nil || path == "" {
		return nil, err
	}
	set, err := s.finder.Read(path)
	if err == nil {
		return set, nil
	}
	if !s.told[path] {
		if s.told == nil {
			s.told = map[string]bool{}
		}
		s.told[path] = true
		reportSettings(c, err)
	}
	return nil, diag.ErrReported
}

// fromNamed reads File.
func (s *SettingsSource) fromNamed(c *console.Console) (*config.Settings, error) {
	if s.named != nil {
		return s.named, nil
	}
	src, err := ReadSource(s.File)
	if err == nil {
		s.named, err = config.Read(s.File, src, ReadBeside)
	}
	if err != nil {
		reportSettings(c, err)
		return nil, diag.ErrReported
	}
	return s.named, nil
}

// Path returns the name of the file that counts for sources, whatever is in it, as seen
// from the working directory; "" where none does.
func (s *SettingsSource) Path(files []string) (string, error) {
	switch err := s.Check(); {
	case err != nil || s == nil || s.None:
		return "", err
	case s.File != "":
		return s.File, nil
	}
	path, err := s.nearest(files)
	if err != nil || path == "" {
		return "", err
	}
	return config.Shown(s.finder.From(), path), nil
}

// nearest returns the absolute path of the .smux.yaml nearest to files, "" for none.
func (s *SettingsSource) nearest(files []string) (string, error) {
	finder, err := s.find()
	if err != nil || len(files) == 0 {
		return "", err
	}
	var dirs []string
	for _, name := range files {
		dir, err := folderOf(name)
		if err != nil {
			return "", err
		}
		dirs = append(dirs, dir)
	}
	return finder.Find(config.Common(dirs)), nil
}

// find returns what finds settings, with names as they are seen from the working directory.
func (s *SettingsSource) find() (*config.Finder, error) {
	if s.finder == nil {
		here, err := os.Getwd()
		if err != nil {
			return nil, diag.Failed("looking for "+config.Name, err)
		}
		s.finder = config.NewFinder(here, ReadBeside)
	}
	return s.finder, nil
}

// folderOf returns the absolute path of the folder that a file is in, the working directory for standard input.
func folderOf(name string) (string, error) {
	if name == "-" {
		name = "standard-input"
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", diag.Failed("looking for "+config.Name, err)
	}
	return filepath.Dir(abs), nil
}

// ReadBeside reads a file that settings name. Unlike those of ReadSource, errors about
// what a person got wrong name the file in their text.
func ReadBeside(name string) ([]byte, error) {
	src, err := ReadSource(name)
	if input := (*parser.InputError)(nil); errors.As(err, &input) {
		return nil, errors.New(name + ": " + input.Text)
	}
	return src, err
}

// reportSettings prints what is wrong with a file of settings, and notes the exit code.
// Files that it counts for are not looked at, so a document says it, too.
func reportSettings(c *console.Console, err error) {
	var wrong *config.Error
	var input *parser.InputError
	var system *fs.PathError
	switch {
	case errors.As(err, &wrong):
		for _, m := range wrong.Messages {
			reportMessage(c, m)
		}
	case errors.As(err, &input):
		m := input.Message()
		if m.Code == CodeDirectory {
			m.Help = "name the file in it, such as " + filepath.Join(input.Name, config.Name)
		}
		reportMessage(c, m)
	case errors.As(err, &system):
		name := system.Path
		if wd, err := os.Getwd(); err == nil {
			name = config.Shown(wd, name)
		}
		ReportUnread(c, name, diag.Failed("reading "+name, diag.PlainCause(err)))
	default:
		c.Fail(err)
	}
}

// ReportSetting prints what is wrong with a setting that only its use shows.
func ReportSetting(c *console.Console, pos diag.Position, text, help string) {
	reportMessage(c, diag.Message{Pos: pos, Code: config.CodeValue, Text: text, Help: help})
}
