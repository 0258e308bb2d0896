package cmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project/config"
)

// configFlags say which settings count, and find them.
type configFlags struct {
	file string
	none bool
	set  *pflag.FlagSet

	finder *config.Finder
	named  *config.Settings // of --config, once it is read
	told   map[string]bool  // files that are wrong, by path
}

func (c *configFlags) register(f *pflag.FlagSet) {
	c.set, c.told = f, map[string]bool{}
	f.StringVar(&c.file, "config", "", "take settings from this `FILE`, not from the "+config.Name+" above the files")
	f.BoolVar(&c.none, "no-config", false, "take settings from no file")
}

// check refuses what contradicts itself.
func (c *configFlags) check() error {
	given := c != nil && c.set.Changed("config")
	switch {
	case given && c.none:
		return diag.Usagef("give one of them", "--config and --no-config contradict each other")
	case given && c.file == "":
		return diag.Usagef("--no-config goes without", "--config names no file")
	}
	return nil
}

// of finds the settings that count for a program: those nearest to the folder that
// all of its files are in, nil for none. Those of standard input are the working
// directory's. What is wrong with a file is told once; the error is then
// errReported each time.
func (c *configFlags) of(s *session, files []string) (*config.Settings, error) {
	if err := c.check(); err != nil || c == nil || c.none {
		return nil, err
	}
	if c.file != "" {
		return c.fromNamed(s)
	}
	path, err := c.path(files)
	if err != nil || path == "" {
		return nil, err
	}
	set, err := c.finder.Read(path)
	if err == nil {
		return set, nil
	}
	if !c.told[path] {
		c.told[path] = true
		s.reportSettings(err)
	}
	return nil, diag.ErrReported
}

// fromNamed reads what --config names.
func (c *configFlags) fromNamed(s *session) (*config.Settings, error) {
	if c.named != nil {
		return c.named, nil
	}
	src, err := readSource(c.file)
	if err == nil {
		c.named, err = config.Read(c.file, src, readBeside)
	}
	if err != nil {
		s.reportSettings(err)
		return nil, diag.ErrReported
	}
	return c.named, nil
}

// path is that of the file that counts for files, "" where there is none.
func (c *configFlags) path(files []string) (string, error) {
	if err := c.prepare(); err != nil {
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
	if len(dirs) == 0 {
		return "", nil
	}
	return c.finder.Find(config.Common(dirs)), nil
}

// prepare makes the finder.
func (c *configFlags) prepare() error {
	if c.finder != nil {
		return nil
	}
	here, err := os.Getwd()
	if err != nil {
		return diag.Failed("looking for "+config.Name, err)
	}
	c.finder = config.NewFinder(here, readBeside)
	return nil
}

// folderOf is the absolute path of the folder that a file is in, the working
// directory for standard input.
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

// readBeside reads a file that settings name.
func readBeside(name string) ([]byte, error) {
	src, err := readSource(name)
	if input := (*parser.InputError)(nil); errors.As(err, &input) {
		return nil, errors.New(name + ": " + input.Text)
	}
	return src, err
}

// reportSettings says what is wrong with a file of settings, and notes the exit code.
// Files that it counts for are not looked at, so a document says it, too.
func (s *session) reportSettings(err error) {
	var wrong *config.Error
	var input *parser.InputError
	var system *fs.PathError
	var told []diag.Message
	switch {
	case errors.As(err, &wrong):
		told = wrong.Messages
	case errors.As(err, &input):
		m := input.Message()
		if m.Code == CodeDirectory {
			m.Help = "name the file in it, such as " + filepath.Join(input.Name, config.Name)
		}
		told = []diag.Message{m}
	case errors.As(err, &system):
		name := system.Path
		if wd, err := os.Getwd(); err == nil {
			name = config.Shown(wd, name)
		}
		unread := diag.Failed("reading "+name, diag.PlainCause(err))
		s.Fail(unread)
		s.Unread = append(s.Unread, diag.Message{Pos: diag.Position{File: name}, Code: CodeUnreadable, Text: unread.Error()})
	default:
		s.Fail(err)
	}
	for _, m := range told {
		s.Note(diag.ExitUsage)
		s.Message(m)
	}
	s.Unread = append(s.Unread, told...)
}
