package tune

import (
	"path/filepath"

	"github.com/smux-cuda/smux/tune/record"
)

// subject returns what is tuned of a group.
func (s *Session) subject(g *group, on record.Machine) record.Subject {
	out := record.Subject{
		Source:  record.HashProgram(s.job.Program),
		Kernel:  g.name(),
		Bench:   s.how,
		Args:    s.Arguments,
		Flags:   record.CompilerFlags(s.job.Parse),
		Machine: on,
		How:     record.Protocol{WarmUp: s.WarmUp, FlushL2: s.FlushL2},
	}
	out.Machine.GPU = s.gpu.String()
	for _, f := range s.job.Program.Files {
		out.Files = append(out.Files, filepath.ToSlash(f.Name))
	}
	if s.how != "" {
		out.How.Inner = s.Repeats
	}
	if s.Command.Run != "" {
		out.Command = []string{s.Command.Build, s.Command.Run, s.Command.Metric}
	}
	return out
}

// storePath returns the file that was named, or one in the user's cache folder for this
// program.
func (s *Session) storePath() (string, error) {
	if s.Store != "" {
		return s.Store, nil
	}
	return record.DefaultStore(s.job.Program.Files[0].Name, record.HashProgram(s.job.Program))
}
