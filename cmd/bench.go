package cmd

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/verify/harness"
)

// registerBench adds the flags that give a kernel that has no program the host side it
// needs. Its name is that of --kernel, with template arguments.
func registerBench(f *pflag.FlagSet, b *harness.Request) {
	f.StringVar(&b.Launch, "launch", "", "run the kernel of --kernel alone, by this `LAUNCH`: grid=64,block=256")
	f.StringArrayVar(&b.Arguments, "arg", nil, "with --launch, give it this argument, `NAME=VALUE`; can be repeated")
	f.StringArrayVar(&b.Buffers, "buffer", nil, "with --launch, give it this `ARRAY`, NAME=TYPE[N]:FILL; can be repeated")
	f.BoolVar(&b.Comments, "bench", false, `run the kernels as "// smux:bench" comments say, even where there is a main`)
	usage.Under(f, usage.Run)
}

// benchError prints what is wrong with specifications.
func (s *session) benchError(err error) error {
	var wrong harness.Errors
	if !errors.As(err, &wrong) {
		return err
	}
	for _, m := range wrong {
		s.Message(m)
	}
	s.Note(diag.ExitUsage)
	return diag.ErrReported
}

// programOf returns the files of the program that a file belongs to: one that can't run by
// itself, and that no flag says how to run, is run by the file beside it that includes it.
func (s *session) programOf(file string, in load.Options, b harness.Request) []string {
	if b.Launch == "" && !b.Comments {
		if by := load.Runner(file, in); by != "" {
			s.Remark("%s is run by %s, which includes it", file, by)
			return []string{by, file}
		}
	}
	return []string{file}
}
