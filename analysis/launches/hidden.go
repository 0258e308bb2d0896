package launches

import (
	"maps"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/values"
	"github.com/smux-cuda/smux/parser"
)

// takeInstances gives a kernel the launches and instances of the same one of another Program, but for what is hidden in this one.
func takeInstances(k *analysis.Kernel, from *analysis.Kernel) {
	same := map[*parser.Launch]*analysis.Launch{}
	for _, l := range k.Prog.Launches {
		same[l.View] = l
	}
	for _, l := range from.Launches {
		k.Launches = append(k.Launches, same[l.View])
	}
	k.Indirect = from.Indirect
	maps.Copy(followed(k), followed(from))
	for _, o := range from.Instances {
		in := *o
		in.Alike = nil
		if o.Launch != nil {
			in.Launch = o.Launch
			if !o.Launch.Indirect {
				in.Launch = same[o.Launch.View]
			}
		}
		for _, l := range o.Alike {
			if !l.Indirect {
				l = same[l.View]
			}
			in.Alike = append(in.Alike, l)
		}
		in.TArgs = slices.Clone(o.TArgs)
		k.Instances = append(k.Instances, &in)
	}
	hide(k)
}

// hide takes from the instances what the program hides.
func hide(k *analysis.Kernel) {
	for _, in := range k.Instances {
		if k.Prog.AnyShape {
			in.Shape, in.Told = analysis.Shape{}, false
		}
		for i, tp := range k.Func.TParams {
			if i < len(in.TArgs) && k.Prog.Cache.Hidden[tp.Name] != nil {
				in.TArgs[i] = values.Unknown
			}
		}
	}
}
