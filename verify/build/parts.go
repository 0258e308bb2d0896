package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/process"
)

// addressMacro is defined where the runtime is compiled for the address sanitizer.
const addressMacro = "SMUX_CPU_ADDRESS"

// runtimeObjects returns the objects of the runtime. The plain and the checked build share them, and with the
// address-checked one those of the files that don't read addressMacro.
func (t *Toolchain) runtimeObjects(ctx context.Context, m Mode) ([]string, error) {
	files, err := t.runtimeUnits()
	if err != nil {
		return nil, err
	}
	var flags, shared []string
	if m == Address {
		flags = []string{"-D" + addressMacro + "=1"}
		if shared, err = t.runtimeObjects(ctx, Plain); err != nil {
			return nil, err
		}
		files = slices.DeleteFunc(files, func(file string) bool { return !t.reads(file, addressMacro, map[string]bool{}) })
		shared = slices.DeleteFunc(shared, func(object string) bool {
			return slices.ContainsFunc(files, func(file string) bool { return objectName(file) == filepath.Base(object) })
		})
	}
	dir, err := t.part(runtimeName(m), func(dir string) error {
		for _, object := range shared {
			if err := appear(object, filepath.Join(dir, filepath.Base(object))); err != nil {
				return err
			}
		}
		return t.compileRuntime(ctx, dir, files, flags)
	})
	if err != nil {
		return nil, err
	}
	return filepath.Glob(filepath.Join(dir, "*.o"))
}

func (t *Toolchain) runtimeSource() string { return filepath.Join(t.CacheDir, "shim", "runtime") }

// runtimeUnits lists the files of the runtime that are compiled: all but those that another one includes. Most of what
// a file costs is reading the standard library's headers and making instances of its templates, so most of them
// are compiled together.
func (t *Toolchain) runtimeUnits() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(t.runtimeSource(), "*.cc"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("the shim has no runtime")
	}
	included := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range quotedInclude.FindAllSubmatch(text, -1) {
			included[filepath.Join(t.runtimeSource(), string(m[1]))] = true
		}
	}
	return slices.DeleteFunc(files, func(file string) bool { return included[file] }), nil
}

// quotedInclude matches how the shim's files include each other.
var quotedInclude = regexp.MustCompile(`(?m)^#include "([^"]+)"`)

// reads reports whether a file of the shim has a word, or includes one that has it.
// A file that can't be read is assumed to have it.
func (t *Toolchain) reads(file, word string, seen map[string]bool) bool {
	if seen[file] {
		return false
	}
	seen[file] = true
	text, err := os.ReadFile(file)
	if err != nil || bytes.Contains(text, []byte(word)) {
		return true
	}
	for _, m := range quotedInclude.FindAllSubmatch(text, -1) {
		for _, dir := range []string{filepath.Dir(file), t.runtimeSource(), t.include()} {
			if name := filepath.Join(dir, string(m[1])); isFile(name) && t.reads(name, word, seen) {
				return true
			}
		}
	}
	return false
}

func objectName(file string) string { return strings.TrimSuffix(filepath.Base(file), ".cc") + ".o" }

// compileRuntime compiles files of the runtime into dir. That is most of what the first program waits for: -O2 would take
// half as long again and make nothing faster, and frames of the runtime are left out of findings, which is
// all that debug information is for. The watchdog may interrupt a thread in here, and its stack is to
// lead to the program.
func (t *Toolchain) compileRuntime(ctx context.Context, dir string, files, flags []string) error {
	args := append([]string{standard, cpuMacro, "-DSMUX_CPU_RUNTIME=1"}, languageFlags...)
	args = append(append(args, flags...), "-I", t.include(), "-I", t.runtimeSource())
	return each(files, func(file string) error {
		level := "-O1"
		if filepath.Base(file) == coldUnit {
			level = "-Og"
		}
		return t.internal(ctx, dir, "compiling the runtime", append(slices.Clone(args), level, "-c", file, "-o", filepath.Join(dir, objectName(file))))
	})
}

// coldUnit is the file of the runtime of which nothing runs long.
const coldUnit = "unit_host.cc"

