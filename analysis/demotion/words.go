package demotion

import "github.com/smux-cuda/smux/analysis"

func (c *Candidates) findWords(k *analysis.Kernel, in *analysis.Instance) {}
