// Package replay measures forms of a kernel in a program that is stopped at one of its launches.
//
// The program is the original. At the launch it obeys commands: a form is a shared library whose Function makes this one
// launch with the program's arguments, in the original's place; all device memory that it leaves is compared with what
// the original leaves, and it is timed. All addresses stay valid. A form takes the compilation of one unit and some
// launches, and not a program's whole run for each time.
//
// The server is verify/shim/runtime/replay_server.h, for a program that nvcc builds with GPUServer. The library has the
// form's own host code, which says what grid, sets of shared memory and further arguments the launch takes.
//
// # Protocol
//
// The program says one line for each command, and one at the stop:
//
//	smux-replay 1 KEY VALUE…        stopped: version 1, then the launch (see Stop)
//	load ID FILE    ok              the library is loaded
//	check ID        equal BYTES     the form leaves the original's memory, of which the launch changes so many bytes
//	                differs TEXT    or not: the first place
//	time ID N       times NS…       N launches, each in nanoseconds
//	                differs TEXT    the last one does not leave the original's memory
//	go                              the original's results are put in place, and the program goes on
//	                error TEXT      for a command that can't be obeyed, or a launch that can't be stopped at
//
// # Limits
//
// Variables of the host that a form's unit defines are constructed once more when it is loaded. Launches whose results
// differ from run to run, and those that change no memory, show nothing of a form: Stop says so.
package replay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/smux-cuda/smux/internal/process"
)

// Function makes the launch again. It has C linkage, takes the arguments' addresses and a stream, and returns a runtime's error.
const Function = "smux_replay_launch"

// Program says how to get to the launch.
type Program struct {
	Path, Dir string
	Args, Env []string
	Kernel    string // its name, without namespaces and template arguments
	Number    int    // of the launch of that kernel which is meant, from 1
	// Patience bounds the way to the launch, each launch and the loading of a form.
	Patience time.Duration
}

// Launch is a launch of a kernel, by the numbers that a program passed.
type Launch struct {
	Kernel      string // with its template arguments, as C++ takes it at file scope: "lib::scan<float, 256>"
	Grid, Block [3]uint
	Shared      uint64 // bytes of dynamic shared memory
}

// Stop is a launch that a program stopped at.
type Stop struct {
	Launch
	Steady     bool  // two runs of the original leave the same
	Repeatable bool  // so does a run that starts from the results of another
	Changed    int64 // bytes of device memory that the launch changes
}

// Session is a program that is stopped. Its methods are not for several goroutines at once.
type Session struct {
	Stop Stop

	wait     func() error // for the end of the program
	cancel   context.CancelFunc
	in       *os.File
	lines    chan string // closed when the program ends
	patience time.Duration
	stderr   process.Head
	over     error // why there is no more answer
}

// EndedError reports that a program ended, or was ended, at a command.
type EndedError struct {
	Doing    string
	TimedOut bool   // it gave no answer in time
	Killed   bool   // by somebody else, as for want of memory: no form kills its own program
	Said     string // the end of its standard error
}

func (e *EndedError) Error() string {
	text := "the program ended " + e.Doing
	if e.TimedOut {
		text = "there was no end " + e.Doing
	}
	if e.Said != "" {
		text += ": " + e.Said
	}
	return text
}

// ErrNoLaunch reports that the program ended without the launch.
var ErrNoLaunch = errors.New("the program does not make this launch")

