package nvcc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/smux-cuda/smux/internal/process"
)

// Toolkit is an installed CUDA toolkit. It is safe for concurrent use; the
// fields are to be set before the first use.
type Toolkit struct {
	Path string // of nvcc
	// CacheDir is the folder for answers; Find sets it to smux/nvcc in the user's
	// cache folder. Empty: nothing is kept.
	CacheDir string
	// Timeout is the time that the compiler may take for one file; 0 stands for
	// five minutes.
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

// Warnings returns what a person should know and is not an error, each once: that
// the cache can't be used.
func (t *Toolkit) Warnings() []string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return slices.Clone(t.warnings)
}

func (t *Toolkit) warn(text string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if !slices.Contains(t.warnings, text) {
		t.warnings = append(t.warnings, text)
	}
}
