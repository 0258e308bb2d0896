package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
	"github.com/smux-cuda/smux/verify/translate"
)

// subject is a program that is judged: the original or a variant.
type subject struct {
	name    string
	program *Program
	places  *places // from the variant's lines to the original's, nil for the original
	dir     string  // its translated files and builds
	parsed  *parser.Program
	checked bool   // the checked build is run alone
	group   *group // with which it is compiled, nil: by itself

	mu       sync.Mutex
	builds   map[build.Mode]*buildOnce
	runs     []*run
	explored []Explored // by argument list
	failures []Failure
	absent   []string // headers that it asks for and nobody has
	remarks  []diag.Message
	err      error // what is not a property of the program
}

// buildOnce is one build of a program.
type buildOnce struct {
	once    sync.Once
	program *build.Program
}

// run is one run of one build of a program.
type run struct {
	mode       build.Mode
	args       int // index in Request.Args
	order      execute.Schedule
	result     *execute.Result
	difference *Difference   // from the original's run in the first order, nil if equal
	log        string        // the log of copies, kept for the reference only
	judged     bool          // the program could be run to some end
	explored   bool          // its order is one of all
	results    int           // of a C program that were found equal among its copies
	unlike     bool          // of the original's checked build: its output is not the plain one's
	unjudged   *diag.Message // why not, of a variant whose plain runs may suffice
}

// isFatal reports whether a finding ended the run.
func (r *run) isFatal() bool { return r.result != nil && r.result.End != nil && r.result.End.Fatal }

// fail notes why the program can't be judged.
func (sub *subject) fail(m diag.Message, output []byte) {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	if m.Help == "" {
		m.Help = diag.Help(m.Code)
	}
	f := Failure{Variant: sub.name, Message: m, Output: string(output)}
	same := func(o Failure) bool { o.Message.Pos.Column = m.Pos.Column; return o.Message == m } // builds tell columns apart
	if !slices.ContainsFunc(sub.failures, same) {
		sub.failures = append(sub.failures, f)
	}
}

// broken notes an error that is not a property of the program.
func (sub *subject) broken(err error) {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	sub.err = cmp.Or(sub.err, err)
}

// add keeps a run for the verdict.
func (sub *subject) add(r *run) {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	sub.runs = append(sub.runs, r)
}

// find returns a run, nil if it was not made.
func (sub *subject) find(mode build.Mode, args int, order execute.Schedule) (found *run) {
	sub.anyRun(func(r *run) bool {
		if r.mode == mode && r.args == args && r.order == order {
			found = r
		}
		return found != nil
	})
	return found
}

// anyRun reports whether a run is so.
func (sub *subject) anyRun(so func(r *run) bool) bool {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	return slices.ContainsFunc(sub.runs, so)
}

// prepare parses a program.
func (s *session) prepare(sub *subject) error {
	if sub.parsed != nil {
		return nil
	}
	parsed, err := sub.program.parse()
	var input *parser.InputError
	if errors.As(err, &input) {
		sub.fail(input.Message(), nil)
		return err
	}
	if err == nil && !hasMain(sub.program, parsed) {
		err = diag.Message{Pos: diag.Position{File: sub.program.name()}, Code: CodeNoMain, Text: "the program has no main function"}
		sub.fail(err.(diag.Message), nil)
		return err
	}
	if err != nil {
		sub.broken(err)
		return err
	}
	sub.parsed = parsed
	return nil
}

// translate translates a program for one build. Each build has files of its own, since several are made at a time.
func (sub *subject) translate(dir string, part bool) ([]*translate.Unit, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	var units []*translate.Unit
	headers, own := sub.headers(), translate.OwnVariables(sub.parsed)
	for i, f := range sub.parsed.Files {
		unit, err := translate.Translate(f, headers, translate.Options{
			Parse: sub.program.parserOptions(),
			Dir:   filepath.Join(dir, fmt.Sprintf("unit%d", i)),
			Own:   own,
			Part:  part,
		})
		if err != nil {
			return nil, fmt.Errorf("translating %s: %w", f.Name, err)
		}
		units = append(units, unit)
	}
	return units, nil
}

