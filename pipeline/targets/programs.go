package targets

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/project/load"
)

// Program is a program and the GPUs that it is looked at for.
type Program struct {
	load.Program
	GPUs    []*gpu.GPU
	Settled bool // GPUs are those that are meant, else they are looked for where they are needed
}

// Unsettled are programs whose GPUs are looked for where they are needed.
func Unsettled(programs []load.Program) []Program {
	out := make([]Program, len(programs))
	for i, p := range programs {
		out[i].Program = p
	}
	return out
}

// Programs settles the GPUs of each program of a tree. Programs whose settings name
// wrong ones are left out, with a message; the error is for what concerns all of them.
func (f Finder) Programs(programs []load.Program, request Request) ([]Program, error) {
	requests, keys, share := make([]Request, len(programs)), make([]string, len(programs)), map[string]int{}
	for i, p := range programs {
		r := request.With(p.Settings).BuiltFor(p.Architectures())
		requests[i], keys[i] = r, fmt.Sprintf("%q", append(slices.Concat(r.Names, r.built.archs), r.File))
		share[keys[i]]++
	}
	type outcome struct {
		gpus []*gpu.GPU
		err  error
	}
	known, told := map[string]*outcome{}, map[string]bool{} // a message is printed once
	var out []Program
	for i, p := range programs {
		r, key := requests[i], keys[i]
		if known[key] == nil {
			r.built.told = told
			if len(share) > 1 {
				r.built.of = otherPrograms(p.Files[0], share[key])
			}
			gpus, err := f.GPUs(r)
			known[key] = &outcome{gpus, err}
		}
		switch o := known[key]; {
		case o.err == nil:
			out = append(out, Program{p, o.gpus, true})
		case p.ConcernsAll(o.err):
			return nil, o.err
		}
	}
	return out, nil
}
