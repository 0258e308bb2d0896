package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
)

// measureExtents makes the runtime tell how far each array is accessed, in place of
// what lies outside.
const measureExtents = "SMUX_EXTENTS=1"

// reportExtent is the code of the records that tell it.
const reportExtent = diag.Code("extent")

// Extents runs the original of a request once, in the first order, and returns how many bytes
// of each array in device memory it accesses from the beginning on, by the number of the
// allocation in the program, from 0. Accesses past an end are no finding there: they read
// zeros. An array is missing where the program did not come to it, or can't be built; Run
// says why.
func Extents(ctx context.Context, r Request) (map[int]int64, error) {
	s := &session{Request: r.withDefaults()}
	compiler, err := build.Find(s.Compiler)
	if err != nil {
		return nil, nil
	}
	if s.scratch, err = disk.TempDir("", "smux-extents-"); err != nil {
		return nil, fmt.Errorf("making a scratch folder: %w", err)
	}
	defer disk.Remove(s.scratch)
	if s.toolchain, err = build.Open(compiler, s.CacheDir); err != nil {
		return nil, fmt.Errorf("preparing the compiler: %w", err)
	}
	defer s.toolchain.Close()
	if s.Preparing != nil && !s.toolchain.Prepared(build.Checked) {
		s.Preparing(compiler.Path)
	}
	s.Keep, s.Variants = "", nil
	s.addSubjects()
	if s.prepare(s.original) != nil {
		return nil, s.internalError()
	}
	begun, path, out := time.Now(), s.keptAt("extents"), map[int]int64{}
	if recall(path, &out) {
		return out, nil
	}
	program := s.build(ctx, s.original, build.Checked)
	if program == nil {
		return nil, s.internalError()
	}
	result, err := execute.Run(ctx, program, execute.Options{
		Schedule: s.Schedules[0], Args: s.Args[0], Dir: s.Dir, Timeout: s.Timeout, Watchdog: s.Watchdog, Env: []string{measureExtents}})
	if err != nil {
		return nil, err
	}
	for _, f := range result.Report {
		if f.Code == reportExtent {
			out[int(f.Offset)] = f.Bytes
		}
	}
	if !result.TimedOut {
		s.keep(path, out, begun)
	}
	return out, nil
}
