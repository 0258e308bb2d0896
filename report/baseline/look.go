package baseline

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/config"
)

// Look looks at kernels of a program as each is launched on GPUs. dir is the folder of
// the baseline; from has been prepared for them, and its errors are passed on but for
// resources.ErrNoCode; ignored are the directives of the program, empty for none that
// count.
func Look(kernels []*analysis.Kernel, gpus []*gpu.GPU, from *resources.Reader, dir string, ignored *config.Directives) ([]Sight, error) {
	var out []Sight
	for _, k := range kernels {
		file, err := pathFrom(dir, k.File.Name)
		if err != nil {
			return nil, err
		}
		stands, err := standsOf(k, gpus, from)
		if err != nil {
			return nil, err
		}
		sight := See(file, k.Report(), linesOfKernel(k), stands)
		sight.Ignored = ignored.Of(k.Position())
		out = append(out, sight)
	}
	return out, nil
}

// pathFrom returns a file's path from a folder, with slashes, as JSON can hold it.
func pathFrom(dir, name string) (string, error) {
	rel, err := filepath.Rel(dir, project.Located(name))
	if err != nil {
		return "", diag.Failed("naming "+name, err)
	}
	return strings.ToValidUTF8(filepath.ToSlash(rel), "\ufffd"), nil
}

// standsOf returns how a kernel stands on each GPU, in each form in which it is launched.
func standsOf(k *analysis.Kernel, gpus []*gpu.GPU, from *resources.Reader) ([]Launched, error) {
	var out []Launched
	for _, in := range k.Instances {
		at := Launched{}
		if in.Launch != nil {
			at.At = in.Launch.File.Position(in.Launch.View.Open)
		}
		for _, g := range gpus {
			stand, err := standOf(k, in, g, from)
			if errors.Is(err, resources.ErrNoCode) {
				continue // a template that nothing launches
			}
			if err != nil {
				return nil, err
			}
			same := func(o Launched) bool { return sameStand(o.Stand, stand) }
			if !slices.ContainsFunc(out, same) {
				at.Stand = stand
				out = append(out, at)
			}
		}
	}
	return out, nil
}

func sameStand(a, b Stand) bool {
	same := slices.Equal(a.Limits, b.Limits)
	return same && a.GPU == b.GPU && a.Launch == b.Launch && a.Block == b.Block && a.Blocks == b.Blocks && a.Registers == b.Registers &&
		a.From == b.From && a.Static == b.Static && a.Dynamic == b.Dynamic
}

// standOf returns how a kernel stands on a GPU under an instance. Where the block's size or
// its shared bytes are not known, there is no number of thread blocks per SM.
func standOf(k *analysis.Kernel, in *analysis.Instance, g *gpu.GPU, from *resources.Reader) (Stand, error) {
	res, err := from.Of(k, in, g)
	if err != nil {
		return Stand{}, err
	}
	out := Stand{
		GPU: g.String(), Launch: launchedWith(k, in), Block: in.String(), Limits: []string{}, Registers: res.Registers, From: res.From,
		Static: max(0, res.Shared-in.DynamicBytes), Dynamic: in.DynamicBytes,
	}
	if !res.Exact {
		out.Static = unknownBytes
	}
	dims, ok := in.BlockShape()
	if !ok || !res.Exact {
		return out, nil
	}
	r, err := occupancy.Compute(g, occupancy.Demand{Threads: dims[0] * dims[1] * dims[2], Registers: res.Registers, Shared: res.Shared, Barriers: res.Barriers})
	var impossible *occupancy.ImpossibleError
	if err != nil && !errors.As(err, &impossible) {
		return out, nil // such a block is none
	}
	for _, l := range r.Limiters.List() {
		out.Limits = append(out.Limits, l.String())
	}
	if err == nil {
		out.Blocks, out.Warps = r.Blocks, r.Warps
	}
	return out, nil
}

// launchedWith returns the template arguments of an instance, "?" for one that is not
// known; "" for a kernel that is not a template.
func launchedWith(k *analysis.Kernel, in *analysis.Instance) string {
	var out []string
	for i := range k.View.Template {
		switch n, typ, ok := k.TemplateArgument(in, i); {
		case !ok:
			out = append(out, "?")
		case typ != "":
			out = append(out, typ)
		default:
			out = append(out, strconv.FormatInt(n, 10))
		}
	}
	return strings.Join(out, ",")
}

// linesOfKernel returns the lines of a kernel and of the device functions that it
// reaches.
func linesOfKernel(k *analysis.Kernel) []Line {
	var in *analysis.Instance
	if len(k.Instances) > 0 {
		in = k.Instances[0]
	}
	live := cost.LiveWords(k, in)
	var out []Line
	for _, fn := range k.Functions {
		start, end := extentOf(fn)
		for at := start; at < end; {
			line := string(fn.File.Src[at:end])
			if i := strings.IndexByte(line, '\n'); i >= 0 {
				line = line[:i+1]
			}
			text := strings.TrimLeft(line, " \t")
			pos := fn.File.Position(at + len(line) - len(text))
			word := pos
			word.Column = 0
			out = append(out, Line{Pos: pos, Text: text, Live: live[word]})
			at += len(line)
		}
	}
	return out
}

// extentOf returns where a function stands in its file, with its template's head.
func extentOf(fn *ir.Func) (start, end int) {
	v := fn.View
	start, end = v.Start, v.Start
	for _, n := range []*parser.Node{v.Outer, v.Node} {
		if n != nil {
			start, end = min(start, int(n.Start)), max(end, int(n.End))
		}
	}
	if v.Body != nil {
		end = int(v.Body.End)
	}
	return start, min(end, len(fn.File.Src))
}
