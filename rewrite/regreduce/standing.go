package regreduce

import (
	"errors"
	"runtime"
	"sync"

	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// standing is the kernel as it stands on the architectures of the GPUs, compiled side by side in their order, as many
// at a time as there are processors. Most are needed in any case: no GPU may be the worse for what the target gains.
type standing struct {
	c     *climber
	archs []string // each once
	made  map[string]*Begun
	errs  map[string]error
}

func (c *climber) standing() *standing {
	s := &standing{c: c, made: map[string]*Begun{}, errs: map[string]error{}}
	seen := map[string]bool{"": true}
	for _, g := range c.opt.GPUs {
		if arch := c.compiler.Arch(g); !seen[arch] {
			seen[arch] = true
			s.archs = append(s.archs, arch)
		}
	}
	return s
}

// figures returns what ptxas reports for an architecture.
func (s *standing) figures(arch string) (Figures, error) {
	for s.made[arch] == nil && s.errs[arch] == nil {
		if err := s.next(); err != nil {
			return Figures{}, err
		}
	}
	if err := s.errs[arch]; err != nil {
		return Figures{}, err
	}
	return s.made[arch].Figures, nil
}

// next compiles for the next architectures.
func (s *standing) next() error {
	c := s.c
	batch := s.archs[:min(len(s.archs), runtime.NumCPU())]
	s.archs = s.archs[len(batch):]
	made, errs := make([]*Begun, len(batch)), make([]error, len(batch))
	var saying sync.Mutex
	err := parallel.Each(c.ctx, len(batch), len(batch), func(i int) error {
		saying.Lock()
		c.say("", variant.Recipe{}, batch[i])
		saying.Unlock()
		made[i], errs[i] = c.compiler.Begin(c.ctx, c.subject, variant.Recipe{}, batch[i])
		return nil
	})
	for i, arch := range batch {
		if errs[i] != nil {
			s.errs[arch], c.unbuilt[arch] = errs[i], true
		} else if made[i] != nil {
			made[i].Arch = arch
			s.made[arch], c.originals[arch] = made[i], made[i].Figures
		}
	}
	return errors.Join(err, c.ctx.Err())
}

// all are the figures for an architecture with those of the machine code, of the target alone
// where nobody reads the others.
func (s *standing) all(target string) (Figures, error) {
	for arch, b := range s.made {
		if arch != target && !s.c.opt.Listed {
			continue
		}
		f, err := b.All(s.c.ctx)
		switch err = errors.Join(err, s.c.ctx.Err()); {
		case err == nil:
			s.c.originals[arch] = f
		case arch == target:
			return f, err
		}
	}
	return s.c.originals[target], nil
}

// end lets go of what was compiled.
func (s *standing) end() {
	for _, b := range s.made {
		b.Close()
	}
}
