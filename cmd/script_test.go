//go:build unix

package cmd

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/process"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify/build"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

// TestMain offers programs to the scripts: smux itself, smux-fake, whose rewrite is the
// one of fakeRewrite (for scripts about what happens around a rewrite), smux-wrong,
// whose rewrite is wrongRewrite, and smux-panic, which has a defect. The rewrites of
// smux-endless and smux-patient do not end; smux-patient gives them an hour to return
// once it is asked to end.
func TestMain(m *testing.M) {
	program := func(change func(*session)) func() {
		return func() {
			signal.Ignore(syscall.SIGPIPE)
			s := newSession(os.Stdin, os.Stdout, os.Stderr)
			s.nvidiaSMI, s.findNVCC = fakeNVIDIASMI, scriptNVCC
			s.completing, s.examining = time.Minute, time.Minute // the machine may have other work
			change(s)
			os.Exit(s.main(os.Args[1:]))
		}
	}
	testscript.Main(m, map[string]func(){
		"smux":         program(func(*session) {}),
		"smux-fake":    program(func(s *session) { s.rewrite = fakeRewrite }),
		"smux-wrong":   program(func(s *session) { s.rewrite = wrongRewrite }),
		"smux-endless": program(func(s *session) { s.rewrite = endlessRewrite }),
		"smux-patient": program(func(s *session) { s.rewrite, s.Grace = endlessRewrite, time.Hour }),
		"smux-panic": program(func(s *session) {
			s.rewrite = func(*analysis.Program, rewrite.Options) (*rewrite.Result, error) {
				panic("the rewriter slipped")
			}
		}),
	})
}

// endlessRewrite says in a file that it has begun.
func endlessRewrite(*analysis.Program, rewrite.Options) (*rewrite.Result, error) {
	if err := os.WriteFile(os.Getenv(begunFile), nil, 0o666); err != nil {
		panic(err)
	}
	for {
	}
}

// begunFile is the variable of the environment that names the file of endlessRewrite.
const begunFile = "SMUX_TEST_BEGUN"

func TestScripts(t *testing.T) {
	prepareRuntime()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// The runtime of package verify takes seconds to compile: once is enough.
			dir, err := os.UserCacheDir()
			if err == nil {
				env.Setenv("XDG_CACHE_HOME", dir)
			}
			cudart, err := filepath.Abs("../tune/machine/testdata/cudart.cc")
			if err != nil {
				return err
			}
			env.Setenv("CUDART", cudart)
			// A PATH with nothing on it but smux.
			env.Setenv("ONLY_SMUX", filepath.SplitList(env.Getenv("PATH"))[0])
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Getuid() == 0, nil
			}
			if name, ok := strings.CutPrefix(cond, "exists:"); ok {
				_, err := os.Stat(name)
				return err == nil, nil
			}
			if cond == "full" { // make test-full
				return suite.Full(), nil
			}
			if cond == "cxx" { // a C++ compiler to run programs with
				_, err := build.Find("")
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   exits,
			"fill":    fill,
			"mode":    mode,
			"mkfifo":  mkfifo,
			"convert": convert,
		},
	})
}

// fakeNVIDIASMI prints the file that FAKE_NVIDIA_SMI names, so that no script
// depends on the GPUs of the machine that it runs on. Asked for devices,
// clocks or the driver, it prints that with .devices, .clocks or .driver after its name.
func fakeNVIDIASMI(_ context.Context, args ...string) (string, error) {
	name := os.Getenv("FAKE_NVIDIA_SMI")
	if name == "" {
		return "", process.ErrNoDriver
	}
	switch query := strings.Join(args, " "); {
	case strings.Contains(query, "uuid"):
		name += ".devices"
	case strings.Contains(query, "temperature"):
		name += ".clocks"
	case strings.Contains(query, "driver"):
		name += ".driver"
	}
	out, err := os.ReadFile(name)
	return string(out), err
}

// scriptNVCC finds the stand-in for nvcc of a script, and that of the machine only
// where the script sets REAL_NVCC: what the others show is the same everywhere.
func scriptNVCC() (*nvcc.Toolkit, error) {
	t, err := nvcc.Find()
	if err == nil && os.Getenv("REAL_NVCC") == "" && !strings.HasPrefix(t.Path, os.Getenv("WORK")) {
		return noNVCC()
	}
	return t, err
}