// precompiledAs returns where a header's precompiled form is to be in a
// folder, and the flags with which the compiler takes it from there.
func (c *Compiler) precompiledAs(dir, header string) (path string, use []string) {
	path = filepath.Join(dir, filepath.FromSlash(header))
	if c.Kind == Clang {
		path += ".pch"
		return path, []string{"-include-pch", path}
	}
	return path + ".gch", []string{"-I", dir, "-include", header}
}

// forced is the header that every translated file begins with.
const forced = "smux_cpu/cuda.h"

// precompiled returns the folder with the precompiled form of the forced header for a mode.
func (t *Toolchain) precompiled(ctx context.Context, m Mode) (string, error) {
	return t.part(precompiledPart(m), func(dir string) error {
		out, _ := t.Compiler.precompiledAs(dir, forced)
		if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
			return err
		}
		hooks, err := t.hooks(ctx, m)
		if err != nil {
			return err
		}
		args := append(append([]string{standard}, t.Compiler.language()...), hooks...)
		args = append(append(args, t.Compiler.modeFlags(m)...), "-I", t.include(), "-x", "c++-header",
			filepath.Join(t.include(), filepath.FromSlash(forced)), "-o", out)
		return t.internal(ctx, dir, "precompiling "+forced, args)
	})
}

// hooksMacro lets translated files have hooks of their own (smux_cpu/access_hooks.h).
const hooksMacro = "SMUX_CPU_HOOKS"

// hooks returns the flags that give the files of a mode hooks of their own: none where the compiler refuses what
// that takes, since these are functions that it knows by itself. Then they call those of the runtime, which is slower.
func (t *Toolchain) hooks(ctx context.Context, m Mode) ([]string, error) {
	if m != Checked || t.Compiler.Kind != GCC {
		return nil, nil
	}
	flags := []string{"-D" + hooksMacro + "=1"}
	const refused = "refused"
	dir, err := t.part("hooks", func(dir string) error {
		args := append(append([]string{standard}, t.Compiler.language()...), t.Compiler.modeFlags(m)...)
		args = append(append(args, flags...), "-I", t.include(), "-include", "smux_cpu/access_hooks.h",
			"-x", "c++", "-c", os.DevNull, "-o", filepath.Join(dir, "hooks.o"))
		out, err := t.command(ctx, dir, args)
		var full *process.OutOfMemoryError
		if err == nil || ctx.Err() != nil || errors.As(err, &full) {
			return err
		}
		return os.WriteFile(filepath.Join(dir, refused), []byte(out), 0o644)
	})
	if err != nil || isFile(filepath.Join(dir, refused)) {
		return nil, err
	}
	return flags, nil
}

// forcing returns the flags by which a program's file begins with the forced header, which is precompiled: that takes the
// first program of a mode a second more, and each later one half a second less.
func (t *Toolchain) forcing(ctx context.Context, m Mode) ([]string, error) {
	if m == Filled && t.Compiler.Kind == GCC {
		m = Plain // which it takes
	}
	dir, err := t.precompiled(ctx, m)
	if err != nil {
		return nil, err
	}
	_, args := t.Compiler.precompiledAs(dir, forced)
	return args, nil
}

// Prepared reports whether the runtime is there, which the first program waits for.
func (t *Toolchain) Prepared(modes ...Mode) bool {
	return !slices.ContainsFunc(modes, func(m Mode) bool { return !isDir(filepath.Join(t.CacheDir, runtimeName(m))) })
}

func precompiledPart(m Mode) string { return "precompiled-" + string(m) }

func runtimeName(m Mode) string {
	if m == Address {
		return "runtime-address"
	}
	return "runtime"
}

// internal compiles a part of the shim. Its failure is not a fault of a program.
func (t *Toolchain) internal(ctx context.Context, scratch, doing string, args []string) error {
	out, err := t.command(ctx, scratch, append(args, t.Compiler.messageFlags()...))
	if err == nil || ctx.Err() != nil {
		return err
	}
	said := parseDiagnostics(out)
	if len(said) == 0 {
		return fmt.Errorf("%s with %s: %w: %s", doing, t.Compiler.Path, err, strings.TrimSpace(out))
	}
	return fmt.Errorf("%s with %s: %s:%d: %s", doing, t.Compiler.Path, said[0].file, said[0].line, said[0].text)
}
