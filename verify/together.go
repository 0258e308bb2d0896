package verify

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/translate"
)

// Variants of one program are much alike, and most of what compiling one costs is its headers and its host's part:
// several are compiled as one executable (build.BuildTogether), of which each run runs one. That must not show: what
// the runs of such an executable have against a variant counts for nothing, the variant is compiled by itself and run
// again.

// mostTogether is the largest number of variants that are compiled as one executable: beyond, little is saved.
const mostTogether = 12

// group is variants that are compiled together.
type group struct {
	subjects []*subject
	dir      string

	mu     sync.Mutex
	builds map[build.Mode]*groupBuild
}

// groupBuild is one build of a group; no programs where they can't be compiled together.
type groupBuild struct {
	once     sync.Once
	programs []*build.Program // in the order of the subjects
}

// groupSubjects puts variants that can be compiled together into groups, as many as there are jobs at least, so that
// they are compiled in parallel. What is to be kept for a person to look at is compiled by itself.
func (s *session) groupSubjects(subjects []*subject) {
	if s.Keep != "" {
		return
	}
	var alike [][]*subject
	for _, sub := range subjects {
		if len(sub.parsed.Files) != 1 || len(sub.program.Sources) > 0 {
			continue
		}
		i := slices.IndexFunc(alike, func(of []*subject) bool { return canJoin(of[0], sub) })
		if i < 0 {
			i, alike = len(alike), append(alike, nil)
		}
		alike[i] = append(alike[i], sub)
	}
	number := 0
	for _, of := range alike {
		size := min(mostTogether, (len(of)+s.Jobs-1)/s.Jobs)
		for members := range slices.Chunk(of, size) {
			if len(members) == 1 {
				continue
			}
			number++
			g := &group{subjects: members, dir: filepath.Join(s.scratch, fmt.Sprintf("together-%d", number)), builds: map[build.Mode]*groupBuild{}}
			for _, sub := range members {
				sub.group = g
			}
		}
	}
}

// canJoin reports whether two variants are compiled in the same way.
func canJoin(a, b *subject) bool {
	p, q := a.program, b.program
	return a.checked == b.checked && slices.Equal(p.IncludeDirs, q.IncludeDirs) && slices.Equal(p.Defines, q.Defines) &&
		slices.Equal(p.Libraries, q.Libraries)
}

// together returns a variant's program in the executable of its group, nil if there is none.
func (s *session) together(ctx context.Context, sub *subject, mode build.Mode) *build.Program {
	g := sub.group
	if g == nil {
		return nil
	}
	g.mu.Lock()
	b := g.builds[mode]
	if b == nil {
		b = &groupBuild{}
		g.builds[mode] = b
	}
	g.mu.Unlock()
	b.once.Do(func() { b.programs = s.compileGroup(ctx, g, mode) })
	if b.programs == nil {
		return nil
	}
	return b.programs[slices.Index(g.subjects, sub)]
}

// compileGroup compiles a group. Why it can't be does not matter: each of its
// variants is compiled by itself then, and reports its own errors.
func (s *session) compileGroup(ctx context.Context, g *group, mode build.Mode) []*build.Program {
	dir := filepath.Join(g.dir, string(mode))
	var units []*translate.Unit
	for i, sub := range g.subjects {
		translated, err := sub.translate(filepath.Join(dir, fmt.Sprint(i)), true)
		if err != nil {
			return nil
		}
		units = append(units, translated...)
	}
	request := g.subjects[0].request(mode, dir)
	request.Units = units
	programs, err := s.toolchain.BuildTogether(ctx, request)
	if err != nil {
		return nil
	}
	return programs
}

// doubtful takes the variants of which some run in a group's executable was not
// as it should be out of their groups, forgets those runs, and returns them.
func (s *session) doubtful() []*subject {
	var out []*subject
	for _, sub := range s.subjects {
		if sub.group == nil || s.isClean(sub) {
			continue
		}
		sub.group, sub.builds, sub.runs, sub.failures, sub.remarks = nil, nil, nil, nil, nil
		out = append(out, sub)
	}
	return out
}

// isClean reports whether nothing at all is to be said of a variant's runs.
func (s *session) isClean(sub *subject) bool {
	if len(sub.failures) > 0 || len(sub.runs) == 0 {
		return false
	}
	return !slices.ContainsFunc(sub.runs, func(r *run) bool {
		return r.result == nil || !r.judged || r.unjudged != nil || r.difference != nil || len(r.result.Report) > 0 || s.badEnd(sub, r) != nil
	})
}
