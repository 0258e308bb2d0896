package cmd

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/plural"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/store"
)

// replay decides by a record, and measures nothing.
func (t *tuning) replay() error {
	lines, err := t.session.readRecord(t.flags.replay)
	if err != nil {
		return err
	}
	verdicts := judge.Of(lines, t.flags.rules())
	kept := slices.DeleteFunc(verdicts, func(v judge.Verdict) bool {
		return !rewrite.Matches(t.opt.Kernels, v.Subject.Kernel) || !t.onGPU(v)
	})
	if len(kept) == 0 {
		return diag.Usagef("leave out --kernel or --gpu", "--replay %s holds no such measurement", t.flags.replay)
	}
	if err := t.compareFiles(kept); err != nil {
		return err
	}
	return t.deliver(kept, lines)
}

// readRecord reads the file of --replay or --report.
func (s *session) readRecord(file string) ([]record.Line, error) {
	lines, torn, err := store.ReadTorn(file)
	var path *fs.PathError
	if errors.As(err, &path) {
		return nil, diag.Usagef("smux tune --store writes such files", "%s: %w", file, path.Err)
	}
	if err != nil {
		return nil, storeError(err)
	}
	s.remarkOnTorn(file, torn)
	if len(lines) == 0 {
		return nil, diag.Usagef("smux tune --store writes such files", "%s holds no measurement", file)
	}
	return lines, nil
}

// onGPU says whether a verdict is on a GPU that --gpu names; without it all are.
func (t *tuning) onGPU(v judge.Verdict) bool {
	return len(t.flags.gpus.Names) == 0 || slices.Contains(t.flags.gpus.Names, v.Subject.Machine.GPU)
}

// compareFiles reads the files that the result is wanted of, which have to be
// those that were measured.
func (t *tuning) compareFiles(verdicts []judge.Verdict) error {
	asked := t.out.diff || t.out.list || t.out.write || t.out.file != ""
	if len(t.args) == 0 {
		if asked {
			return diag.Usagef("name the files that were measured", "--replay has no files to change")
		}
		return nil
	}
	if err := t.loadFiles(); err != nil {
		return err
	}
	hash := t.hash()
	other := func(v judge.Verdict) bool { return v.Subject.Source != hash }
	switch {
	case !slices.ContainsFunc(verdicts, other):
	case asked:
		return diag.Usagef("measure again, or name the files as they were", "the files are not what was measured: their text is another")
	default:
		t.session.Remark("the files are not what was measured: their text is another")
	}
	return nil
}

// remarkOnTorn says that the end of a record was left out.
func (s *session) remarkOnTorn(file string, torn int) {
	if torn > 0 {
		s.Remark("%s: the end is left out (%s): a run that was killed did not finish it, or one is writing it", file, plural.Count(torn, "byte"))
	}
}
