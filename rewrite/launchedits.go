package rewrite

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// launchChange says how one launch changes.
type launchChange struct {
	*analysis.Launch
	kernel *mergeProof // of the kernel, nil where only the bytes of its shared memory grow

	gridNamed bool   // the grid is evaluated before the launch (gridonce.go)
	most      string // of a launch that decides at run time: what it is told of the threads (kernelname.go)
	static    int    // bytes of static shared memory, for a launch that asks for more dynamic one
	words     int    // that each thread gets in dynamic shared memory
}

// apply makes the edits of launches and declarations.
func (l *launchProof) apply() map[*parser.File]*edit.Buffer {
	edits := map[*parser.File]*edit.Buffer{}
	for _, c := range l.launches {
		b := bufferOf(edits, c.File)
		if c.kernel == nil {
			c.growBytes(b)
		} else {
			c.merge(b)
		}
	}
	for _, d := range l.declared {
		l.follow(bufferOf(edits, d.file), d)
	}
	return edits
}

// follow gives a declaration the kernels' new signature.
func (l *launchProof) follow(b *edit.Buffer, d declared) {
	p := l.merged()
	params := p.extentType()
	if p.dynamicSets() > 1 {
		params += ", unsigned"
	}
	insertParameter(b, d.file, d.fn, params)
	if lb := d.fn.LaunchBounds; lb != nil && lb.ArgEnd > lb.ArgStart {
		p.launchBoundsIn(b, d.file, lb)
	}
}

// merge lets a launch start merged blocks.
func (c launchChange) merge(b *edit.Buffer) {
	p, before := c.kernel, b.Len()
	if c.gridNamed {
		c.nameGrid(b)
	}
	args := p.extentArgument(c.config(0))
	if p.dynamicSets() > 1 {
		args += ", " + c.setBytes()
	}
	sets := p.dynamicSets() > 1 && len(c.View.Config) > 2
	switch {
	case !p.fixed():
		c.mergeWhereItFits(b, sets)
	default:
		if p.persistent() {
			c.resident(b)
		} else {
			c.enclose(b, 0, p.gridCall()+"(", ")")
		}
		c.enclose(b, 1, p.blockCall()+"(", ")")
		if sets {
			c.enclose(b, 2, fmt.Sprintf("smux::sets<%d>(", p.dynamicSets()), ")")
		}
	}
	insertArgument(b, c.View.Args, parameterIndex(p.Kernel.View), args)
	c.breakLine(b, before)
}

// enclose puts text around an argument of the launch's configuration.
func (c launchChange) enclose(b *edit.Buffer, i int, before, behind string) {
	at := c.View.Config[i]
	if i == 0 && c.gridNamed {
		b.Replace(int(at.Start), int(at.End), before+gridName+behind)
		return
	}
	b.Insert(int(at.Start), before)
	b.Insert(int(at.End), behind)
}

// config is the text of an argument of the launch's configuration, "" where it is left out.
func (c launchChange) config(i int) string {
	if i == 0 && c.gridNamed {
		return gridName
	}
	return configText(c.Launch, i)
}
