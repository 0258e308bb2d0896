package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/hostcode"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// Launches by calls of the CUDA runtime follow as those by <<<…>>> do. Where a call passes the
// addresses of the arguments, that of the further one comes between them, whoever filled the array:
//
//	cudaLaunchKernel((void *)k, grid, 64, args, 0, stream);
//	--> const auto smux_launch = smux::merge<2, 64>(grid, 64);
//	    cudaLaunchKernel((void *)k, smux_launch.grid, smux_launch.block, smux::arguments<3, 3>(args, smux_launch.blocks), 0, stream);
//
// A cudaLaunchConfig_t stays as it is, for launches to come, and a copy of it has the merged grid:
//
//	cudaLaunchKernelEx(&config, k, a);
//	--> const auto smux_launch = smux::merge<2, 64>(config.gridDim, config.blockDim);
//	    cudaLaunchKernelEx(smux::configured(config, smux_launch), k, a, smux_launch.blocks);
//
// What else such a launch may ask for is in its attributes, which must be known.

// attributes says of the attributes of launches whether merged blocks may have them, and if not
// why (docs/use/merged-blocks.md has the table). A name that isn't here is of a CUDA that smux doesn't know.
var attributes = map[string]string{
	"cudaLaunchAttributeIgnore":                            "",
	"cudaLaunchAttributeAccessPolicyWindow":                "", // what L2 keeps
	"cudaLaunchAttributeSynchronizationPolicy":             "", // how the host waits
	"cudaLaunchAttributePriority":                          "", // among streams
	"cudaLaunchAttributeMemSyncDomain":                     "",
	"cudaLaunchAttributeMemSyncDomainMap":                  "",
	"cudaLaunchAttributePreferredSharedMemoryCarveout":     "", // a hint
	"cudaLaunchAttributeProgrammaticStreamSerialization":   "", // when the kernel may begin
	"cudaLaunchAttributeLaunchCompletionEvent":             "", // when all blocks have begun
	"cudaLaunchAttributeProgrammaticEvent":                 "an event waits for what its blocks do",
	"cudaLaunchAttributeClusterDimension":                  "its clusters are made of so many blocks, and the grid of so many clusters",
	"cudaLaunchAttributeClusterSchedulingPolicyPreference": "its blocks run in clusters",
	"cudaLaunchAttributePreferredClusterDimension":         "its clusters are made of so many blocks, and the grid of so many clusters",
	"cudaLaunchAttributeCooperative":                       notAllAtOnce,
	"cudaLaunchAttributeDeviceUpdatableKernelNode":         "the device may change its grid and arguments",
	"cudaLaunchAttributeNvlinkUtilCentricScheduling":       "its blocks go to SMs by their numbers",
}

// notAllAtOnce is why cooperative launches stay as they are. Without a barrier of the grid it
// is the co-residence alone that a launch asks for, and it fails where not all blocks have room.
const notAllAtOnce = "all its blocks must be resident at once, and the rewrite may leave room for fewer"

// launchCall proves that a launch by a call of the runtime can follow; for launches that stay as
// they are that means that it launches this kernel and needs nothing else to stay.
func (l *LaunchProof) launchCall(p *kit.Findings, m *mergeProof, launch *analysis.Launch) bool {
	f, v := launch.File, launch.View
	refuse := func(at int, why string, args ...any) bool {
		l.Refuse(f, at, CodeLaunchCall, why, args...)
		return false
	}
	if l.declaredAt(f, v) {
		return refuse(v.Open, "%s is a variable here: which kernel %s launches can't be seen", v.Kernel, v.Call)
	}
	if _, macro := f.Macros.Lookup(v.Call, int(v.Node.Start)); macro {
		return refuse(v.Open, "%s is a macro", v.Call)
	}
	changes := m != nil || p.SlotWords > 0
	switch {
	case v.Call == parser.CallCooperative && (changes || p.NeedsMore()):
		return refuse(v.Open, "a cooperative launch: %s", notAllAtOnce)
	case !changes:
		return true
	case m == nil && v.Settings != nil:
		return refuse(v.Open, "the bytes of dynamic shared memory stand in a cudaLaunchConfig_t")
	}
	if v.Packed != nil && m != nil {
		if !l.sameParameters() {
			return refuse(v.Open, "how many arguments %s takes depends on which kernel of the name or which instance it is", v.Kernel)
		}
		if !plainAddresses(f, v.Packed) {
			return refuse(int(v.Packed.Start), "what makes the arguments' addresses may change the grid")
		}
	}
	return v.Settings == nil || l.settings(launch, refuse)
}

// settings proves that a launch can have another cudaLaunchConfig_t.
func (l *LaunchProof) settings(launch *analysis.Launch, refuse func(int, string, ...any) bool) bool {
	s := hostcode.SettingsOf(l.Prog, launch)
	if s.Why != "" {
		return refuse(s.At, "a launch by %s: %s", launch.View.Call, s.Why)
	}
	for _, a := range s.Attributes {
		if why, known := attributes[a]; !known {
			return refuse(launch.View.Open, "the launch has the attribute %s, which smux does not know", a)
		} else if why != "" {
			return refuse(launch.View.Open, "the launch has the attribute %s: %s", a, why)
		}
	}
	return true
}

// sameParameters reports whether all kernels of the name take as many arguments, whatever their
// template arguments are.
func (l *LaunchProof) sameParameters() bool {
	n := len(l.first().Kernel.View.Params)
	return !slices.ContainsFunc(l.Proofs, func(p kit.Proof) bool {
		params := p.Found().Kernel.View.Params
		return len(params) != n || slices.ContainsFunc(params, func(q parser.Param) bool { return q.Variadic })
	})
}

