package translate_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/translate"
)

var update = flag.Bool("update", false, "write what the code does into the goldens")

const (
	casesDir = "../../testdata/translate"
	shimDir  = "../shim/include"
	// The cases lie in memory, so that no path of a machine gets into a golden.
	sourceDir, outputDir = "/src", "/out"
)

// translateCase is one archive: input.cu and its headers, then what comes out
// of them, in sections that begin with "output ". A line "input: crlf bom bare"
// in the comment says what an archive can't hold.
type translateCase struct {
	name    string
	archive *txtar.Archive
	sources map[string][]byte
}

func loadCases(t testing.TB) (out []translateCase) {
	paths, err := filepath.Glob(filepath.Join(casesDir, "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		c := translateCase{strings.TrimSuffix(filepath.Base(path), ".txtar"), archive, map[string][]byte{}}
		for _, f := range archive.Files {
			if !strings.HasPrefix(f.Name, "output ") {
				c.sources[sourceDir+"/"+f.Name] = asInput(f.Data, string(archive.Comment))
			}
		}
		out = append(out, c)
	}
	return out
}

func asInput(data []byte, comment string) []byte {
	_, words, _ := strings.Cut(comment, "input: ")
	for _, w := range strings.Fields(words) {
		switch w {
		case "crlf":
			data = bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
		case "bom":
			data = append([]byte("\xef\xbb\xbf"), data...)
		case "bare":
			data = bytes.TrimRight(data, "\r\n")
		}
	}
	return data
}

// visible makes what a txtar archive can't hold readable.
func visible(b []byte) []byte {
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("<CR>\n"))
	if !bytes.HasSuffix(b, []byte("\n")) {
		b = append(b, "<no line break>\n"...)
	}
	return b
}

func (c *translateCase) options() translate.Options {
	return translate.Options{Dir: outputDir, Parse: parser.Options{ReadFile: func(name string) ([]byte, error) {
		if b, ok := c.sources[name]; ok {
			return b, nil
		}
		return nil, errors.New("no such file")
	}}}
}

func (c *translateCase) run(t testing.TB) *translate.Unit {
	opt := c.options()
	p, errs := parser.LoadProgram([]string{sourceDir + "/input.cu"}, opt.Parse)
	require.Empty(t, errs)
	u, err := translate.Translate(p.Files[0], p.Headers, opt)
	require.NoError(t, err)
	return u
}

func TestGolden(t *testing.T) {
	for _, c := range loadCases(t) {
		t.Run(c.name, func(t *testing.T) {
			u := c.run(t)
			var got []txtar.File
			for _, f := range u.Files {
				require.Equal(t, outputDir, filepath.Dir(f.Path))
				got = append(got, txtar.File{Name: "output " + filepath.Base(f.Path), Data: visible(f.Text)})
			}
			remarks := ""
			for _, r := range u.Remarks {
				remarks += r.String() + "\n"
			}
			if remarks != "" {
				got = append(got, txtar.File{Name: "output remarks", Data: []byte(remarks)})
			}
			var sources, want []txtar.File
			for _, f := range c.archive.Files {
				if strings.HasPrefix(f.Name, "output ") {
					want = append(want, f)
				} else {
					sources = append(sources, f)
				}
			}
			if *update {
				c.archive.Files = append(sources, got...)
				require.NoError(t, os.WriteFile(filepath.Join(casesDir, c.name+".txtar"), txtar.Format(c.archive), 0o644))
				return
			}
			require.Equal(t, string(txtar.Format(&txtar.Archive{Files: want})), string(txtar.Format(&txtar.Archive{Files: got})))
		})
	}
}

// notPrograms are cases that are not C++ on purpose.
var notPrograms = map[string]bool{"broken": true, "host-device": true}

func TestOutputCompiles(t *testing.T) {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("no g++")
	}
	if _, err := os.Stat(filepath.Join(shimDir, "smux_cpu/cuda.h")); err != nil {
		t.Skip("no shim")
	}
	for _, c := range loadCases(t) {
		if notPrograms[c.name] {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			u := c.run(t)
			dir := t.TempDir()
			for _, f := range u.Files {
				text := bytes.ReplaceAll(f.Text, []byte(`include "`+outputDir+"/"), []byte(`include "`+dir+"/"))
				require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(f.Path)), text, 0o644))
			}
			out, err := exec.Command(compiler, "-std=gnu++17", "-w", "-fsyntax-only", "-I", shimDir, "-include", "smux_cpu/cuda.h",
				filepath.Join(dir, filepath.Base(u.Files[0].Path))).CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
	}
}
