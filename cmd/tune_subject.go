package cmd

import (
	"os"
	"path/filepath"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/tune/record"
)

// subject is what is tuned of a group.
func (t *tuning) subject(g *tuneGroup, on record.Machine) record.Subject {
	s := record.Subject{
		Source:  t.hash(),
		Kernel:  t.choice.Groups[g.index].Kernels[0].Name,
		Bench:   t.how,
		Args:    t.after,
		Flags:   t.compilerFlags(),
		Machine: on,
		How:     record.Protocol{WarmUp: t.flags.warmUp, FlushL2: t.flags.flush},
	}
	s.Machine.GPU = t.gpu.String()
	for _, f := range t.prog.Files {
		s.Files = append(s.Files, filepath.ToSlash(f.Name))
	}
	if t.how != "" {
		s.How.Inner = t.flags.inner
	}
	if t.flags.run != "" {
		s.Command = []string{t.flags.build, t.flags.run, t.flags.metric}
	}
	return s
}

// compilerFlags are those that change what is compiled.
func (t *tuning) compilerFlags() []string { return definesOf(t.parse) }

// definesOf are the macros that a program is compiled with, as flags.
func definesOf(parse parser.Options) []string {
	var out []string
	for _, d := range parse.Defines {
		out = append(out, "-D"+d)
	}
	return out
}

// hash is that of the program as it is written.
func (t *tuning) hash() string { return hashProgram(t.prog) }

// hashProgram is the hash of a program's texts, with the headers that were found.
func hashProgram(prog *parser.Program) string {
	texts := prog.Texts()
	for name, f := range prog.Headers {
		texts[name] = f.Src
	}
	return record.HashTexts(texts, nil)
}

// storePath is the file of --store, or one in the user's cache folder for this
// program.
func (t *tuning) storePath() (string, error) {
	if t.flags.store != "" {
		return t.flags.store, nil
	}
	dir, err := tuneFolder()
	if err != nil {
		return "", diag.Usagef("name a file with --store", "there is no cache folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", diag.Usagef("name a file with --store", "making the cache folder: %w", diag.PlainCause(err))
	}
	first := filepath.Base(t.prog.Files[0].Name)
	name := first[:len(first)-len(filepath.Ext(first))]
	return filepath.Join(dir, name+"-"+t.hash()[:hashInName]+".jsonl"), nil
}

// hashInName is how much of a program's hash is in the name of its default record.
const hashInName = 8

// tuneFolder is where records are kept that nobody named.
func tuneFolder() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "smux", "tune"), err
}
