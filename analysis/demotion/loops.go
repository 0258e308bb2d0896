package demotion

import "github.com/smux-cuda/smux/analysis"

func (c *Candidates) findLoops(k *analysis.Kernel, in *analysis.Instance) {}
