package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/stress"
)

// checkRecord refuses a file that measurements can't be added to, before any are
// made.
func checkRecord(file string) error {
	if file == "" {
		return nil
	}
	there, err := os.Stat(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(file)); err != nil {
			return diag.Usagef("check the path", "--record %s: %w", file, diag.PlainCause(err))
		}
		return nil
	case err != nil:
		return diag.Usagef("check the path", "--record %s: %w", file, diag.PlainCause(err))
	case !there.Mode().IsRegular():
		return diag.Usagef("name another file", "--record %s is no regular file", file)
	case there.Size() == 0:
		return nil
	}
	if _, err := stress.Read(file); err != nil {
		return diag.Usagef("name another file", "--record would add to a file that is no record: %w", err)
	}
	return nil
}

func addToRecord(file string, rows []stress.Row) error {
	text, err := stress.Encode(rows)
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

// replayStress judges a record.
func (s *session) replayStress(files []string, in inputFlags, opt rewrite.Options, gpus gpuFlags, own occupancyFlags) error {
	file := own.stress.replay
	all, err := stress.Read(file)
	var format *stress.FormatError
	switch {
	case errors.As(err, &format):
		return diag.Usagef("--record writes such files", "--replay: %w", err)
	case err != nil:
		return diag.Usagef("check the path", "--replay %s: %w", file, diag.PlainCause(err))
	}
	var on []*gpu.GPU
	if len(gpus.names) > 0 {
		if on, err = gpus.gpus(s); err != nil {
			return err
		}
	}
	kept := slices.DeleteFunc(slices.Clone(all), func(r stress.Series) bool {
		return !rewrite.Matches(opt.Kernels, r.Kernel) || len(on) > 0 && !slices.ContainsFunc(on, func(g *gpu.GPU) bool { return g.String() == r.GPU })
	})
	if len(kept) == 0 {
		return diag.Usagef("leave out --kernel or --gpu", "--replay %s holds no such measurement", file)
	}
	if len(files) > 0 {
		if err := s.compareSource(files, in, kept); err != nil {
			return err
		}
	}
	return s.writeStress(kept, own)
}

// compareSource remarks on measurements of another text than the files hold.
func (s *session) compareSource(files []string, in inputFlags, measured []stress.Series) error {
	files = slices.DeleteFunc(slices.Clone(files), func(name string) bool { return !parser.IsCUDA(name) })
	parsed, _, err := s.load(files, in)
	if err != nil {
		return err
	}
	texts := map[string][]byte{}
	for _, f := range parsed.Files {
		texts[f.Name] = f.Src
	}
	hash := stress.HashSource(texts)
	if slices.ContainsFunc(measured, func(r stress.Series) bool { return r.Source != hash }) {
		s.Remark("the files are not what was measured: their text is another")
	}
	return nil
}
