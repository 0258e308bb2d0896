package demotion

import "github.com/smux-cuda/smux/analysis"

func (c *Candidates) findPins(k *analysis.Kernel) {}
