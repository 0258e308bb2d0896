package tune

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/bundle"
	"github.com/smux-cuda/smux/tune/fidelity"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

// Replay decides by a record. Named files are compared with what was measured; asked says that a result of them is wanted.
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

// compareFiles reads the files that the result is wanted of, which have to be those that were measured.
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

// Import takes the record of a folder of Export, into another one where one is named, and decides. Files and asked as of Replay.
func (s *Session) Import(dir string, asked bool) (Outcome, error) {
	var out Outcome
	_, script := os.Stat(filepath.Join(dir, bundle.ScriptName))
	manifest := "manifest.json"
	if script != nil {
		manifest = "*/manifest.json" // one of each kernel
	}
	if older, _ := filepath.Glob(filepath.Join(dir, manifest)); older != nil {
		return out, diag.Usagef("export again, and measure there", "%s: an older smux wrote this folder", dir)
	}
	if script != nil {
		return out, diag.Usagef("name a folder of --export", "%s: this is not a folder that --export has written", dir)
	}
	from := filepath.Join(dir, bundle.ResultsName)
	if _, err := os.Stat(from); err != nil {
		return out, diag.Usagef("", "%s: nothing has been measured in this folder: call run.sh in it, where there is a GPU", dir)
	}
	lines, err := record.ReadNamed(s.Console, from)
	if err != nil {
		return out, err
	}
	out.Lines = lines
	if s.Store != "" {
		st, err := record.Open(s.Store)
		if err != nil {
			return out, err
		}
		defer st.Close()
		said := map[string]bool{}
		for _, l := range st.Lines() {
			said[statement(l)] = true
		}
		var fresh []record.Line // that say what no known one says, whenever it was measured
		for _, l := range lines {
			if text := statement(l); !said[text] {
				said[text] = true
				fresh = append(fresh, l)
			}
		}
		if err := st.Append(fresh...); err != nil {
			return out, err
		}
		s.tell("%s: %s taken into %s", dir, prose.Count(len(fresh), "line"), s.Store)
		out.Lines = st.Lines()
	}
	for _, v := range judge.Of(lines, s.Rules) {
		out.Verdicts = append(out.Verdicts, judge.Of(Of(out.Lines, v.Subject), s.Rules)...)
	}
	return out, s.compareFiles(out.Verdicts, asked)
}

// statement returns what a line is about; of a pair its place, not its times.
func statement(l record.Line) string {
	switch {
	case l.Pair != nil:
		return fmt.Sprintf("%s %s %q %d", l.Key, l.Pair.Phase, l.Pair.Against, l.Pair.Turn)
	case l.Failure != nil:
		return fmt.Sprintf("%s %s %q", l.Key, l.Failure.Kind, l.Failure.Text)
	}
	return l.Key
}
