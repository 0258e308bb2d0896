package console

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/internal/process"
	"github.com/smux-cuda/smux/internal/prose"
)

const (
	// grace is the Grace of a console: an analysis is pure computation and asks nobody whether it may go on.
	grace = time.Second
	// cleaning bounds the time that an end by force may take.
	cleaning = 500 * time.Millisecond
)

// interruption is the state of one invocation of smux, with all consoles beside it, once it is asked to end.
type interruption struct {
	ctx    context.Context // ends with the first signal
	cancel context.CancelFunc
	doing  atomic.Pointer[string] // what is being done, nil where the command says it

	writing sync.Mutex // held while files that belong together are put in place
	written []string   // sources that were written, under writing
}

func newInterruption() *interruption {
	ctx, cancel := context.WithCancel(context.Background())
	return &interruption{ctx: ctx, cancel: cancel}
}

// asked reports whether smux was asked to end. Nothing counts that was found
// after that, since it is made of answers that were cut off.
func (i *interruption) asked() bool { return i.ctx.Err() != nil }

// ObeySignals has the first signal end what smux started and the context of the console. Where the command does not
// return in time, or on a second signal, the process ends at once. The function returned undoes this.
func (c *Console) ObeySignals() (stop func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
		case <-done:
			return
		}
		c.interruption.cancel()
		process.EndAll()
		select {
		case <-signals:
		case <-time.After(c.Grace):
		case <-done:
			return
		}
		c.abandon()
	}()
	return func() {
		close(done)
		signal.Stop(signals)
	}
}

// abandon ends the process and leaves nothing half-written: files that are being
// put in place are, and temporary ones are removed.
func (c *Console) abandon() {
	cleaned := make(chan struct{})
	go func() {
		c.interruption.writing.Lock() // for good
		disk.RemoveAll()
		close(cleaned)
	}()
	select {
	case <-cleaned:
	case <-time.After(cleaning):
	}
	c.sayInterrupted("")
	os.Exit(diag.ExitInternal)
}

// sayInterrupted is the last line of a command that was asked to end: what it was
// doing, and which sources were written before.
func (c *Console) sayInterrupted(help string) {
	if c.IsTerminal(c.Stderr) {
		fmt.Fprint(c.Stderr, "\r\x1b[K") // a line of progress
	}
	p := c.Paint()
	doing := ""
	if d := c.interruption.doing.Load(); d != nil {
		doing = *d + ": "
	}
	fmt.Fprintf(c.Stderr, "%ssmux:%s %s%v%s\n", p.Place, p.Reset, doing, diag.ErrInterrupted, c.interruption.writtenBefore())
	c.HelpLine(help)
}

// writtenBefore names what was written, "" if nothing was, or where a file is just being put in place.
func (i *interruption) writtenBefore() string {
	const most = 5
	if !i.writing.TryLock() {
		return ""
	}
	defer i.writing.Unlock()
	if len(i.written) == 0 {
		return ""
	}
	names := strings.Join(i.written[:min(len(i.written), most)], ", ")
	if len(i.written) > most {
		names += " …"
	}
	return fmt.Sprintf(" after writing %s: %s", prose.Count(len(i.written), "file"), names)
}

// Interruptible runs f, whose context ends when smux is asked to end: f then ends
// what it does and returns. What it returned counts for nothing after that.
func (c *Console) Interruptible(doing string, f func(context.Context) error) error {
	c.interruption.doing.Store(&doing)
	err := f(c.interruption.ctx)
	if c.interruption.asked() {
		return diag.Failed(doing, diag.ErrInterrupted)
	}
	c.interruption.doing.Store(nil)
	return err
}

// PutInPlace commits groups of files, of each group all or none: a signal does not come between. It returns the
// errors of each group. Sources are told of where the rest is interrupted.
func (c *Console) PutInPlace(groups ...[]*disk.Staged) [][]error {
	i := c.interruption
	i.writing.Lock()
	defer i.writing.Unlock()
	if i.asked() {
		failed := make([][]error, len(groups))
		for n, group := range groups {
			for _, st := range group {
				st.Discard()
			}
			failed[n] = []error{diag.ErrInterrupted}
		}
		return failed
	}
	failed := disk.CommitGroups(groups)
	for _, group := range groups {
		for _, st := range group {
			if st.Committed() {
				i.written = append(i.written, filepath.Clean(st.Target))
			}
		}
	}
	return failed
}

// Context ends when smux is asked to end.
func (c *Console) Context() context.Context { return c.interruption.ctx }

// WriteOutput writes the file of -o.
func (c *Console) WriteOutput(name string, data []byte) error {
	return c.WriteAll([]disk.File{{Name: name, Text: data}})
}

// WriteAll writes files that belong together: all of them, or none.
func (c *Console) WriteAll(files []disk.File) error {
	staged, err := disk.StageAll(files)
	if err != nil {
		return err
	}
	return errors.Join(c.PutInPlace(staged)[0]...)
}
