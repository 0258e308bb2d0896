// Package judged checks the model on published measurements of real GPUs, and prints the
// tables of docs/evidence/fidelity.md. Neither the measurements nor the kernels are part of this
// project: both are read from folders.
package judged

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/tune/foreign"
	"github.com/smux-cuda/smux/tune/modelcheck"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify/harness"
)

// set is the measurements of a kernel on a GPU.
type set struct {
	data   string // a file of benchmark_hub's, named as in its folder here, or a pattern of files that together are one set
	source string // the kernel's, "" for one that smux can't read: nothing is predicted then
	divide string // what a thread block covers, where the results don't have the grid
	held   bool   // looked at once, at the end
	// undefined are macros that the source asks for and the tuner never defines: smux takes
	// such a one for unknown, since a build may define it.
	undefined string
	grid      string // the thread blocks, where these constants have them
}

// sets list what the model is held against.
var sets = []set{
	{"convolution-A100.json.gz", "convolution.cu", tiles, false, "", ""},
	{"ktt-convolution-2080Ti.json.gz", "KernelTunerConvolution.cu", "", false, "use_padding", ""},
	{"ktt-pnpoly-2080Ti.json.gz", "KernelTunerPnpoly.cu", "", false, "", ""},
	{"dedispersion-A100.json.gz", "dedispersion.cu", tiles, false, "", ""},
	{"hotspot-A100/*.json", "hotspot.cu", tiles, false, "", ""},
	{"gemm-A100/*.json", "", "", false, "", ""}, // in OpenCL, with a header that makes CUDA of it
	{"kt-convolution-RTX_Titan.json.gz", "kt-convolution.cu", tiles, false, "", ""},
	{"kt-convolution-RTX_3060_laptop.json.gz", "kt-convolution.cu", tiles, false, "", ""},
	{"pmpp-matmul-1650.json", "pmpp-matmul.cu", "", false, "", "grid_x,grid_y"},
	{"pmpp-matmul-3060.json", "pmpp-matmul.cu", "", false, "", "grid_x,grid_y"},
	{"pmpp-matmul-3080.json", "pmpp-matmul.cu", "", false, "", "grid_x,grid_y"},
	{"convolution-A4000.json.gz", "convolution.cu", tiles, true, "", ""},
	{"convolution-A6000.json.gz", "convolution.cu", tiles, true, "", ""},
	{"ktt-convolution-3090.json.gz", "KernelTunerConvolution.cu", "", true, "use_padding", ""},
	{"dedispersion-A4000.json.gz", "dedispersion.cu", tiles, true, "", ""},
	{"dedispersion-A6000.json.gz", "dedispersion.cu", tiles, true, "", ""},
	{"hotspot-A4000/*.json", "hotspot.cu", tiles, true, "", ""},
	{"pmpp-matmul-2060.json", "pmpp-matmul.cu", "", true, "", "grid_x,grid_y"},
	{"pmpp-matmul-3060l.json", "pmpp-matmul.cu", "", true, "", "grid_x,grid_y"},
	{"pmpp-matmul-3060ti.json", "pmpp-matmul.cu", "", true, "", "grid_x,grid_y"},
	{"pmpp-matmul-3070ti.json", "pmpp-matmul.cu", "", true, "", "grid_x,grid_y"},
	{"kt-pnpoly-RTX_3090.json.gz", "kt-pnpoly.cu", "block_size_x*tile_size", true, "", ""},
	{"kt-pnpoly-RTX_3060_laptop.json.gz", "kt-pnpoly.cu", "block_size_x*tile_size", true, "", ""},
}

// tiles holds the extents of what a thread block covers in Kernel Tuner's examples.
const tiles = "block_size_x*tile_size_x,block_size_y*tile_size_y"

