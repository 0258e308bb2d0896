package parser

import (
	"slices"
	"strings"
)

// The functions of the CUDA runtime that launch a kernel, as a Launch's Call.
const (
	CallLaunchKernel = "cudaLaunchKernel"            // (kernel, grid, block, addresses, bytes, stream)
	CallCooperative  = "cudaLaunchCooperativeKernel" // the same, all thread blocks resident at once
	CallLaunchEx     = "cudaLaunchKernelEx"          // (&config, kernel, arguments …)
	CallLaunchExC    = "cudaLaunchKernelExC"         // (&config, kernel, addresses)
)

var launchCalls = []string{CallLaunchKernel, CallCooperative, CallLaunchEx, CallLaunchExC}

// launchCall adds the launch that a call of the runtime is, where it names the kernel: through a
// variable it may start any.
func (b *builder) launchCall(n *Node) {
	callee, args := n.Child(FieldFunction), n.Child(FieldArguments)
	if callee == nil || args == nil {
		return
	}
	name := strings.TrimPrefix(b.file.Text(callee), "::")
	if !slices.Contains(launchCalls, name) {
		return
	}
	l := &Launch{Node: n, Call: name, Function: b.enclosing(n), Error: faultOf(n)}
	list := children(args)
	switch {
	case name == CallLaunchKernel || name == CallCooperative:
		if len(list) < 4 || len(list) > 6 {
			return
		}
		l.Callee, l.Packed = kernelIn(list[0]), list[3]
		l.Config = slices.Concat(list[1:3], list[4:])
	case len(list) < 2 || name == CallLaunchExC && len(list) != 3:
		return
	default:
		l.Callee, l.Settings = kernelIn(list[1]), list[0]
		if v := list[0].Child(FieldArgument); list[0].Kind == KindPointerExpression && b.file.Src[list[0].Start] == '&' && v != nil && v.Kind == KindIdentifier {
			l.SettingsName = v
		}
		l.Config = []*Node{list[0], list[0], list[0], list[0]}
		if name == CallLaunchExC {
			l.Packed = list[2]
		} else {
			l.Args = args
		}
	}
	if l.Kernel, l.TemplateArgs = b.kernelName(l.Callee); l.Kernel == "" {
		return
	}
	l.Open, l.Close = int(l.Callee.Start), int(l.Callee.End)
	b.file.Launches = append(b.file.Launches, l)
}

// kernelIn returns the node inside of casts, parentheses and &, as in (void *)&k<float>.
func kernelIn(n *Node) *Node {
	for n != nil {
		switch n.Kind {
		case KindCastExpression:
			n = n.Child(FieldValue)
		case KindPointerExpression:
			n = n.Child(FieldArgument)
		case KindParenthesizedExpression:
			n = n.FirstNamed()
		case KindCallExpression: // reinterpret_cast<const void *>(k)
			f, args := n.Child(FieldFunction), n.Child(FieldArguments)
			if f == nil || args == nil || f.Kind != KindTemplateFunction {
				return n
			}
			n = args.FirstNamed()
		default:
			return n
		}
	}
	return nil
}

// children are the named children of a list.
func children(list *Node) (out []*Node) {
	for c := list.FirstNamed(); c != nil; c = c.NextNamed() {
		out = append(out, c)
	}
	return out
}

// Arguments returns the arguments that a launch passes to the kernel, nil where it passes their addresses.
func (l *Launch) Arguments() []*Node {
	switch {
	case l.Args == nil:
		return nil
	case l.Settings != nil:
		return children(l.Args)[2:]
	}
	return children(l.Args)
}

// settings are the members of a cudaLaunchConfig_t that the parts of Config are.
var settings = []string{"gridDim", "blockDim", "dynamicSmemBytes", "stream"}

// SettingOf is the member of its cudaLaunchConfig_t that a part of Config stands for, "" where the launch has none.
func (l *Launch) SettingOf(i int) string {
	if l.Settings == nil {
		return ""
	}
	return settings[i]
}

// ConfigText returns the text of a part of the configuration, "" where the launch leaves it out.
func (l *Launch) ConfigText(f *File, i int) string {
	switch {
	case i >= len(l.Config):
		return ""
	case l.SettingsName != nil:
		return f.Text(l.SettingsName) + "." + settings[i]
	case l.Settings != nil:
		return "(" + f.Text(l.Settings) + ")->" + settings[i]
	}
	return f.Text(l.Config[i])
}
