// Package nvcc asks the CUDA toolkit what the compiler makes of a kernel:
// registers, shared memory and spills per architecture (Resources), the machine
// instructions per source line and loop (Lines), and the machine code itself with what the compiler tells the hardware's scheduler (Codes). It needs
// nvcc and a host compiler that nvcc accepts, but no GPU.
//
// The texts of a program are given by the caller and need not be what is on disk, so that a variant can be judged
// before it is written. They are put into a temporary folder of the same layout; messages and places have the names
// of the request. The folders of a person are never written to.
//
// Answers are kept in the user's cache folder. An answer is used again only if the text, the flags, the toolkit, the
// host compiler and every file that the compiler had read are the same as then, by content (files of the system and
// of the toolkit by size and time of change), and if no header has come into an include folder that would now be
// found first. What this can't see is a new header more than three folders below one that is searched, or below one
// that holds thousands of files.
//
// The package looks at kernels one .cu file at a time: what a linker would change
// (device functions of other files, link-time optimisation) is not seen.
package nvcc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/process"
)

// Toolkit is an installed CUDA toolkit. It is safe for concurrent use; the fields are to be set before the first use.
type Toolkit struct {
	Path string // of nvcc
	// CacheDir is the folder for answers; Find sets it to smux/nvcc in the user's
	// cache folder. Empty: nothing is kept.
	CacheDir string
	// Timeout is the time that the compiler may take for one file; 0 stands for five minutes.
	Timeout time.Duration
	// Memory is the number of bytes of address space that each of the compiler's processes may
	// have; At and Find set it to process.CompilerMemory. 0: as many as it wants.
	Memory uint64

	slots chan struct{} // one per processor
	facts func() (*facts, error)

	mutex    sync.Mutex
	warnings []string
	pruned   sync.Once
	runs     int               // how often the compiler was run
	stepped  int               // units that were compiled step by step
	listed   map[string]string // what --dryrun printed, see stepsOf
}

// MissingError reports that a tool of the CUDA toolkit was not found.
type MissingError struct {
	Tool string // "nvcc"
	Help string // what to do about it, one line
}

func (e *MissingError) Error() string { return e.Tool + " not found" }

// Find looks for nvcc on PATH, below CUDA_HOME and CUDA_PATH, and in the usual
// folders, in this order. It does not run it. The error is a *MissingError.
func Find() (*Toolkit, error) {
	path, err := findNVCC()
	if err != nil {
		return nil, err
	}
	t := At(path)
	if dir, err := os.UserCacheDir(); err == nil {
		t.CacheDir = filepath.Join(dir, "smux", "nvcc")
	}
	return t, nil
}

// At returns the toolkit of an nvcc, without a cache folder.
func At(path string) *Toolkit {
	t := &Toolkit{Path: path, Memory: process.CompilerMemory(), slots: make(chan struct{}, runtime.NumCPU())}
	t.facts = sync.OnceValues(t.readFacts)
	return t
}

// searched are the folders that hold a toolkit as a rule, as glob patterns.
var searched = []string{"/usr/local/cuda", "/usr/local/cuda-*", "/opt/cuda", "/opt/cuda-*"}

func findNVCC() (string, error) {
	if path, err := exec.LookPath("nvcc"); err == nil || errors.Is(err, exec.ErrDot) {
		if path, err = filepath.Abs(path); err == nil {
			return path, nil
		}
	}
	var folders []string
	for _, name := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if dir := os.Getenv(name); dir != "" {
			folders = append(folders, dir)
		}
	}
	for _, pattern := range searched {
		found, _ := filepath.Glob(pattern)
		slices.SortFunc(found, func(a, b string) int { return compareVersions(b, a) }) // the newest first
		folders = append(folders, found...)
	}
	for _, dir := range folders {
		if path, err := exec.LookPath(filepath.Join(dir, "bin", "nvcc")); err == nil {
			return path, nil
		}
	}
	return "", &MissingError{Tool: "nvcc", Help: "put nvcc of the CUDA toolkit on PATH, or set CUDA_HOME to the toolkit's folder"}
}

// tool finds another program of the toolkit: beside nvcc or on PATH.
func (t *Toolkit) tool(name string) (string, error) {
	beside := []string{filepath.Dir(t.Path)}
	if real, err := filepath.EvalSymlinks(t.Path); err == nil {
		beside = append(beside, filepath.Dir(real))
	}
	for _, dir := range beside {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return "", &MissingError{Tool: name, Help: fmt.Sprintf("%s belongs to the CUDA toolkit but is not beside %s; install the toolkit's binary utilities", name, t.Path)}
}

// Warnings returns what a person should know and is not an error, each once: that the cache can't be used.
func (t *Toolkit) Warnings() []string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return slices.Clone(t.warnings)
}

func (t *Toolkit) warn(text string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.warnings = lists.Add(t.warnings, text)
}

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

// Archs lists the architectures that this nvcc makes machine code for, such as "sm_80", the oldest first. Those with
// features that no later GPU has (sm_90a) are left out.
func (t *Toolkit) Archs() ([]string, error) {
	f, err := t.facts()
	if err != nil {
		return nil, err
	}
	out := lists.Map(f.archs, smName)
	return out, nil
}

// NearestArch returns the architecture to compile for to learn about GPUs of a compute capability, which is written
// "8.6", "86" or "sm_86": that one where this nvcc knows it, else the nearest below, else the lowest that it knows.
// exact reports whether it is the one asked for. It returns "" for what is not a compute capability and where nvcc
// can't be run.
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

// parseCC reads "8.6", "sm_86", "86" or "sm_90a" as ten times the major number and the minor one.
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

// readFacts runs nvcc for its version and its architectures; that takes some hundredths of a second at most.
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

// identity names all that an answer depends on beside texts and flags: the toolkit's programs, the host compiler that
// nvcc takes from PATH, and the environment that both heed. It runs nothing.
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
