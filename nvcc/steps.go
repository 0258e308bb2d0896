package nvcc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// steps are the commands by which nvcc makes a cubin of a unit, as `nvcc --dryrun` lists
// them: the preprocessor, cicc (C++ to PTX) and ptxas. smux runs them itself where they are
// these three. That saves the pass over the unit by which nvcc alone lists headers, and
// PTX is made once for architectures that read the same text.
type steps struct {
	env        []string // NAME=VALUE
	preprocess string
	cicc       string
	ptxas      string
	text       string // the file that the preprocessor writes
	ptx        string // and cicc
}

var (
	assignment   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)
	preprocesses = regexp.MustCompile(`^\S*(gcc|g\+\+|clang|clang\+\+|c\+\+|cc)[-.0-9]*"? .* -E .*-o "([^"]+\.ii)"\s*$`)
	callsCICC    = regexp.MustCompile(`^\S*\bcicc"? .*-arch (compute_\w+) .*"([^"]+\.ii)"\s+-o "([^"]+\.ptx)"\s*$`)
	callsPTXAS   = regexp.MustCompile(`^\S*\bptxas"? .*"([^"]+\.ptx)"`)
)

// readSteps reads what --dryrun prints; nil for anything but the three steps.
func readSteps(text string) *steps {
	s := &steps{}
	for line := range strings.Lines(text) {
		line, listed := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "#$ ")
		if !listed {
			return nil
		}
		if assignment.MatchString(line) {
			s.env = append(s.env, line)
			continue
		}
		at := 0
		for _, done := range []string{s.preprocess, s.cicc, s.ptxas} {
			if done != "" {
				at++
			}
		}
		switch at {
		case 0:
			if m := preprocesses.FindStringSubmatch(line); m != nil {
				s.preprocess, s.text = line, m[2]
			}
		case 1:
			if m := callsCICC.FindStringSubmatch(line); m != nil && m[2] == s.text {
				s.cicc, s.ptx = line, m[3]
			}
		case 2:
			if m := callsPTXAS.FindStringSubmatch(line); m != nil && m[1] == s.ptx {
				s.ptxas = line
				continue
			}
		}
		if before := []string{s.preprocess, s.cicc, s.ptxas}[min(at, 2)]; before == "" || at > 2 {
			return nil
		}
	}
	if s.ptxas == "" {
		return nil
	}
	return s
}

// errNoSteps reports that nvcc is to do it all itself.
var errNoSteps = errors.New("nvcc's steps are not those that are known")

// bySteps is nvcc with these arguments, step by step, and the list of headers in the file
// depends. It returns what ptxas prints. Where a step fails nvcc itself is to say why:
// the error is errNoSteps.
func (t *Toolkit) bySteps(ctx context.Context, p *program, o *overlay, args []string, depends string) (string, error) {
	listed, err := t.call(ctx, p, o, nil, t.Path, append([]string{"--dryrun"}, args...))
	var refused *exitError
	if err != nil && !errors.As(err, &refused) {
		return "", err
	}
	s := readSteps(listed)
	if err != nil || s == nil {
		return "", errNoSteps
	}
	do := func(command string) (string, error) {
		out, err := t.call(ctx, p, o, s.env, "/bin/sh", []string{"-c", command})
		if errors.As(err, &refused) {
			err = errNoSteps
		}
		return out, err
	}
	t.count()
	if _, err := do(s.preprocess + ` -MD -MF "` + depends + `"`); err != nil {
		return "", err
	}
	if err := t.assembly(ctx, s, o, func() error { _, err := do(s.cicc); return err }); err != nil {
		return "", err
	}
	return do(s.ptxas)
}

// made is the PTX of a text, once it is there.
type made struct {
	done   chan struct{}
	ptx    string // "" where cicc failed
	folder string // of the overlay in whose name it was made
	arch   string // that it is for: "compute_75"
}

// mostMade is how many texts' PTX is kept.
const mostMade = 32

// assembly sees to it that the PTX of a unit is there: it is made once for each text that
// the preprocessor leaves. Architectures for which that is the same, name for name, get
// the same PTX but for the line that names them; that holds for all of 36 samples whose
// PTX was compared for sm_70 with sm_75 and for sm_80 with sm_86.
func (t *Toolkit) assembly(ctx context.Context, s *steps, o *overlay, cicc func() error) error {
	text, err := os.ReadFile(s.text)
	if err != nil {
		return errNoSteps
	}
	arch := callsCICC.FindStringSubmatch(s.cicc)[1]
	command := passNames.ReplaceAllString(strings.ReplaceAll(s.cicc, "-arch "+arch+" ", "-arch ? "), "tmpxft_")
	key := hash(strings.ReplaceAll(string(text), o.dir, "?"), strings.ReplaceAll(command, o.dir, "?"))
	t.mutex.Lock()
	m := t.made[key]
	first := m == nil
	if first {
		m = &made{done: make(chan struct{}), folder: o.dir, arch: arch}
		if t.made == nil {
			t.made = map[string]*made{}
		}
		if t.keys = append(t.keys, key); len(t.keys) > mostMade {
			delete(t.made, t.keys[0])
			t.keys = slices.Delete(t.keys, 0, 1)
		}
		t.made[key] = m
	}
	t.mutex.Unlock()
	if first {
		defer close(m.done)
		if err := cicc(); err != nil {
			return err
		}
		ptx, err := os.ReadFile(s.ptx)
		if err != nil {
			return errNoSteps
		}
		m.ptx = string(ptx)
		return nil
	}
	<-t.slots // another one works on it
	select {
	case <-m.done:
	case <-ctx.Done():
	}
	t.slots <- struct{}{}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	ptx, known := m.as(arch, o.dir)
	if !known {
		return cicc()
	}
	if err := os.WriteFile(s.ptx, []byte(ptx), 0o644); err != nil {
		return fmt.Errorf("writing PTX: %w", err)
	}
	return nil
}

// passNames are how nvcc calls what it makes in between.
var passNames = regexp.MustCompile(`tmpxft_[0-9a-f]+_[0-9a-f]+-[0-9a-f]+_`)

var targetLine = regexp.MustCompile(`(?m)^\.target sm_\w+$`)

// as is the PTX for another architecture, made in another folder.
func (m *made) as(arch, folder string) (string, bool) {
	if m.ptx == "" || len(targetLine.FindAllString(m.ptx, 2)) != 1 {
		return "", false
	}
	ptx := targetLine.ReplaceAllLiteralString(m.ptx, ".target sm_"+strings.TrimPrefix(arch, "compute_"))
	return strings.ReplaceAll(ptx, m.folder, folder), true
}
