package nvcc

import (
	"context"
	"errors"
	"regexp"
	"strings"
)

// steps are the commands by which nvcc makes a cubin of a unit, as `nvcc --dryrun` lists
// them: the preprocessor, cicc (C++ to PTX) and ptxas. smux runs them itself where they are
// these three. That saves the pass over the unit by which nvcc alone lists headers. PTX is
// made for each architecture: cicc doesn't make the same of the same text for all of them.
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

// stepsOf asks nvcc for its steps, once for arguments that differ in the temporary folder alone:
// all else of the same units is the same. nil stands for steps that are not known.
func (t *Toolkit) stepsOf(ctx context.Context, p *program, o *overlay, args []string) (*steps, error) {
	const folder = "\x00folder\x00"
	key := strings.ReplaceAll(strings.Join(append([]string{p.cwd}, args...), "\x00\x00"), o.dir, folder)
	t.mutex.Lock()
	listed, known := t.listed[key]
	t.mutex.Unlock()
	if known {
		return readSteps(strings.ReplaceAll(listed, folder, o.dir)), nil
	}
	listed, err := t.call(ctx, p, o, nil, t.Path, append([]string{"--dryrun"}, args...))
	var refused *exitError
	if errors.As(err, &refused) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.listed == nil {
		t.listed = map[string]string{}
	}
	t.listed[key] = strings.ReplaceAll(listed, o.dir, folder)
	return readSteps(listed), nil
}

// errNoSteps reports that nvcc is to do it all itself.
var errNoSteps = errors.New("nvcc's steps are not those that are known")

// bySteps is nvcc with these arguments, step by step, and the list of headers in the file depends. It returns what
// ptxas prints. Where a step fails nvcc itself is to say why: the error is errNoSteps.
func (t *Toolkit) bySteps(ctx context.Context, p *program, o *overlay, args []string, depends string) (string, error) {
	s, err := t.stepsOf(ctx, p, o, args)
	if err != nil {
		return "", err
	}
	if s == nil {
		return "", errNoSteps
	}
	var refused *exitError
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
	if _, err := do(s.cicc); err != nil {
		return "", err
	}
	t.mutex.Lock()
	t.stepped++
	t.mutex.Unlock()
	return do(s.ptxas)
}
