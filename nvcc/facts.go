package nvcc

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/internal/process"
)

// facts holds what nvcc reports of itself.
type facts struct {
	version string // "11.8"
	archs   []int  // that it makes machine code for: 80 for sm_80, ascending
}

// Version returns the toolkit's version, such as "11.8".
func (t *Toolkit) Version() (string, error) {
	f, err := t.facts()
	if err != nil {
		return "", err
	}
	return f.version, nil
}

// Archs lists the architectures that this nvcc makes machine code for, such as
// "sm_80", the oldest first. Those with features that no later GPU has (sm_90a)
// are left out.
func (t *Toolkit) Archs() ([]string, error) {
	f, err := t.facts()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, a := range f.archs {
		out = append(out, smName(a))
	}
	return out, nil
}

// NearestArch returns the architecture to compile for to learn about GPUs of a
// compute capability, which is written "8.6", "86" or "sm_86": that one where
// this nvcc knows it, else the nearest below, else the lowest that it knows.
// exact reports whether it is the one asked for. It returns "" for what is not a
// compute capability and where nvcc can't be run.
func (t *Toolkit) NearestArch(cc string) (arch string, exact bool) {
	f, err := t.facts()
	if err != nil {
		return "", false
	}
	number, ok := parseCC(cc)
	if !ok {
		return "", false
	}
	return nearest(number, f.archs)
}

func nearest(asked int, archs []int) (string, bool) {
	if len(archs) == 0 {
		return "", false
	}
	i, exact := slices.BinarySearch(archs, asked)
	if !exact {
		i = max(0, i-1)
	}
	return smName(archs[i]), exact
}

func smName(number int) string { return "sm_" + strconv.Itoa(number) }

var ccPattern = regexp.MustCompile(`^(?:sm_?|compute_|cc)?(\d{1,2})(?:\.(\d))?[af]?$`)

// parseCC reads "8.6", "sm_86", "86" or "sm_90a" as ten times the major number
// and the minor one.
func parseCC(cc string) (int, bool) {
	m := ccPattern.FindStringSubmatch(strings.ToLower(strings.TrimSpace(cc)))
	if m == nil {
		// "sm_100" and "120" have no point and three digits.
		rest := strings.TrimPrefix(strings.TrimPrefix(cc, "sm_"), "compute_")
		rest = strings.TrimRight(rest, "af")
		n, err := strconv.Atoi(rest)
		return n, err == nil && len(rest) == 3 && n >= 100
	}
	major, _ := strconv.Atoi(m[1])
	if m[2] != "" {
		minor, _ := strconv.Atoi(m[2])
		return 10*major + minor, major > 0
	}
	return major, major >= 10
}

var versionPattern = regexp.MustCompile(`release (\d+\.\d+)`)

// readFacts runs nvcc for its version and its architectures; that takes some
// hundredths of a second at most.
func (t *Toolkit) readFacts() (*facts, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	f := &facts{}
	out, err := t.ask(ctx, "--version")
	if err != nil {
		return nil, err
	}
	m := versionPattern.FindStringSubmatch(out)
	if m == nil {
		return nil, fmt.Errorf("%s --version names no release: %s", t.Path, firstLine(out))
	}
	f.version = m[1]
	// --list-gpu-code came with 11.2; before, the help text has the same names.
	list, err := t.ask(ctx, "--list-gpu-code")
	if err != nil {
		if list, err = t.ask(ctx, "--help"); err != nil {
			return nil, err
		}
	}
	f.archs = parseArchs(list)
	return f, nil
}

// ask has nvcc answer a flag. It makes temporary files even for that, which stay behind where it is killed.
func (t *Toolkit) ask(ctx context.Context, flag string) (string, error) {
	dir, err := disk.TempDir("", "smux-nvcc-")
	if err != nil {
		return "", err
	}
	defer func() { _ = disk.Remove(dir) }()
	c := process.Command(ctx, t.Path, flag)
	c.Env = append(os.Environ(), "TMPDIR="+dir)
	out, err := c.CombinedOutput()
	if ctx.Err() != nil {
		return "", fmt.Errorf("%s %s gave no answer: %w", t.Path, flag, ctx.Err())
	}
	if err != nil {
		return "", fmt.Errorf("running %s %s: %w: %s", t.Path, flag, err, firstLine(string(out)))
	}
	return string(out), nil
}

var archPattern = regexp.MustCompile(`\bsm_(\d+)\b`)

// parseArchs finds the architectures that a list or a help text names.
func parseArchs(text string) []int {
	var out []int
	for _, m := range archPattern.FindAllStringSubmatch(text, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil && n >= 10 {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// identity names all that an answer depends on beside texts and flags: the
// toolkit's programs, the host compiler that nvcc takes from PATH, and the
// environment that both heed. It runs nothing.
func (t *Toolkit) identity() string {
	parts := []string{stamp(t.Path)}
	for _, name := range []string{"ptxas", "nvdisasm"} {
		if path, err := t.tool(name); err == nil {
			parts = append(parts, stamp(path))
		}
	}
	for _, name := range []string{"gcc", "g++", "cl.exe"} {
		if path, err := exec.LookPath(name); err == nil {
			parts = append(parts, stamp(path))
		}
	}
	for _, name := range []string{"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "INCLUDE"} {
		parts = append(parts, name+"="+os.Getenv(name))
	}
	return hash(parts...)
}

// stamp identifies the state of a program: its real path, size and time.
func stamp(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	if err != nil {
		return path
	}
	return fmt.Sprint(path, " ", info.Size(), " ", info.ModTime().UnixNano())
}

// compareVersions orders names such as cuda-9.2 and cuda-11.8 by their numbers.
func compareVersions(a, b string) int {
	numbers := func(s string) (out []int) {
		for _, field := range strings.FieldsFunc(filepath.Base(s), func(r rune) bool { return r < '0' || r > '9' }) {
			n, _ := strconv.Atoi(field)
			out = append(out, n)
		}
		return out
	}
	return cmp.Or(slices.Compare(numbers(a), numbers(b)), cmp.Compare(a, b))
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
