package cmd

import (
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/spf13/pflag"
)

// registerGPUs adds the flags that say for which GPUs a model is asked.
func registerGPUs(f *pflag.FlagSet, r *targets.Request) {
	r.Changed = f.Changed
	f.StringArrayVar(&r.Names, "gpu", nil, "for these GPUs, `NAME[,NAME...]`: a100, sm_86, gtx480@16 (kB of shared memory) or native; can be repeated. The default is what compile_commands.json (-p) is compiled for, else native where there is a GPU, else a few common ones")
	f.StringVar(&r.File, "gpu-file", "", "read more GPUs from this TOML `FILE`")
}

// targets finds GPUs for this session.
func (s *session) targets() targets.Finder {
	return targets.Finder{Console: s.Console, NVIDIASMI: s.nvidiaSMI}
}
