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

// Extent holds the memory that a run needs, and the branches that it comes to.
type Extent struct {
	Bytes   map[int]int64    // that are accessed of each array in device memory from its beginning on, by the number of the allocation, from 0
	Reached map[uint32]int64 // how often each branch is, by translate.Branch's ID, of a run that ended well
}

// mostLate is the number of runs that may meet the timeout: no more are made after them.
const mostLate = 2

// Extents runs the original of a request in the first order, once with each argument list. Accesses past an end are no finding there: they read
// zeros. An array is missing where the program did not come to it, and all that a run tells where it can't be built, or made; Run says why.
func Extents(ctx context.Context, r Request) ([]Extent, error) {
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
	begun, path, out, late := time.Now(), s.keptAt("extents"), make([]Extent, len(s.Args)), 0
	if recall(path, &out) {
		return out, nil
	}
	program := s.build(ctx, s.original, build.Checked)
	if program == nil {
		return nil, s.internalError()
	}
	for i, args := range s.Args {
		result, err := execute.Run(ctx, program, execute.Options{
			Schedule: s.Schedules[0], Args: args, Dir: s.Dir, Timeout: s.Timeout, Watchdog: s.Watchdog, Env: []string{measureExtents}})
		if err != nil {
			return nil, err
		}
		out[i].Bytes = map[int]int64{}
		for _, f := range result.Report {
			if f.Code == reportExtent {
				out[i].Bytes[int(f.Offset)] = f.Bytes
			}
		}
		if result.End != nil && !result.End.Fatal && result.Exit == 0 {
			out[i].Reached = result.End.Reached
		}
		if result.TimedOut {
			if late++; late == mostLate {
				break
			}
		}
	}
	if late == 0 {
		s.keep(path, out, begun)
	}
	return out, nil
}
