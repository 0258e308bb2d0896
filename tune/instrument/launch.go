package instrument

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// untimeable returns why a launch can't be timed, "" if it can.
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
func timeLaunch(b *edit.Buffer, src []byte, l *parser.Launch) {
	first, last := l.Config[0], l.Config[len(l.Config)-1]
	b.Insert(int(l.Node.Start), fmt.Sprintf("(::smux_launch::smux_begin(::smux_launch::smux_kernel(%s), %s), ",
		src[l.Callee.Start:l.Callee.End], src[first.Start:last.End]))
	b.Replace(int(first.Start), int(last.End), configuration)
	b.Insert(int(l.Node.End), ", ::smux_launch::smux_end())")
}

// configuration stands between the angles of a launch that is timed.
const configuration = "::smux_launch::smux_now().grid, ::smux_launch::smux_now().block, ::smux_launch::smux_now().shared, ::smux_launch::smux_now().stream"
