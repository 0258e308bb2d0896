package regreduce

import "github.com/smux-cuda/smux/analysis"

// SubjectOf is a kernel in the launch with the largest thread blocks of those whose
// block shape is known. Threads is 0 where none is.
func SubjectOf(k *analysis.Kernel) Subject {
	s := Subject{Kernel: k, Instance: k.Instances[0], Bounded: true}
	for _, in := range k.Instances {
		d, ok := in.BlockShape()
		if !ok {
			s.Bounded = false
			continue
		}
		if n := d[0] * d[1] * d[2]; n > s.Threads {
			s.Threads, s.Instance, s.Dynamic = n, in, in.DynamicBytes
		}
	}
	return s
}
