package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/process"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// smallKernel is one that every smux rewrites.
const smallKernel = `__global__ void k(const float *in, float *out) {
    __shared__ float tile[64];
    tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}
void run(const float *in, float *out, int n) { k<<<n, 64>>>(in, out); }
`

// core rewrites a small kernel.
func (m Machine) core(context.Context) Check {
	broken := func(err error) Check {
		return Check{State: Broken, Text: "does not rewrite a small kernel: " + err.Error(), Help: "this is a defect in smux: please report it"}
	}
	f, err := parser.Parse("doctor.cu", []byte(smallKernel), parser.Options{})
	if err != nil {
		return broken(err)
	}
	result, err := m.Rewrite(passes.NewProgram(parser.NewProgram([]*parser.File{f}, parser.Options{}), [3]int{}), rewrite.Options{Variant: rewrite.Variant{Rewriter: variant.VTB, Factor: 2}, Runtime: runtime.Inline})
	if err != nil {
		return broken(err)
	}
	if len(result.Files) != 1 {
		return broken(errors.New("it is left alone"))
	}
	return Check{State: OK, Text: "rewrites a kernel", Means: "rewrite, analyze, occupancy and simulate need nothing else"}
}

// gpu asks nvidia-smi for the GPUs of this machine.
func (m Machine) gpu(ctx context.Context) Check {
	const (
		without = "without: --gpu NAME says which GPUs are meant, else a few common ones are taken; tune measures elsewhere, with --export"
		help    = "install NVIDIA's driver, or look at what nvidia-smi says"
	)
	csv, err := m.NVIDIASMI(ctx, gpu.SMIQuery...)
	switch {
	case errors.Is(err, process.ErrNoDriver):
		return Check{State: Missing, Text: err.Error(), Means: without}
	case err != nil:
		return Check{State: Broken, Text: err.Error(), Means: without, Help: help}
	}
	gpus, _, err := gpu.ParseNVIDIASMI(csv)
	if err != nil {
		return Check{State: Broken, Text: err.Error(), Means: without, Help: help}
	}
	names := lists.Map(gpus, func(g *gpu.GPU) string { return g.Name + " (" + g.Arch.SM() + ")" })
	text := strings.Join(names, ", ")
	if driver, err := m.NVIDIASMI(ctx, "--query-gpu=driver_version", "--format=csv,noheader"); err == nil {
		driver, _, _ = strings.Cut(strings.TrimSpace(driver), "\n")
		if strings.Trim(driver, "0123456789.") == "" && driver != "" {
			text += ", driver " + driver
		}
	}
	return Check{State: OK, Text: text, Means: "--gpu native means these; tune measures on them where nvcc is there, too"}
}

// mostBytes is more than git says of itself.
const mostBytes = 1 << 20

// git looks for git.
func git(ctx context.Context) Check {
	path, err := exec.LookPath("git")
	if err != nil {
		return Check{State: Missing, Text: "not found", Means: "without: smux works; its diffs are taken by git apply or patch -p1, and hooks need git", Help: "Debian: apt-get install git"}
	}
	out, err := process.Output(process.Command(ctx, path, "--version"), mostBytes)
	if err != nil {
		return Check{State: Broken, Text: fmt.Sprintf("%s --version: %v", path, err), Help: "look at what git --version says"}
	}
	text, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return Check{State: OK, Text: text}
}

// terminal returns what messages look like here.
func (m Machine) terminal(context.Context) Check {
	switch {
	case !m.Terminal:
		return Check{State: OK, Text: "none: messages are without colour, and there is no progress line"}
	case m.Getenv("NO_COLOR") != "":
		return Check{State: OK, Text: "without colour: NO_COLOR is set"}
	case m.Getenv("TERM") == "dumb":
		return Check{State: OK, Text: "without colour and progress line: TERM is dumb"}
	}
	return Check{State: OK, Text: "with colour; NO_COLOR=1 turns it off"}
}

// config looks for the settings that count in the current folder, and reads them.
func (m Machine) config(context.Context) Check {
	here, err := os.Getwd()
	if err != nil {
		return Check{State: Broken, Text: "looking for " + config.Name + ": " + err.Error()}
	}
	finder := config.NewFinder(here, m.ReadFile)
	path := finder.Find(here)
	if path == "" {
		return Check{State: OK, Text: "there is no " + config.Name + " here or above", Means: "flags count, and what smux does without them"}
	}
	set, err := finder.Read(path)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return Check{State: Broken, Text: first, Means: "commands that read these settings fail", Help: "smux analyze --no-config goes without"}
	}
	text := config.Shown(here, path)
	if len(set.GPUs) > 0 {
		text += ", for " + strings.Join(set.GPUs, ", ")
	}
	return Check{State: OK, Text: text, Means: "its settings count where a flag is not given"}
}
