package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/verify/build"
)

// testedNVCC is the version that smux's tests compile with.
const testedNVCC = "11.8"

// compiler looks for the C++ compiler that runs programs on the CPU.
func compiler(context.Context) Check {
	const (
		without = "without: verify, check, rewrite --verify and tune --on cpu do not work"
		help    = "Debian: apt-get install g++, or set CXX to a g++ or clang++"
	)
	c, err := build.Find("")
	if err == nil {
		return Check{State: OK, Text: c.Version + ", " + c.Path, Means: "verify and check run CUDA programs on the CPU"}
	}
	if os.Getenv("CXX") != "" {
		return Check{State: Broken, Text: "CXX: " + err.Error(), Means: without, Help: help}
	}
	return Check{State: Missing, Text: "neither g++ nor clang++ is on the path", Means: without, Help: help}
}

// nvcc asks nvcc what it is.
func (m Machine) nvcc(context.Context) Check {
	const without = "without: registers are estimated; --variant demote, --resources nvcc and tune on a GPU do not work"
	t, err := m.FindNVCC()
	var missing *nvcc.MissingError
	switch {
	case errors.As(err, &missing):
		return Check{State: Missing, Text: missing.Error(), Means: without, Help: missing.Help}
	case err != nil:
		return Check{State: Broken, Text: err.Error(), Means: without}
	}
	version, err := t.Version()
	if err != nil {
		return Check{State: Broken, Text: err.Error(), Means: without, Help: "run " + t.Path + " --version"}
	}
	archs, err := t.Archs()
	if err != nil || len(archs) == 0 {
		return Check{State: Broken, Text: fmt.Sprintf("CUDA %s, %s, names no architecture that it compiles for", version, t.Path), Means: without, Help: "run " + t.Path + " --list-gpu-code"}
	}
	means := "registers, spills and occupancy are those that the compiler says"
	if version != testedNVCC {
		means += "; smux is tested with CUDA " + testedNVCC
	}
	return Check{State: OK, Text: fmt.Sprintf("CUDA %s, %s, for %s", version, t.Path, strings.Join(archs, " ")), Means: means}
}

// cache returns where answers of compilers and measurements are kept, and how much there is.
func cache(ctx context.Context) Check {
	const (
		without = "without: each call compiles anew, and tune needs --store FILE"
		help    = "make it a folder that can be written, or set XDG_CACHE_HOME to one"
	)
	dir, err := os.UserCacheDir()
	if err != nil {
		return Check{State: Missing, Text: err.Error(), Means: without, Help: "set XDG_CACHE_HOME or HOME to a folder"}
	}
	dir = filepath.Join(dir, "smux")
	at, err := nearestFolder(dir)
	if err != nil {
		return Check{State: Broken, Text: err.Error(), Means: without, Help: help}
	}
	f, err := os.CreateTemp(at, ".smux-doctor-*")
	if err != nil {
		return Check{State: Broken, Text: fmt.Sprintf("%s cannot be written: %v", dir, diag.PlainCause(err)), Means: without, Help: help}
	}
	f.Close()
	os.Remove(f.Name())
	if at != dir {
		return Check{State: OK, Text: dir + ", which is not there yet and can be made"}
	}
	return Check{State: OK, Text: fmt.Sprintf("%s, %s", dir, sizeBelow(ctx, dir))}
}

// nearestFolder returns the folder itself, or where there is none the one above that it would be made in.
func nearestFolder(dir string) (string, error) {
	for {
		info, err := os.Stat(dir)
		switch {
		case err == nil && info.IsDir():
			return dir, nil
		case err == nil:
			return "", fmt.Errorf("%s is not a folder", dir)
		case !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir:
			return "", err
		}
		dir = filepath.Dir(dir)
	}
}

// mostCounted bounds how many files of the cache are counted.
const mostCounted = 20_000

// sizeBelow returns how much the files of a folder take: "12.3 MB in 45 files".
func sizeBelow(ctx context.Context, dir string) string {
	files, bytes, more := 0, int64(0), ""
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // files come and go
		}
		if ctx.Err() != nil || files == mostCounted {
			more = " and more"
			return fs.SkipAll
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files++
			bytes += info.Size()
		}
		return nil
	})
	return fmt.Sprintf("%.1f MB in %d files%s", float64(bytes)/1e6, files, more)
}
