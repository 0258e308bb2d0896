package translate

import (
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// overloads remarks on functions that exist once for the host and once for the
// device: to a C++ compiler, they are two definitions of one function.
func (t *text) overloads() {
	type key struct{ name, class, params string }
	host := map[key]bool{}
	var device []*parser.Function
	keyOf := func(f *parser.Function) key {
		return key{f.Name, f.Class, strings.Join(strings.Fields(t.file.Text(f.ParamList)), " ")}
	}
	for _, f := range t.file.Functions {
		if f.Body == nil || f.Quals&parser.QualGlobal != 0 || f.Specialization {
			continue
		}
		switch f.Quals & (parser.QualHost | parser.QualDevice) {
		case parser.QualHost:
			host[keyOf(f)] = true
		case parser.QualDevice:
			device = append(device, f)
		}
	}
	for _, f := range device {
		if host[keyOf(f)] {
			t.remark(f.Start, CodeHostDeviceOverload, "%s has a __host__ and a __device__ version; on the CPU they are one function", f.Name)
		}
	}
}
