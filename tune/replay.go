package tune

import (
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/fidelity"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

// Replay decides by a record, and measures nothing. Where files are named, they are
// read to be compared with what was measured; asked says that a result of them is
// wanted.
func (s *Session) Replay(file string, asked bool) (Outcome, error) {
	lines, err := record.ReadNamed(s.Console, file)
	if err != nil {
		return Outcome{}, err
	}
	kept := s.kept(judge.Of(lines, s.Rules))
	if len(kept) == 0 {
		return Outcome{}, diag.Usagef("leave out --kernel or --gpu", "--replay %s holds no such measurement", file)
	}
	return Outcome{kept, lines}, s.compareFiles(kept, asked)
}

// Fidelity returns how well the model predicted what records hold.
func (s *Session) Fidelity(files []string) (fidelity.Report, error) {
	var verdicts []judge.Verdict
	for _, name := range files {
		lines, err := record.ReadNamed(s.Console, name)
		if err != nil {
			return fidelity.Report{}, err
		}
		verdicts = append(verdicts, judge.Of(lines, s.Rules)...)
	}
	verdicts = s.kept(verdicts)
	if len(verdicts) == 0 {
		return fidelity.Report{}, diag.Usagef("leave out --kernel or --gpu", "--report: the records hold no such measurement")
	}
	return fidelity.Of(verdicts), nil
}

// kept returns the verdicts on kernels and GPUs that are asked for.
func (s *Session) kept(verdicts []judge.Verdict) []judge.Verdict {
	return slices.DeleteFunc(verdicts, func(v judge.Verdict) bool {
		return !rewrite.Matches(s.Kernels, v.Subject.Kernel) || len(s.GPUs) > 0 && !slices.Contains(s.GPUs, v.Subject.Machine.GPU)
	})
}

// compareFiles reads the files that the result is wanted of, which have to be
// those that were measured.
func (s *Session) compareFiles(verdicts []judge.Verdict, asked bool) error {
	if s.Load == nil {
		if asked {
			return diag.Usagef("name the files that were measured", "--replay has no files to change")
		}
		return nil
	}
	if err := s.loadFiles(); err != nil {
		return err
	}
	hash := record.HashProgram(s.job.Program)
	other := func(v judge.Verdict) bool { return v.Subject.Source != hash }
	switch {
	case !slices.ContainsFunc(verdicts, other):
	case asked:
		return diag.Usagef("measure again, or name the files as they were", "the files are not what was measured: their text is another")
	default:
		s.Remark("the files are not what was measured: their text is another")
	}
	return nil
}
