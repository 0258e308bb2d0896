package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/internal/process"
	"github.com/smux-cuda/smux/verify/shim"
)

// Toolchain is a compiler with what every program needs, made for it and kept
// in a cache folder. It is safe for concurrent use, also by several processes.
type Toolchain struct {
	Compiler *Compiler
	CacheDir string // this toolchain's own folder in the cache
	// Memory is the number of bytes of address space that each of the compiler's processes may have; Open sets it to
	// procgroup.CompilerMemory. 0: as many as it wants. What it builds has no limit. To be set before the first use.
	Memory uint64

	parts    store    // headers, runtime objects, precompiled headers
	programs store    // compiled programs
	inUse    *os.File // its lock marks the folder as used
	slots    chan struct{}

	compilations atomic.Int64 // how often the compiler was run

	mutex sync.Mutex
	made  map[string]*sync.Mutex // one maker per part within this process
}

// cacheFormat is part of the cache's key: it changes when the layout does.
const cacheFormat = "2"

// Open returns the toolchain of a compiler. cacheDir "" means the folder smux/verify in the user's cache folder.
// Where the cache can't be written, a temporary folder takes its place, which Close removes.
func Open(c *Compiler, cacheDir string) (*Toolchain, error) {
	asked := cacheDir != ""
	if !asked {
		if dir, err := os.UserCacheDir(); err == nil {
			cacheDir = filepath.Join(dir, "smux", "verify")
		}
	}
	var err error
	if cacheDir != "" {
		var t *Toolchain
		if t, err = open(c, cacheDir, embedded()); err == nil {
			return t, nil
		}
		if asked {
			return nil, fmt.Errorf("using the cache folder %s: %w", cacheDir, err)
		}
	}
	temporary, err := disk.TempDir("", "smux-cache-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the compiled runtime: %w", err)
	}
	t, err := open(c, temporary, embedded())
	if err != nil {
		disk.Remove(temporary)
	}
	return t, err
}

// tree is the shim's text with a name for its content.
type tree struct {
	files fs.FS
	hash  string
}

func embedded() tree { return tree{shim.Files(), shim.Hash()} }

func open(c *Compiler, cache string, text tree) (*Toolchain, error) {
	cache, err := filepath.Abs(cache)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, err
	}
	name := toolchainPrefix + c.key(text.hash)
	dir := filepath.Join(cache, name)
	t := &Toolchain{
		Compiler: c, CacheDir: dir, Memory: process.CompilerMemory(),
		parts: store{dir}, programs: store{filepath.Join(dir, "programs")},
		slots: make(chan struct{}, runtime.NumCPU()),
		made:  map[string]*sync.Mutex{},
	}
	if t.inUse, err = lockFile(dir+".lock", false, true); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(t.programs.dir, 0o755); err != nil {
		t.inUse.Close()
		return nil, err
	}
	markUsed(dir)
	pruneToolchains(cache, name)
	prunePrograms(t.programs)
	t.parts.sweep()
	if _, err := t.part("shim", func(dir string) error { return os.CopyFS(dir, text.files) }); err != nil {
		t.inUse.Close()
		return nil, err
	}
	return t, nil
}

// Close marks the toolchain as no longer used. The end of the process does
// so, too; only a temporary folder would stay behind.
func (t *Toolchain) Close() error {
	err := t.inUse.Close()
	if cache := filepath.Dir(t.CacheDir); strings.HasPrefix(filepath.Base(cache), "smux-cache-") {
		err = errors.Join(err, disk.Remove(cache))
	}
	return err
}

// key names what compiled code depends on beside its own text.
func (c *Compiler) key(text string) string {
	var stamp string
	if info, err := os.Stat(c.Path); err == nil {
		stamp = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	}
	parts := []string{cacheFormat, text, c.Path, c.Kind, c.Version, stamp, standard, strings.Join(c.language(), " ")}
	for _, m := range []Mode{Plain, Checked, Address, Filled, Library} {
		parts = append(parts, strings.Join(c.modeFlags(m), " "))
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])[:16]
}

// include returns the folder of the headers that stand in for CUDA's.
func (t *Toolchain) include() string { return filepath.Join(t.CacheDir, "shim", "include") }

// part returns a part of the toolchain, which fill makes where it is not there. The lock that keeps other processes
// out does not keep out a process's own goroutines on every system.
func (t *Toolchain) part(name string, fill func(dir string) error) (string, error) {
	t.mutex.Lock()
	m := t.made[name]
	if m == nil {
		m = &sync.Mutex{}
		t.made[name] = m
	}
	t.mutex.Unlock()
	m.Lock()
	defer m.Unlock()
	return t.parts.get(name, fill)
}

// command runs the compiler, as soon as a processor is free, and returns what it
// printed. Its temporary files go to scratch, which outlives no crash.
func (t *Toolchain) command(ctx context.Context, scratch string, args []string) (string, error) {
	select {
	case t.slots <- struct{}{}:
		defer func() { <-t.slots }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	t.compilations.Add(1)
	c := process.Command(ctx, t.Compiler.Path, args...)
	c.Env = append(os.Environ(), "LC_ALL=C", "LANGUAGE=", "TMPDIR="+scratch)
	out, err := process.OutputWithin(c, t.Memory)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return string(out), err
}

// each calls f for all items at once and returns the first error in their order.
func each[T any](items []T, f func(T) error) error {
	return parallel.Each(context.Background(), len(items), len(items), func(i int) error { return f(items[i]) })
}

// isFile reports whether a regular file is there.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Type() == fs.FileMode(0)
}
