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

// measureExtents makes the runtime tell how far each array is accessed, in place of what lies outside.
const measureExtents = "SMUX_EXTENTS=1"

// reportExtent is the code of the records that tell it.
const reportExtent = diag.Code("extent")

// Extent holds the memory that a run needs, and the branches that it comes to.
type Extent struct {
	Bytes   map[int]int64    // that are accessed of each array in device memory from its beginning on, by the number of the allocation, from 0
	Reached map[uint32]int64 // how often each branch is, by translate.Branch's ID, of a run that ended well
	Late    bool             // it met the timeout
	Absent  []string         // headers without which the program can't be built
}

// Extents has the original of a request run in the first order, with lists of arguments and an environment. Accesses past an end are no
// finding there: they read zeros. An array is missing where the program did not come to it, and all that a run tells where it can't be built;
// Run says why.
func Extents(ctx context.Context, r Request, use func(run func(args []string, env string) (Extent, error)) error) error {
	s := &session{Request: r.withDefaults()}
	compiler, err := build.Find(s.Compiler)
	if err != nil {
		return nil
	}
	if s.scratch, err = disk.TempDir("", "smux-extents-"); err != nil {
		return fmt.Errorf("making a scratch folder: %w", err)
	}
	defer disk.Remove(s.scratch)
	if s.toolchain, err = build.Open(compiler, s.CacheDir); err != nil {
		return fmt.Errorf("preparing the compiler: %w", err)
	}
	defer s.toolchain.Close()
	if s.Preparing != nil && !s.toolchain.Prepared(build.Checked) {
		s.Preparing(compiler.Path)
	}
	s.Keep, s.Variants = "", nil
	s.addSubjects()
	if s.prepare(s.original) != nil {
		return s.internalError()
	}
	return use(func(args []string, env string) (out Extent, err error) {
		begun, path := time.Now(), s.keptAt(fmt.Sprintf("extents %q %s", args, env))
		if recall(path, &out) {
			return out, nil
		}
		program := s.build(ctx, s.original, build.Checked)
		if program == nil {
			out.Absent = s.original.absent
			return out, s.internalError()
		}
		result, err := execute.Run(ctx, program, execute.Options{
			Schedule: s.Schedules[0], Args: args, Dir: s.Dir, Timeout: s.Timeout, Watchdog: s.Watchdog, Env: []string{measureExtents, env}})
		if err != nil {
			return out, err
		}
		out.Bytes = map[int]int64{}
		for _, f := range result.Report {
			if f.Code == reportExtent {
				out.Bytes[int(f.Offset)] = f.Bytes
			}
		}
		if result.End != nil && !result.End.Fatal && result.Exit == 0 {
			out.Reached = result.End.Reached
		}
		if out.Late = result.TimedOut; !out.Late {
			s.keep(path, out, begun)
		}
		return out, nil
	})
}
