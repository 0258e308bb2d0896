package parser

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// loader reads includes, each once. It is safe for concurrent use.
type loader struct {
	opt  Options
	read func(string) ([]byte, error)

	mu      sync.Mutex
	headers map[string]*header // by cleaned path; nil where there is no such file
}

// header is a file that was read for its directives.
type header struct {
	path string
	src  []byte
	directiveList
}

// directiveList is the directives of a file, and which of them is its include guard (-1 for none).
type directiveList struct {
	directives []directive
	guard      int
}

func newLoader(opt Options) *loader {
	read := opt.ReadFile
	if read == nil {
		read = readRegular
	}
	return &loader{opt: opt, read: read, headers: map[string]*header{}}
}

// over returns a loader with other texts of some files, by cleaned path. What else l has read is not read again.
func (l *loader) over(texts map[string][]byte) *loader {
	out := newLoader(l.opt)
	out.read = func(name string) ([]byte, error) {
		if text, ok := texts[cleanPath(name)]; ok {
			return text, nil
		}
		return l.read(name)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for path, h := range l.headers {
		if _, changed := texts[path]; !changed {
			out.headers[path] = h
		}
	}
	return out
}

// readRegular reads a regular file, or a little more than MaxFileBytes of it: enough to refuse it.
func readRegular(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	if info.Size() > MaxFileBytes {
		return nil, tooLarge(name)
	}
	return io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
}

func cleanPath(name string) string { return filepath.ToSlash(filepath.Clean(name)) }

// include finds what an #include in the file from means: beside that file for
// "…", then in the include folders. It returns nil where there is none.
func (l *loader) include(from, path string, system bool) *header {
	if filepath.IsAbs(path) {
		return l.header(path)
	}
	if !system {
		if h := l.header(filepath.Join(filepath.Dir(from), path)); h != nil {
			return h
		}
	}
	for _, dir := range l.opt.IncludeDirs {
		at := filepath.Join(dir, path)
		if l.opt.Searches != nil && !l.opt.Searches(at) {
			continue
		}
		if h := l.header(at); h != nil {
			return h
		}
	}
	return nil
}

func (l *loader) header(path string) *header {
	path = cleanPath(path)
	l.mu.Lock()
	defer l.mu.Unlock()
	if h, ok := l.headers[path]; ok {
		return h
	}
	src, err := l.read(path)
	if err != nil || len(src) > MaxFileBytes || bytes.IndexByte(src, 0) >= 0 {
		l.headers[path] = nil
		return nil
	}
	h := &header{path, src, readDirectives(scanSource(src))}
	l.headers[path] = h
	return h
}

func readDirectives(sc *scan) directiveList {
	out := make([]directive, len(sc.directives))
	for i, s := range sc.directives {
		out[i] = parseDirective(sc.src, s)
	}
	return directiveList{out, guardIndex(out, sc.toks)}
}

// mentionsDevice reports whether text may hold code for the GPU.
func mentionsDevice(src []byte) bool {
	return slices.ContainsFunc([]string{"__device__", "__global__", "__shared__"}, func(word string) bool { return bytes.Contains(src, []byte(word)) })
}