// declaredAt reports whether the kernel's name may be a variable's where a call names it: what is
// passed has no type, so that the compiler would not tell.
func (l *LaunchProof) declaredAt(f *parser.File, v *parser.Launch) bool {
	fn, declared := v.Function, false
	for _, p := range fn.Params {
		declared = declared || p.Name == v.Kernel
	}
	for _, p := range fn.Template {
		declared = declared || p.Name == v.Kernel
	}
	look := func(f *parser.File, kind parser.Kind, root *parser.Node) {
		root.Walk(func(n *parser.Node) bool {
			declared = declared || n.Kind == kind && (n.Field == parser.FieldDeclarator || declarators[n.Parent.Kind]) && f.Text(n) == v.Kernel
			return !declared
		})
	}
	look(f, parser.KindIdentifier, fn.Body)
	if fn.Class != "" || fn.Node.Ancestor(parser.KindClassSpecifier) != nil || fn.Node.Ancestor(parser.KindStructSpecifier) != nil {
		for _, other := range l.Files() {
			look(other, parser.KindFieldIdentifier, other.Root)
		}
	}
	return declared
}

// declarators hold what they declare without saying so by a field.
var declarators = map[parser.Kind]bool{
	parser.KindReferenceDeclarator: true, parser.KindStructuredBindingDeclarator: true,
	parser.KindParenthesizedDeclarator: true, parser.KindVariadicDeclarator: true,
}

// plainAddresses reports whether an expression for an array of addresses changes nothing, so that
// it may come before or after the grid's.
func plainAddresses(f *parser.File, n *parser.Node) bool {
	plain := true
	n.Walk(func(c *parser.Node) bool {
		switch c.Kind {
		case parser.KindAssignmentExpression, parser.KindUpdateExpression, parser.KindLambdaExpression, parser.KindNewExpression:
			plain = false
		case parser.KindCallExpression: // a vector's
			callee := c.Child(parser.FieldFunction)
			plain = plain && callee != nil && strings.HasSuffix(f.Text(callee), ".data")
		}
		return plain
	})
	return plain
}

// configure puts the merged configuration in place of the launch's own.
func (c launchChange) configure(b *edit.Buffer, merged, bytes string) {
	if v := c.View; v.Settings != nil {
		name := c.File.Text(v.SettingsName)
		b.Replace(int(v.Settings.Start), int(v.Settings.End), "smux::configured("+name+", "+merged+")")
		return
	}
	c.replace(b, 0, merged+".grid")
	c.replace(b, 1, merged+".block")
	if bytes != "" {
		c.replace(b, 2, bytes)
	}
}

// pass gives the kernel further arguments.
func (c launchChange) pass(b *edit.Buffer, further []string) {
	v := c.View
	at, of := parameterIndex(c.kernel.Kernel.View), len(c.kernel.Kernel.View.Params)
	if v.Packed == nil {
		if v.Settings != nil {
			at += 2 // after the configuration and the kernel
		}
		insertArgument(b, v.Args, at, strings.Join(further, ", "))
		return
	}
	text := c.File.Text(v.Packed)
	for i, a := range further {
		text = fmt.Sprintf("smux::arguments<%d, %d>(%s, %s)", at+i, of+i, text, a)
	}
	b.Replace(int(v.Packed.Start), int(v.Packed.End), text)
}

// statementOf is the statement in front of which what a launch says can be asked for, nil where
// something may come between: the launch is all that the statement is, or it is what a call, which
// looks at the answer of the runtime, an assignment, a return or an if begins with.
func statementOf(launch *analysis.Launch) *parser.Node {
	n := launch.View.Node
	if launch.View.Call != "" {
		n = aroundCall(n)
	}
	statement := n.Parent
	if statement != nil && statement.Kind == parser.KindConditionClause && launch.View.Call != "" {
		statement = statement.Parent
		if statement.Kind == parser.KindIfStatement && opensNoScope(launch.File, launch.View.Function, statement) {
			return statement
		}
		return nil
	}
	if statement == nil || launch.File.Src[statement.End-1] != ';' {
		return nil
	}
	switch statement.Kind {
	case parser.KindExpressionStatement:
		if statement.Start == n.Start {
			return statement
		}
	case parser.KindReturnStatement:
		return statement
	case parser.KindDeclaration:
		if statement.Child(parser.FieldDeclarator) == n && opensNoScope(launch.File, launch.View.Function, statement) {
			return statement
		}
	}
	return nil
}

// aroundCall returns the expression that a call of the runtime begins: CHECK(call), status = call, call != cudaSuccess.
func aroundCall(n *parser.Node) *parser.Node {
	for n.Parent != nil {
		up := n.Parent
		switch {
		case up.Kind == parser.KindParenthesizedExpression:
			n = up
		case up.Kind == parser.KindArgumentList && up.FirstNamed() == n && up.Parent.Kind == parser.KindCallExpression && up.Parent.Child(parser.FieldFunction).Kind == parser.KindIdentifier:
			n = up.Parent
		case up.Kind == parser.KindAssignmentExpression && n.Field == parser.FieldRight && up.Child(parser.FieldLeft).Kind == parser.KindIdentifier,
			up.Kind == parser.KindBinaryExpression && n.Field == parser.FieldLeft:
			n = up
		case up.Kind == parser.KindInitDeclarator && n.Field == parser.FieldValue:
			return up
		default:
			return n
		}
	}
	return n
}

// launchesKernels reports whether a macro's body launches kernels.
func launchesKernels(body string) bool {
	return strings.Contains(body, "<<<") || strings.Contains(body, "cudaLaunch")
}
