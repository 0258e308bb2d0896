package merge

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// launchChange says how one launch changes.
type launchChange struct {
	*analysis.Launch
	proofs []kit.Proof // of all kernels of the name
	kernel *mergeProof // of the kernel, nil where only the bytes of its shared memory grow, or the shape of its blocks changes

	named  bool   // what the launch says is asked for once, before it (launchonce.go)
	most   string // of a launch that decides at run time: what it is told of the threads (kernelname.go)
	static int    // bytes of static shared memory, for a launch that asks for more dynamic one
	words  int    // that each thread gets in dynamic shared memory
	shape  string // that its blocks get, "" for their own
}

// Apply makes the edits of launches and declarations.
func (l *LaunchProof) Apply() map[*parser.File]*edit.Buffer {
	edits := map[*parser.File]*edit.Buffer{}
	for _, c := range l.launches {
		b := kit.BufferOf(edits, c.File)
		c.proofs = l.Proofs
		switch {
		case c.shape != "":
			c.reshape(b)
		case c.kernel == nil:
			c.growBytes(b)
		default:
			c.merge(b)
		}
	}
	for _, d := range l.declared {
		l.follow(kit.BufferOf(edits, d.File), d)
	}
	return edits
}

// follow gives a declaration the kernels' new signature.
func (l *LaunchProof) follow(b *edit.Buffer, d kit.Declared) {
	p := l.merged()
	params := p.extentType()
	if p.dynamicSets() > 1 {
		params += ", unsigned"
	}
	insertParameter(b, d.File, d.Fn, params)
	if lb := d.Fn.LaunchBounds; lb != nil && lb.ArgEnd > lb.ArgStart {
		p.launchBoundsIn(b, d.File, lb)
	}
}

// merge lets a launch start merged blocks.
func (c launchChange) merge(b *edit.Buffer) {
	p, before := c.kernel, b.Len()
	if p.coarse {
		c.coarsen(b)
		c.breakLine(b, before)
		return
	}
	merged := c.mergedLaunch()
	if c.named {
		merged = c.nameLaunch(b, merged)
	}
	further, bytes := []string{p.extentArgument(merged)}, ""
	switch {
	case p.dynamicSets() <= 1:
	case c.config(2) == "" && c.View.Packed == nil:
		further = append(further, "0")
	default:
		further = append(further, merged+".set")
		if c.config(2) != "" {
			bytes = merged + ".bytes"
		}
	}
	c.configure(b, merged, bytes)
	c.pass(b, further)
	c.breakLine(b, before)
}

// mergedLaunch is the call that makes of what a launch says what it says of merged blocks:
// smux::merge, or smux::try_merge where that is seen at run time only.
func (c launchChange) mergedLaunch() string {
	p := c.kernel
	bytes := c.config(2)
	args := c.config(0) + ", " + c.config(1)
	sets := p.dynamicSets() > 1 && bytes != ""
	if !p.fixed() {
		shapes := c.mergedShapes()
		switch {
		case sets:
			args += ", " + bytes
		case shapes != "":
			args += ", 0"
		}
		if shapes != "" {
			args += ", " + shapes
		}
		return "smux::try_merge" + p.tryArguments(sets, c.static) + "(" + c.most + ", " + args + ")"
	}
	text := p.mergeCall() + "(" + args + ")"
	if sets {
		text, bytes = fmt.Sprintf("smux::sets<%d>(%s, %s)", p.dynamicSets(), text, bytes), ""
	}
	if p.persistent() {
		text = c.resident(text, bytes)
	}
	return text
}

// mergeCall is smux::merge for a kernel whose launches all have blocks of one shape.
func (p *mergeProof) mergeCall() string {
	args, more := append([]int{p.Factor}, shapeArguments(p.shape)...), []string(nil)
	if p.GridAxis != "" {
		args, more = append([]int{p.Factor}, p.shape[:]...), []string{along(p.Variant)}
	}
	return "smux::merge" + templateArguments(args, more...)
}

// replace puts text in the place of an argument of the launch's configuration.
func (c launchChange) replace(b *edit.Buffer, i int, text string) {
	at := c.View.Config[i]
	b.Replace(int(at.Start), int(at.End), text)
}

// config is the text of an argument of the launch's configuration, "" where it is left out.
func (c launchChange) config(i int) string { return configText(c.Launch, i) }
