package tune

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/tune/bundle"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

// Import takes the results of a folder that Export has written into the record, and
// decides. Where files are named, they are read to be compared with what was measured;
// asked says that a result of them is wanted.
func (s *Session) Import(dir string, asked bool) (Outcome, error) {
	var out Outcome
	if _, err := os.Stat(filepath.Join(dir, bundle.ScriptName)); err == nil && !exportedBefore(dir) {
		return s.importRecord(dir, asked)
	}
	dirs, err := exported(dir)
	if err != nil {
		return out, err
	}
	path := s.Store
	if path == "" {
		path = filepath.Join(dir, "results.jsonl")
	}
	st, err := record.Open(path)
	if err != nil {
		return out, record.Explain(err)
	}
	defer st.Close()
	for _, from := range dirs {
		if err := s.importAll(from, st, path, &out); err != nil {
			return out, err
		}
	}
	if len(out.Verdicts) == 0 {
		return out, diag.Usagef(`run "make && sh run.sh" there; it says what is wrong with a program that can't be measured`, "%s: nothing has been measured in it", dir)
	}
	out.Lines = st.Lines()
	return out, s.compareFiles(out.Verdicts, asked)
}

// importRecord takes the record of a folder.
func (s *Session) importRecord(dir string, asked bool) (Outcome, error) {
	var out Outcome
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
			return out, record.Explain(err)
		}
		defer st.Close()
		fresh := bundle.Unknown(lines, st.Lines())
		if err := st.Append(fresh...); err != nil {
			return out, record.Explain(err)
		}
		if !s.Quiet {
			s.Remark("%s: %s taken into %s", dir, prose.Count(len(fresh), "line"), s.Store)
		}
		out.Lines = st.Lines()
	}
	for _, v := range judge.Of(lines, s.Rules) {
		out.Verdicts = append(out.Verdicts, judge.Of(Of(out.Lines, v.Subject), s.Rules)...)
	}
	return out, s.compareFiles(out.Verdicts, asked)
}

// importAll takes what was measured in a folder, of each product of GPU by itself.
func (s *Session) importAll(from string, st *record.Store, path string, out *Outcome) error {
	products, err := bundle.Products(from)
	if err != nil {
		return s.bundleError(err)
	}
	if len(products) == 0 {
		products = []string{""} // for which there is an error
	}
	for _, product := range products {
		found, err := bundle.Import(from, bundle.Options{Known: st.Lines(), Tolerance: s.Tolerance, Product: product})
		if err != nil {
			return s.bundleError(err)
		}
		if len(found.Lines) > 0 {
			if err := st.Append(found.Lines...); err != nil {
				return record.Explain(err)
			}
		}
		where := from
		if len(products) > 1 {
			where += ", " + product
		}
		if !s.Quiet {
			s.Remark("%s: %s of kernel %q taken into %s", where, prose.Count(len(found.Lines), "line"), found.Subject.Kernel, path)
			if len(found.Unbuilt) > 0 {
				s.Remark("%s: not measured yet: %s", where, strings.Join(found.Unbuilt, ", "))
			}
		}
		of := judge.Of(Of(st.Lines(), found.Subject), s.Rules)
		s.remarkOnWaiting(where, of)
		out.Verdicts = append(out.Verdicts, of...)
	}
	return nil
}

// remarkOnWaiting prints what to run for what is missing before there is a decision.
func (s *Session) remarkOnWaiting(dir string, verdicts []judge.Verdict) {
	for _, v := range verdicts {
		if v.Waits == nil || v.Waits.Against != "" || s.Quiet {
			continue
		}
		for _, row := range v.Rows {
			if row.Key == v.Waits.Key {
				s.Remark(`%s: for a decision run "sh run.sh --confirm-turns %d" there, and import it again`, dir, row.Confirm.Pairs+v.Waits.Pairs)
			}
		}
	}
}

// exportedBefore reports whether a folder is as --export wrote them before.
func exportedBefore(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "manifest.json"))
	return err == nil
}

// exported returns the folders of one export: itself, or one for each kernel.
func exported(dir string) ([]string, error) {
	if exportedBefore(dir) {
		return []string{dir}, nil
	}
	found, err := filepath.Glob(filepath.Join(dir, "*", "manifest.json"))
	if err != nil || len(found) == 0 {
		return nil, diag.Usagef("name a folder of --export", "%s: this is not a folder that --export has written", dir)
	}
	for i := range found {
		found[i] = filepath.Dir(found[i])
	}
	return found, nil
}