// headers returns what the program's files include. One that is compiled by itself, too, is among them.
func (sub *subject) headers() map[string]*parser.File {
	headers := map[string]*parser.File{}
	maps.Copy(headers, sub.parsed.Headers)
	included := map[string]bool{}
	for _, f := range slices.Concat(sub.parsed.Files, slices.Collect(maps.Values(headers))) {
		for _, inc := range f.Includes {
			included[inc.File] = true
		}
	}
	for _, f := range sub.parsed.Files {
		if path := filepath.ToSlash(filepath.Clean(f.Name)); included[path] {
			headers[path] = f
		}
	}
	return headers
}

var mainFunction = regexp.MustCompile(`\b(main|wmain|WinMain)\b`)

// hasMain reports whether a program may have a main function: where none of its
// files has the word, it certainly has not.
func hasMain(p *Program, parsed *parser.Program) bool {
	for _, f := range parsed.Files {
		if mainFunction.Match(f.Src) {
			return true
		}
	}
	for _, f := range parsed.Headers {
		if mainFunction.Match(f.Src) {
			return true
		}
	}
	for _, name := range p.Sources {
		text, err := os.ReadFile(name)
		if err != nil || mainFunction.Match(text) {
			return true
		}
	}
	return len(p.Libraries) > 0 // a test framework's, for example
}

// build compiles a program in one mode, once. nil means that it could not be.
func (s *session) build(ctx context.Context, sub *subject, mode build.Mode) *build.Program {
	sub.mu.Lock()
	if sub.builds == nil {
		sub.builds = map[build.Mode]*buildOnce{}
	}
	b := sub.builds[mode]
	if b == nil {
		b = &buildOnce{}
		sub.builds[mode] = b
	}
	sub.mu.Unlock()
	b.once.Do(func() {
		if b.program = s.together(ctx, sub, mode); b.program == nil {
			b.program = s.compile(ctx, sub, mode)
		}
	})
	return b.program
}

// compile compiles a program and notes why it could not be.
func (s *session) compile(ctx context.Context, sub *subject, mode build.Mode) *build.Program {
	dir := filepath.Join(sub.dir, string(mode))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		sub.broken(err)
		return nil
	}
	units, err := sub.translate(dir, false)
	if err != nil {
		sub.broken(err)
		return nil
	}
	if mode == build.Plain {
		for _, u := range units {
			sub.remarks = append(sub.remarks, u.Remarks...)
		}
	}
	request := sub.request(mode, dir)
	request.Units, request.OnDisk = units, sub.program.isOnDisk()
	program, err := s.toolchain.Build(ctx, request)
	var refused *build.CompileError
	switch {
	case err == nil:
		return program
	case errors.As(err, &refused):
		sub.absent = refused.Headers()
		for _, m := range refused.Messages[:min(len(refused.Messages), maxCompileErrors)] {
			m.Pos = sub.places.show(m.Pos)
			sub.fail(m, []byte(refused.Output))
		}
		if len(refused.Messages) == 0 {
			sub.fail(diag.Message{Code: CodeDoesNotCompile, Text: "the compiler refuses the translated program"}, []byte(refused.Output))
		}
	case ctx.Err() != nil:
	default:
		sub.broken(fmt.Errorf("compiling %s: %w", sub.name, err))
	}
	return nil
}

// request asks for a build of the program, but for its translated files.
func (sub *subject) request(mode build.Mode, dir string) build.Request {
	p := sub.program
	r := build.Request{
		Mode: mode, Dir: dir,
		Sources: p.Sources, IncludeDirs: p.IncludeDirs, Defines: p.Defines, Libraries: p.Libraries,
	}
	if p.Followed != nil {
		name := filepath.Join(dir, "followed.c")
		if err := os.WriteFile(name, p.Followed, 0o666); err != nil {
			sub.broken(err)
		}
		r.Sources, r.IncludeDirs = []string{name}, append([]string{filepath.Dir(p.Sources[0])}, p.IncludeDirs...)
	}
	return r
}

// maxCompileErrors is the number of a compiler's messages that are passed on.
const maxCompileErrors = 5

// folderName makes a folder's name of a program's.
func folderName(i int, name string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '=', r == '_':
			return r
		}
		return '-'
	}, filepath.Base(name))
	return fmt.Sprintf("%d-%s", i, plain)
}
