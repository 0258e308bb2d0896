package baseline

import (
	"cmp"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/config"
)

// Look looks at kernels of a program as each is launched on GPUs. dir is the folder of the baseline; from has been
// prepared for them, and its errors are passed on but for resources.ErrNoCode; ignored are the directives of the
// program, empty for none that count.
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
		sight := See(file, summary.Report(k), linesOfKernel(k), stands)
		sight.Ignored = ignored.Of(summary.Position(k))
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
			same := func(o Launched) bool { return reflect.DeepEqual(o.Stand, stand) }
			if !slices.ContainsFunc(out, same) {
				at.Stand = stand
				out = append(out, at)
			}
		}
	}
	return out, nil
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
		switch n, typ, ok := evaluate.TemplateArgument(k, in, i); {
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

// linesOfKernel returns the lines of a kernel and of the device functions that it reaches.
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

// Sight is a kernel as it is now: what is recorded of it, and where that stands.
type Sight struct {
	Kernel
	Pos     diag.Position
	Ignored []config.Ignore    // that may be about it
	arrays  []diag.Position    // of Shared
	regions []diag.Position    // of Regions
	ends    [][2]diag.Position // of Regions, first and last access
	lines   []Line
	// launches holds the positions of the launches of Stands; the zero value for one that is out of sight.
	launches []diag.Position
}

// Launched is a stand with the place of its launch, the zero value where it is out of sight.
type Launched struct {
	Stand
	At diag.Position
}

// See makes a sight of the facts about a kernel. file is its file's path from the folder of the baseline; lines are
// those of the kernel and of the device functions that it reaches.
func See(file string, r summary.KernelReport, lines []Line, stands []Launched) Sight {
	s := Sight{Pos: r.Position, lines: lines}
	s.Kernel = Kernel{File: file, Name: r.Name, Shared: []Array{}, Lines: hashes(lines), Stands: []Stand{}}
	for _, v := range r.Shared {
		if v.Dynamic {
			continue
		}
		a := Array{Name: v.Name}
		if v.Bytes != nil {
			a.Bytes = *v.Bytes
		}
		s.Shared, s.arrays = append(s.Shared, a), append(s.arrays, v.Position)
	}
	if r.Regions != nil {
		s.Regions = []Region{}
	}
	for _, g := range r.Regions {
		s.Regions = append(s.Regions, Region{Arrays: g.Arrays, First: s.hashAt(g.First)})
		s.regions, s.ends = append(s.regions, g.First), append(s.ends, [2]diag.Position{g.First, g.Last})
	}
	if r.RegionShareEstimate != nil {
		s.Share = *r.RegionShareEstimate
	}
	slices.SortStableFunc(stands, func(a, b Launched) int {
		return cmp.Or(compareNatural(a.Launch, b.Launch), compareNatural(a.Block, b.Block), cmp.Compare(a.Dynamic, b.Dynamic), cmp.Compare(a.GPU, b.GPU))
	})
	for _, l := range stands {
		s.Stands, s.launches = append(s.Stands, l.Stand), append(s.launches, l.At)
	}
	return s
}

// compareNatural puts 64 before 128.
func compareNatural(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// hashAt returns the hash of the line that holds a place, "" for none of the kernel's.
func (s *Sight) hashAt(at diag.Position) string {
	for _, l := range s.lines {
		if l.Pos.File == at.File && l.Pos.Line == at.Line {
			return l.hash()
		}
	}
	return ""
}

// Sort puts sights into the order of a baseline, and numbers kernels of one name in one file by their order in the
// text. Of a kernel that was seen twice, in two programs that share its file, the first is kept.
func Sort(sights []Sight) []Sight {
	out := slices.Clone(sights)
	slices.SortStableFunc(out, func(a, b Sight) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	out = slices.CompactFunc(out, func(a, b Sight) bool {
		return a.File == b.File && a.Name == b.Name && a.Pos.Line == b.Pos.Line && a.Pos.Column == b.Pos.Column
	})
	for i := range out {
		if i > 0 && out[i].File == out[i-1].File && out[i].Name == out[i-1].Name {
			out[i].Nth = max(2, out[i-1].Nth+1)
		}
	}
	return out
}