// fakeRewrite stands in for the real rewriter: each kernel k becomes k_vtb in
// all files, except that kernels called keep… are refused. Kernels called
// note… come with a note.
func fakeRewrite(analysed *analysis.Program, opt rewrite.Options) (*rewrite.Result, error) {
	prog := analysed.Parsed
	result := &rewrite.Result{}
	after := map[string][]byte{}
	for _, file := range prog.Files {
		after[file.Name] = file.Src
	}
	for _, file := range prog.Files {
		for _, f := range file.Functions {
			if !f.IsKernel() || f.Body == nil || !selected(f.Name, opt.Kernels) {
				continue
			}
			k := rewrite.KernelResult{Name: f.Name, Pos: file.Position(f.Start)}
			switch {
			case strings.HasPrefix(f.Name, "keep"):
				k.Refused = []diag.Message{{Pos: k.Pos, Code: "test-refusal", Text: "its name says so", Help: "rename it"}}
			case !strings.HasSuffix(f.Name, "_vtb"):
				k.Rewriter, k.Factor, k.Sync = "vtb", opt.Factor, "block"
				word := regexp.MustCompile(`\b` + f.Name + `\b`)
				for name, src := range after {
					after[name] = word.ReplaceAll(src, []byte(f.Name+"_vtb"))
				}
			}
			if strings.HasPrefix(f.Name, "note") {
				k.Notes = []diag.Message{{Pos: k.Pos, Code: "test-note", Text: "remember this"}}
			}
			result.Kernels = append(result.Kernels, k)
		}
	}
	for _, file := range prog.Files {
		if !bytes.Equal(file.Src, after[file.Name]) {
			result.Files = append(result.Files, rewrite.FileResult{Name: file.Name, Before: file.Src, After: after[file.Name]})
		}
	}
	return result, nil
}

// wrongRewrite changes every kernel by a comment after its opening brace, and
// the kernel bad so that it stores 2 instead of 1.
func wrongRewrite(prog *analysis.Program, opt rewrite.Options) (*rewrite.Result, error) {
	file := prog.Parsed.Files[0]
	result, after := &rewrite.Result{}, file.Src
	for _, f := range file.Functions {
		at := summary.Position(prog.Kernel(file, f))
		if d, decided := opt.Decisions[at]; !f.IsKernel() || !selected(f.Name, opt.Kernels) || decided && d.Rewriter == "" {
			continue
		}
		body := regexp.MustCompile(f.Name + `(\(int \*a\)) \{ \*a = 1`)
		value := "1"
		if f.Name == "bad" {
			value = "2"
		}
		after = body.ReplaceAll(after, []byte(f.Name+"$1 { /* by hand */ *a = "+value))
		result.Kernels = append(result.Kernels, rewrite.KernelResult{Variant: rewrite.Variant{Rewriter: "vtb", Factor: 2, Sync: "block"}, Name: f.Name, Pos: at})
	}
	if !bytes.Equal(after, file.Src) {
		result.Files = []rewrite.FileResult{{Name: file.Name, Before: file.Src, After: after}}
	}
	return result, nil
}

func selected(name string, patterns []string) bool {
	for _, p := range patterns {
		if ok, _ := path.Match(p, name); ok {
			return true
		}
	}
	return len(patterns) == 0
}

// exits runs a program and checks its exit code: exits 2 smux rewrite x.cu
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARGS…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// fill writes a file that a script cannot hold: fill NAME KIND [N]
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fill NAME KIND [N]")
	}
	n := 0
	if len(args) > 2 {
		var err error
		n, err = strconv.Atoi(args[2])
		ts.Check(err)
	}
	var data []byte
	switch args[1] {
	case "comment": // N bytes of valid source
		line := "// nothing to see here, but much of it, line after line after line\n"
		data = []byte(strings.Repeat(line, n/len(line)+1))
	case "braces": // N nested blocks
		data = []byte("void f() " + strings.Repeat("{", n) + strings.Repeat("}", n) + "\n")
	case "parens": // N nested parentheses
		data = []byte("int x = " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) + ";\n")
	case "open": // N braces that are never closed
		data = []byte("void f() " + strings.Repeat("{", n))
	case "binary":
		data = []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e\x00")
	case "latin1":
		data = []byte("// Gr\xfc\xdfe\n__global__ void k() { int stra\xdfe = 1; }\n")
	case "latin1-comment":
		data = []byte("// Gr\xfc\xdfe\nint x;\n")
	default:
		ts.Fatalf("fill knows no %q", args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o666))
}

// mode checks the permissions of a file: mode 640 x.cu
func mode(ts *testscript.TestScript, neg bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := fmt.Sprintf("%o", info.Mode().Perm()); (got == args[0]) == neg {
		ts.Fatalf("mode of %s is %s", args[1], got)
	}
}

// mkfifo makes a named pipe.
func mkfifo(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o666))
}

// convert changes a text file into one that a script cannot hold:
// convert crlf|bare|bom NAME
func convert(ts *testscript.TestScript, neg bool, args []string) {
	file := ts.MkAbs(args[1])
	data, err := os.ReadFile(file)
	ts.Check(err)
	switch args[0] {
	case "crlf":
		data = bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
	case "bare": // no newline at the end
		data = bytes.TrimRight(data, "\n")
	case "bom":
		data = append([]byte("\xef\xbb\xbf"), data...)
	default:
		ts.Fatalf("convert knows no %q", args[0])
	}
	ts.Check(os.WriteFile(file, data, fs.FileMode(0o666)))
}
