package build

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/smux-cuda/smux/internal/process"
)

// The kinds of compilers that are known.
const (
	GCC   = "g++"
	Clang = "clang++"
)

// Compiler is a C++ compiler that runs on this machine.
type Compiler struct {
	Path    string // absolute
	Kind    string // GCC or Clang
	Version string // the first line of --version, and the machine it compiles for
}

// Find returns the C++ compiler that was asked for, by name or path. Without a preference it is $CXX where that is
// set, else the first of g++, clang++ and c++ that is installed. The error is a *NoCompilerError.
func Find(preferred string) (*Compiler, error) {
	if preferred == "" {
		preferred = os.Getenv("CXX")
	}
	if preferred != "" {
		return identify(preferred)
	}
	for _, name := range []string{"g++", "clang++", "c++"} {
		if c, err := identify(name); err == nil {
			return c, nil
		}
	}
	return nil, &NoCompilerError{Reason: "neither g++ nor clang++ is on the path"}
}

// identify asks a program whether it is g++ or clang++.
func identify(name string) (*Compiler, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, &NoCompilerError{name, "there is no such program"}
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, &NoCompilerError{name, err.Error()}
	}
	// A program that does not answer is not a compiler; nobody should wait for it.
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	version, err := process.Command(ctx, path, "--version").Output()
	if err != nil {
		return nil, &NoCompilerError{name, fmt.Sprintf("%s --version: %v", path, err)}
	}
	kind := kindOf(string(version))
	if kind == "" {
		return nil, &NoCompilerError{name, "it is neither g++ nor clang++"}
	}
	machine, err := process.Command(ctx, path, "-dumpmachine").Output()
	if err != nil {
		return nil, &NoCompilerError{name, fmt.Sprintf("%s -dumpmachine: %v", path, err)}
	}
	first, _, _ := strings.Cut(string(version), "\n")
	return &Compiler{path, kind, strings.TrimSpace(first) + " for " + strings.TrimSpace(string(machine))}, nil
}

// kindOf distinguishes compilers by what --version prints: g++ begins with its
// own name, whatever it is called, and names its owner.
func kindOf(version string) string {
	switch {
	case strings.Contains(version, "clang version"):
		return Clang
	case strings.Contains(version, "Free Software Foundation"):
		return GCC
	}
	return ""
}
