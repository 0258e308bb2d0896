package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/printable"
	"github.com/smux-cuda/smux/internal/procgroup"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/rewrite"
)

// doctorPatience is how long one check may take. A driver that has to be loaded
// takes seconds; nothing else takes a tenth of one.
var doctorPatience = 5 * time.Second

// examine does all checks side by side.
func (s *session) examine() []check {
	line := s.NewProgress()
	defer line.End()
	line.Say("looking at this machine")
	checks := []struct {
		name string
		look func(context.Context) check
	}{
		{"smux", s.checkCore},
		{"c++", s.checkCompiler},
		{"nvcc", s.checkNVCC},
		{"gpu", s.checkGPU},
		{"cache", checkCache},
		{"git", checkGit},
		{"terminal", s.checkTerminal},
		{"config", s.checkConfig},
	}
	ctx, cancel := context.WithTimeout(s.Context(), doctorPatience)
	defer cancel()
	out := make([]check, len(checks))
	// The time may end before a check does, which is then left behind: it ends with
	// the process.
	found := make([]chan check, len(checks))
	for i, c := range checks {
		found[i] = make(chan check, 1)
		go func() {
			got := check{State: stateBroken}
			if err := diag.Guard(func() error { got = c.look(ctx); return nil }); err != nil {
				got.Text = err.Error()
			}
			found[i] <- got
		}()
	}
	for i, c := range checks {
		select {
		case out[i] = <-found[i]:
		case <-ctx.Done():
			select { // what is known already counts
			case out[i] = <-found[i]:
			case <-time.After(doctorPatience / 10):
				out[i] = check{State: stateBroken, Text: fmt.Sprintf("gives no answer within %s", doctorPatience)}
			}
		}
		out[i].Name = c.name
		for _, text := range []*string{&out[i].Text, &out[i].Means, &out[i].Help} {
			*text = printable.Text(*text)
		}
	}
	return out
}

// doctorKernel is a kernel that every smux rewrites.
const doctorKernel = `__global__ void k(const float *in, float *out) {
    __shared__ float tile[64];
    tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}
void run(const float *in, float *out, int n) { k<<<n, 64>>>(in, out); }
`

// checkCore rewrites a small kernel.
func (s *session) checkCore(context.Context) check {
	broken := func(err error) check {
		return check{State: stateBroken, Text: "does not rewrite a small kernel: " + err.Error(), Help: "this is a defect in smux: please report it"}
	}
	f, err := parser.Parse("doctor.cu", []byte(doctorKernel), parser.Options{})
	if err != nil {
		return broken(err)
	}
	result, err := s.rewrite(&parser.Program{Files: []*parser.File{f}}, rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb", Factor: 2}, Runtime: runtimeInline})
	if err != nil {
		return broken(err)
	}
	if len(result.Files) != 1 {
		return broken(errors.New("it is left alone"))
	}
	return check{State: stateOK, Text: "rewrites a kernel", Means: "rewrite, analyze, occupancy and simulate need nothing else"}
}

// checkGPU asks nvidia-smi for the GPUs of this machine.
func (s *session) checkGPU(ctx context.Context) check {
	const (
		without = "without: --gpu NAME says which GPUs are meant, else a few common ones are taken; tune measures elsewhere, with --export"
		help    = "install NVIDIA's driver, or look at what nvidia-smi says"
	)
	csv, err := s.nvidiaSMI(ctx, gpu.SMIQuery...)
	switch {
	case errors.Is(err, errNoNVIDIASMI):
		return check{State: stateMissing, Text: err.Error(), Means: without}
	case err != nil:
		return check{State: stateBroken, Text: err.Error(), Means: without, Help: help}
	}
	gpus, _, err := gpu.ParseNVIDIASMI(csv)
	if err != nil {
		return check{State: stateBroken, Text: err.Error(), Means: without, Help: help}
	}
	var names []string
	for _, g := range gpus {
		names = append(names, g.Name+" ("+smOf(g)+")")
	}
	text := strings.Join(names, ", ")
	if driver, err := s.nvidiaSMI(ctx, "--query-gpu=driver_version", "--format=csv,noheader"); err == nil {
		driver, _, _ = strings.Cut(strings.TrimSpace(driver), "\n")
		if strings.Trim(driver, "0123456789.") == "" && driver != "" {
			text += ", driver " + driver
		}
	}
	return check{State: stateOK, Text: text, Means: "--gpu native means these; tune measures on them where nvcc is there, too"}
}

func smOf(g *gpu.GPU) string { return "sm_" + strings.ReplaceAll(g.CC(), ".", "") }

// checkGit looks for git.
func checkGit(ctx context.Context) check {
	path, err := exec.LookPath("git")
	if err != nil {
		return check{State: stateMissing, Text: "not found", Means: "without: smux works; its diffs are taken by git apply or patch -p1, and hooks need git", Help: "Debian: apt-get install git"}
	}
	out, err := limitedOutput(procgroup.Command(ctx, path, "--version"))
	if err != nil {
		return check{State: stateBroken, Text: fmt.Sprintf("%s --version: %v", path, err), Help: "look at what git --version says"}
	}
	text, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return check{State: stateOK, Text: text}
}

// checkTerminal says what messages look like here.
func (s *session) checkTerminal(context.Context) check {
	switch {
	case !s.IsTerminal(s.Stderr):
		return check{State: stateOK, Text: "none: messages are without colour, and there is no progress line"}
	case s.Getenv("NO_COLOR") != "":
		return check{State: stateOK, Text: "without colour: NO_COLOR is set"}
	case s.Getenv("TERM") == "dumb":
		return check{State: stateOK, Text: "without colour and progress line: TERM is dumb"}
	}
	return check{State: stateOK, Text: "with colour; NO_COLOR=1 turns it off"}
}

// checkConfig looks for the settings that count in the current folder, and reads them.
func (s *session) checkConfig(context.Context) check {
	var c configFlags
	if err := c.prepare(); err != nil {
		return check{State: stateBroken, Text: err.Error()}
	}
	here, err := os.Getwd()
	if err != nil {
		return check{State: stateBroken, Text: err.Error()}
	}
	path := c.finder.Find(here)
	if path == "" {
		return check{State: stateOK, Text: "there is no " + config.Name + " here or above", Means: "flags count, and what smux does without them"}
	}
	set, err := c.finder.Read(path)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return check{State: stateBroken, Text: first, Means: "commands that read these settings fail", Help: "smux analyze --no-config goes without"}
	}
	text := config.Shown(here, path)
	if len(set.GPUs) > 0 {
		text += ", for " + strings.Join(set.GPUs, ", ")
	}
	return check{State: stateOK, Text: text, Means: "its settings count where a flag is not given"}
}