// Main prints the tables. Arguments: -data and -kernels name the folders, -held takes the
// sets that are held back, -every takes a sample of the configurations, -only one set,
// -closed-form predicts by the closed form, -svg draws calibration plots into a file,
// -points lists the configurations in one, -search has the search of smux tune look for the fastest in each set, and -silent
// predicts nothing. A set whose files are not in the folder is named and left out.
func Main(args []string, stdout io.Writer) error {
	f := flag.NewFlagSet("judged", flag.ContinueOnError)
	data := f.String("data", "data", "the folder of the measurements")
	kernels := f.String("kernels", filepath.Join("..", "kernels"), "the folder of the kernels' sources")
	held := f.Bool("held", false, "the sets that are held back, and no others")
	closed := f.Bool("closed-form", false, "predict by the closed form")
	every := f.Int("every", 1, "take every so many-th configuration alone")
	only := f.String("only", "", "the sets alone whose file's name holds this")
	search := f.Bool("search", false, "replay the search of smux tune")
	silent := f.Bool("silent", false, "predict nothing")
	drawing := f.String("svg", "", "draw measured over predicted times into this file")
	points := f.String("points", "", "write what is known of each configuration into this file, with tabs between columns")
	if err := f.Parse(args); err != nil {
		return err
	}
	all := modelcheck.Report{Schema: modelcheck.Schema}
	sources := map[string]*modelcheck.Predictor{} // what is counted for one GPU counts for the next
	for _, s := range sets {
		if s.held != *held || !strings.Contains(s.data, *only) {
			continue
		}
		source := sources[s.source]
		if source == nil && s.source != "" && !*silent {
			var err error
			if source, err = s.kernel(*kernels, *closed); err != nil {
				return err
			}
			sources[s.source] = source
		}
		r, err := s.check(*data, source, *every)
		if err == nil && *search {
			err = r.Search(context.Background())
		}
		if errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(stdout, "%s is not there: it is left out\n", s.data)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.data, err)
		}
		all.Kernels = append(all.Kernels, r.Kernels...)
	}
	if *drawing != "" {
		if err := os.WriteFile(*drawing, all.SVG(), 0o666); err != nil {
			return err
		}
	}
	if *points != "" {
		var lines bytes.Buffer
		fmt.Fprint(&lines, "kernel\tgpu\tconfiguration\tmeasured ms\tpredicted ms\tregisters\tshared bytes\tthread blocks per SM\tinstructions\twavefronts\tL2 read\tL2 written\tDRAM\n")
		for _, k := range all.Kernels {
			k.Each(func(configuration record.Configuration, measured float64, p *modelcheck.Prediction) {
				c := p.Counts
				fmt.Fprintf(&lines, "%s\t%s\t%s\t%g\t%g\t%d\t%d\t%d\t%g\t%g\t%g\t%g\t%g\n", k.Kernel, k.GPU, configuration, measured,
					p.Milliseconds, p.Registers, p.Shared, p.Static.Blocks, c.Instructions, c.Wavefronts, c.L2Read, c.L2Write, c.DRAM)
			})
		}
		if err := os.WriteFile(*points, lines.Bytes(), 0o666); err != nil {
			return err
		}
	}
	var out bytes.Buffer
	all.Text(&out)
	_, err := out.WriteTo(stdout)
	return err
}

// kernel reads the source of a set.
func (s set) kernel(folder string, closed bool) (*modelcheck.Predictor, error) {
	text, err := os.ReadFile(filepath.Join(folder, s.source))
	if err != nil {
		return nil, err
	}
	divide, err := harness.ParseExprs(s.divide)
	if err != nil {
		return nil, err
	}
	grid, err := harness.ParseExprs(s.grid)
	if err != nil {
		return nil, err
	}
	source := &modelcheck.Predictor{Name: s.source, Source: text, Shapes: modelcheck.Shapes{Divide: divide, Grid: grid}, Closed: closed}
	source.Parse.IncludeDirs = []string{folder}
	if s.undefined != "" {
		source.Parse.Defines = []string{s.undefined + "=0"}
	}
	return source, nil
}

// read reads the files of a set: what they hold counts as one.
func (s set) read(folder string) (*foreign.Results, error) {
	names, err := filepath.Glob(filepath.Join(folder, s.data))
	if err != nil {
		return nil, err
	}
	var all *foreign.Results
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		results, err := foreign.Read(name, src, "")
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = results
		} else {
			all.Runs = append(all.Runs, results.Runs...)
		}
	}
	if all == nil {
		return nil, fs.ErrNotExist
	}
	return all, nil
}

// check imports a set and holds the model against it.
func (s set) check(folder string, source *modelcheck.Predictor, every int) (modelcheck.Report, error) {
	results, err := s.read(folder)
	if err != nil {
		return modelcheck.Report{}, err
	}
	board, err := gpu.Lookup(results.Device)
	if err != nil {
		return modelcheck.Report{}, err
	}
	lines, err := results.Lines(board.Name)
	if err != nil {
		return modelcheck.Report{}, err
	}
	lines = sample(lines, every)
	return modelcheck.Of(context.Background(), lines, source, func(record.Subject) *gpu.GPU { return board })
}

// sample keeps every so many-th configuration with what was measured of it.
func sample(lines []record.Line, every int) (out []record.Line) {
	kept, seen := map[string]bool{}, 0
	for _, l := range lines {
		if l.Variant != nil {
			if kept[l.Key] = seen%max(1, every) == 0; kept[l.Key] {
				out = append(out, l)
			}
			seen++
		} else if kept[l.Key] {
			out = append(out, l)
		}
	}
	return out
}
