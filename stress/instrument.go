package stress

import (
	_ "embed"
	"fmt"
	"strconv"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// prelude is what stands before the texts of a program that is measured. It needs
// C++11 and the CUDA runtime.
//
//go:embed runtime.cuh
var prelude string

// The environment that the runtime reads.
const (
	envOut      = "SMUX_STRESS_OUT"      // the file that gets a line for each launch
	envBytes    = "SMUX_STRESS_BYTES"    // Level.Bytes
	envCarveout = "SMUX_STRESS_CARVEOUT" // per cent
	envThreads  = "SMUX_STRESS_THREADS"  // of the blocks that are timed
)

// LaunchError says that a launch can't be timed.
type LaunchError struct {
	Pos diag.Position // of the launch or the kernel
	Why string
}

func (e *LaunchError) Error() string { return fmt.Sprintf("%s: %s", e.Pos, e.Why) }

// Instrument returns the texts, by file name, of the files with launches of a
// kernel, changed so that each launch is timed and can be given more shared
// memory; what the launch evaluates it still evaluates, once and in front of the
// launch. Lines keep their numbers. The kernel's text is left as it is. Without
// the environment of a run the program does what it did.
//
// The error is a *LaunchError: the kernel has no launch in view, or one of them
// can't be instrumented, so that what was measured would be a part.
func Instrument(k *analysis.Kernel) (map[string][]byte, error) {
	if len(k.Launches) == 0 {
		return nil, &LaunchError{k.Position(), fmt.Sprintf("no launch of %s is in view", k.Name)}
	}
	buffers := map[*parser.File]*rewrite.Buffer{}
	for _, l := range k.Launches {
		if why := untimeable(k, l.View); why != "" {
			return nil, &LaunchError{l.File.Position(l.View.Open), why}
		}
		b := buffers[l.File]
		if b == nil {
			b = &rewrite.Buffer{}
			buffers[l.File] = b
			b.Insert(afterMark(l.File.Src), prelude+"#line 1 "+strconv.Quote(l.File.Name)+"\n")
		}
		timeLaunch(b, l.File.Src, l.View)
	}
	texts := map[string][]byte{}
	for f, b := range buffers {
		text, err := b.Apply(f.Src)
		if err != nil { // a launch in the arguments of a launch
			return nil, &LaunchError{k.Position(), "its launches are nested: " + err.Error()}
		}
		texts[f.Name] = text
	}
	return texts, nil
}

// untimeable says why a launch can't be timed, "" if it can.
func untimeable(k *analysis.Kernel, l *parser.Launch) string {
	switch {
	case l.Error != nil || l.Callee == nil:
		return "the launch could not be parsed"
	case l.Function != nil && (l.Function.IsKernel() || l.Function.IsDevice()):
		return "the launch is made on the GPU"
	case l.TemplateArgs == nil && k.View.IsTemplate:
		return "the launch leaves the template's arguments to the compiler; write them out, so that the kernel has a name"
	}
	return ""
}

// timeLaunch turns k<<<g, b>>>(a) into (begin(k, g, b), k<<<…>>>(a), end()), an
// expression of the same type, so that it may stand wherever the launch did.
func timeLaunch(b *rewrite.Buffer, src []byte, l *parser.Launch) {
	first, last := l.Config[0], l.Config[len(l.Config)-1]
	b.Insert(int(l.Node.Start), fmt.Sprintf("(smux_stress::begin((const void *)(%s), %s), ",
		src[l.Callee.Start:l.Callee.End], src[first.Start:last.End]))
	b.Replace(int(first.Start), int(last.End),
		"smux_stress::launch().grid, smux_stress::launch().block, smux_stress::launch().shared, smux_stress::launch().stream")
	b.Insert(int(l.Node.End), ", smux_stress::end())")
}

// afterMark is the offset after a byte order mark.
func afterMark(src []byte) int {
	if len(src) >= 3 && src[0] == 0xEF && src[1] == 0xBB && src[2] == 0xBF {
		return 3
	}
	return 0
}
