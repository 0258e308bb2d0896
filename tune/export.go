package tune

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/tune/bundle"
	"github.com/smux-cuda/smux/tune/foreign"
)

// Export writes the program, this smux and a script that calls it into a folder. settings is the file of settings, "" for none.
func (s *Session) Export(dir, settings string, words []string) error {
	if s.Command.Run != "" || s.On != OnGPU {
		return diag.Usagef("omit --run and --on", "--export is for a GPU elsewhere")
	}
	if err := s.loadFiles(); err != nil {
		return err
	}
	in := bundle.Input{Words: words, Named: map[string]string{}, Dir: s.Dir, Args: s.Arguments, Includes: s.job.Parse.IncludeDirs}
	for _, f := range s.job.Program.Files {
		in.Files = append(in.Files, f.Name)
	}
	in.Files = append(in.Files, s.further...)
	for _, d := range s.job.Parse.Defines {
		in.Words = append(in.Words, "--define="+d)
	}
	for _, flag := range s.job.Parse.Flags {
		in.Words = append(in.Words, "--nvcc-flag="+flag)
	}
	if settings != "" {
		in.Named["config"] = settings
	} else {
		in.Words = append(in.Words, "--no-config")
	}
	if s.asked.File != "" {
		in.Named["gpu-file"] = s.asked.File
	}
	left, err := bundle.Export(dir, in)
	var refused *diag.Failure
	if err != nil && !errors.As(err, &refused) {
		err = diag.Failed("exporting", err)
	}
	for _, what := range left {
		s.tell("%s: not brought along: %s", dir, what)
	}
	if err == nil {
		s.tell("%s is to be measured on a machine with nvcc and a GPU: run \"sh run.sh\" there, then smux tune --import %[1]s", dir)
	}
	return err
}

// WriteT4 writes results in the T4 format into a file, or one for each kernel and GPU with their names before the ending.
func (s *Session) WriteT4(name string, of Outcome) error {
	for _, v := range of.Verdicts {
		for _, d := range foreign.ExportT4(Of(of.Lines, v.Subject)) {
			text, err := d.Encode()
			if err != nil {
				return diag.Failed("writing "+name, err)
			}
			file := name
			if len(of.Verdicts) > 1 {
				plain := strings.Map(func(r rune) rune {
					if r == '/' || r == os.PathSeparator || !unicode.IsPrint(r) {
						return '_'
					}
					return r
				}, v.Subject.Kernel+"-"+v.Subject.Machine.GPU)
				file = strings.TrimSuffix(name, filepath.Ext(name)) + "-" + plain + filepath.Ext(name)
			}
			if err := s.WriteOutput(file, text); err != nil {
				return err
			}
		}
	}
	return nil
}