// Start runs a program up to the launch, where it stays until Close. The error may be ErrNoLaunch or an *EndedError.
func Start(ctx context.Context, p Program) (*Session, error) {
	commands, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, answers, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, commands.Close(), in.Close())
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx)) // up to Close, whatever becomes of this call
	s := &Session{cancel: cancel, in: in, lines: make(chan string), patience: p.Patience, stderr: process.Head{Limit: 1 << 14}}
	cmd := process.Command(life, p.Path, p.Args...)
	cmd.Dir = p.Dir
	cmd.Env = append(append(os.Environ(), p.Env...), fmt.Sprintf("SMUX_REPLAY=3,4,%d,%s", p.Number, p.Kernel))
	cmd.ExtraFiles = []*os.File{commands, answers}
	cmd.Stdout, cmd.Stderr = io.Discard, &s.stderr
	s.wait = sync.OnceValue(cmd.Wait)
	err = cmd.Start()
	err = errors.Join(err, commands.Close(), answers.Close())
	if err != nil {
		cancel()
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	go func() {
		defer close(s.lines)
		defer out.Close()
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			select {
			case s.lines <- strings.TrimSuffix(line, "\n"):
			case <-life.Done():
				return
			}
		}
	}()
	line, err := s.answer(ctx, "before the launch", 5) // the original is launched some times
	if err == nil {
		s.Stop, err = parseStop(line)
	}
	var ended *EndedError
	if errors.As(err, &ended) && !ended.TimedOut && s.wait() == nil {
		err = ErrNoLaunch
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func parseStop(line string) (l Stop, err error) {
	var steady, repeatable, arguments int
	_, err = fmt.Sscanf(line, "smux-replay 1 grid %d %d %d block %d %d %d shared %d arguments %d steady %d repeatable %d changed %d",
		&l.Grid[0], &l.Grid[1], &l.Grid[2], &l.Block[0], &l.Block[1], &l.Block[2], &l.Shared, &arguments, &steady, &repeatable, &l.Changed)
	_, kernel, ok := strings.Cut(line, " kernel ")
	refused, isRefused := strings.CutPrefix(line, "error ")
	switch {
	case isRefused:
		return l, errors.New(refused)
	case err != nil || !ok:
		return l, fmt.Errorf("the program says %q at the launch", line)
	case arguments == 0:
		return l, errors.New("the kernel is launched by a call and not by <<<…>>>")
	}
	l.Kernel, l.Steady, l.Repeatable = kernel, steady != 0, repeatable != 0
	return l, nil
}

// answer waits for a line. An *EndedError ends the session.
func (s *Session) answer(ctx context.Context, doing string, launches int) (string, error) {
	if s.over != nil {
		return "", s.over
	}
	timer := time.NewTimer(time.Duration(launches) * s.patience)
	defer timer.Stop()
	ended := &EndedError{Doing: doing}
	select {
	case line, ok := <-s.lines:
		if ok {
			return line, nil
		}
	case <-timer.C:
		ended.TimedOut = true
		s.cancel()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if !ended.TimedOut {
		var exit *exec.ExitError
		if errors.As(s.wait(), &exit) { // what it said is whole then
			status, ok := exit.Sys().(syscall.WaitStatus)
			ended.Killed = ok && status.Signaled() && status.Signal() == syscall.SIGKILL
		}
		lines := strings.Split(strings.TrimSpace(string(s.stderr.Bytes())), "\n")
		ended.Said = lines[len(lines)-1]
	}
	s.over = ended
	return "", ended
}

// ask sends a command, and returns what comes after the answer's first word, which must be the wanted one.
func (s *Session) ask(ctx context.Context, want, doing string, launches int, command string) (string, error) {
	if s.over != nil {
		return "", s.over
	}
	// A program that has ended says so by no answer.
	_, _ = fmt.Fprintln(s.in, command)
	line, err := s.answer(ctx, doing, launches)
	if err != nil {
		return "", err
	}
	word, rest, _ := strings.Cut(line, " ")
	if word != want {
		return rest, &RefusedError{word, rest}
	}
	return rest, nil
}

// RefusedError reports an answer that was not hoped for: of "check" that memory differs.
type RefusedError struct{ Word, Text string }

func (e *RefusedError) Error() string { return e.Text }

// Load loads a form's library under a name without blanks. An error that is no *EndedError is the library's.
func (s *Session) Load(ctx context.Context, id, file string) error {
	_, err := s.ask(ctx, "ok", "when a form was loaded", 1, fmt.Sprintf("load %s %s", id, file))
	return err
}

// Check launches a form once, compares all device memory with what the original leaves, and returns the bytes that the launch
// changes. The error is a *RefusedError with the first difference, or an *EndedError of a form that crashed or hangs.
func (s *Session) Check(ctx context.Context, id string) (int64, error) {
	rest, err := s.ask(ctx, "equal", "in a launch of the form", 1, "check "+id)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(rest, 10, 64)
}

// Time launches a form n times after one launch that doesn't count, and returns milliseconds. Errors are as of Check.
func (s *Session) Time(ctx context.Context, id string, n int) ([]float64, error) {
	rest, err := s.ask(ctx, "times", "in a launch of the form", n+1, fmt.Sprintf("time %s %d", id, n))
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, f := range strings.Fields(rest) {
		ns, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return nil, fmt.Errorf("the program says %q for times", rest)
		}
		out = append(out, ns/1e6)
	}
	return out, nil
}

func (s *Session) Close() {
	s.cancel()
	_ = s.in.Close()
	for range s.lines { // until the program has ended
	}
	_ = s.wait()
}
