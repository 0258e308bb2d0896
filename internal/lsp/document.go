package lsp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/report/finding"
)

// A text that a person is typing is looked at after a pause, and its rewrites after a longer one.
const (
	pause     = 150 * time.Millisecond
	longPause = time.Second
)

// document is a text that is open in the editor. The server's lock guards it.
type document struct {
	server    *server
	uri, path string
	run       *run
	found     Look // the programs of the file, nil where they are not found yet
	stale     bool // they may be others now
	checked   []finding.Finding
	checkedOf []byte // the text that was run
	checking  context.CancelFunc
}

// stop ends all that is done for the document.
func (d *document) stop() {
	if d.run != nil {
		d.run.cancel()
	}
	if d.checking != nil {
		d.checking()
	}
}

// run is the look at one version of a text.
type run struct {
	doc     *document
	version int
	text    []byte
	at      int // the server's changes when it began
	ctx     context.Context
	cancel  context.CancelFunc
	limits  stage // what limits the kernels
	decided stage // and what becomes of them
}

// stage is a part of a run, which is done once: when it is asked for, or after a pause.
type stage struct {
	begin sync.Once
	done  chan struct{}
	seen  Seen
	err   error
}

// begin looks at a version of the text from now on.
func (d *document) begin(version int, text []byte, after time.Duration) {
	if d.run != nil {
		d.run.cancel()
	}
	r := &run{doc: d, version: version, text: text, at: d.server.changes}
	r.ctx, r.cancel = context.WithCancel(d.server.ctx)
	r.limits.done, r.decided.done = make(chan struct{}), make(chan struct{})
	d.run = r
	more := after
	if after > 0 {
		more = longPause
	}
	go func() {
		for _, step := range []struct {
			stage *stage
			after time.Duration
		}{{&r.limits, after}, {&r.decided, more}} {
			select {
			case <-r.ctx.Done():
				return
			case <-time.After(step.after):
			}
			if _, err := r.wait(r.ctx, step.stage); err != nil && r.ctx.Err() == nil {
				fmt.Fprintf(d.server.log, "smux: lsp: %s: %v\n", d.path, err)
			}
			r.publish()
		}
	}()
}

// wait begins a stage, if it has not begun, and returns what it sees.
func (r *run) wait(ctx context.Context, st *stage) (Seen, error) {
	go st.begin.Do(func() {
		defer close(st.done)
		st.err = diag.Guard(func() (err error) {
			if st == &r.decided {
				if _, err := r.wait(r.ctx, &r.limits); err != nil {
					return err
				}
				select {
				case r.doc.server.slow <- struct{}{}:
					defer func() { <-r.doc.server.slow }()
				case <-r.ctx.Done():
					return r.ctx.Err()
				}
			}
			look, err := r.look(st == &r.decided)
			if err == nil {
				st.seen, err = look(r.ctx, st == &r.decided)
			}
			return err
		})
	})
	select {
	case <-st.done:
		return st.seen, st.err
	case <-r.ctx.Done():
		return Seen{}, errOutdated
	case <-ctx.Done():
		return Seen{}, errCancelled
	}
}

// look returns the programs of the text. Those of a tree are found where there is time, and again where they may be
// others; until then the file alone is looked at.
func (r *run) look(slow bool) (Look, error) {
	s, d := r.doc.server, r.doc
	s.mu.Lock()
	found, root := d.found, s.root(d.path)
	fresh := found != nil && !d.stale
	s.mu.Unlock()
	switch {
	case fresh || found != nil && !slow:
		return found, nil
	case !slow:
		return s.tool.Find(r.ctx, d.path, "", s.text)
	}
	now, err := s.tool.Find(r.ctx, d.path, root, s.text)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d.found, d.stale = now, false
	if found == nil && root != "" {
		go func() {
			<-r.decided.done
			_ = s.conn.Call(r.ctx, "workspace/codeLens/refresh", nil, nil) // who can't refuses
		}()
	}
	return now, nil
}

// ended reports whether a stage is done, well or not.
func (st *stage) ended() bool {
	select {
	case <-st.done:
		return true
	default:
		return false
	}
}

// seen returns what is known by now: what becomes of kernels, where that is known, or else what limits them.
func (r *run) seen() (out Seen, known bool) {
	for _, st := range []*stage{&r.decided, &r.limits} {
		if st.ended() && st.err == nil {
			return st.seen, true
		}
	}
	return Seen{}, false
}

// known waits until something is known of the text, and returns all that is.
func (r *run) known(ctx context.Context) (Seen, error) {
	if seen, known := r.seen(); known {
		return seen, nil
	}
	return r.wait(ctx, &r.limits)
}

// about returns the kernels of the run's file, each once: a header's belong to several programs.
func (r *run) about(seen Seen) (out []report.Kernel) {
	for _, p := range seen.Programs {
		for _, k := range p.Kernels {
			same := func(o report.Kernel) bool { return o.Position == k.Position }
			if r.doc.has(k.Position.File) && !slices.ContainsFunc(out, same) {
				out = append(out, k)
			}
		}
	}
	return out
}

// reads reports whether a document's text is known to be a part of the run's programs.
func (r *run) reads(d *document) bool {
	seen, _ := r.seen()
	return slices.ContainsFunc(seen.Programs, func(p report.Program) bool {
		return slices.ContainsFunc(p.Files, func(f report.Text) bool { return d.has(f.Name) })
	})
}

// has reports whether a name is that of the document.
func (d *document) has(name string) bool { return project.Resolved(name) == project.Resolved(d.path) }

// check runs the programs of the text that was saved.
func (d *document) check() {
	s := d.server
	if d.checking != nil {
		d.checking()
	}
	if !s.checks {
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	d.checking = cancel
	text, root := d.run.text, s.root(d.path)
	s.running.Go(func() {
		var found []finding.Finding
		err := diag.Guard(func() (err error) {
			select {
			case s.slow <- struct{}{}:
				defer func() { <-s.slow }()
			case <-ctx.Done():
				return ctx.Err()
			}
			found, err = s.tool.Check(ctx, d.path, root)
			return err
		})
		if ctx.Err() != nil {
			return
		}
		if err != nil && !errors.Is(err, diag.ErrReported) {
			fmt.Fprintf(s.log, "smux: lsp: checking %s: %v\n", d.path, err)
		}
		s.mu.Lock()
		d.checked, d.checkedOf = found, text
		now := d.run
		s.mu.Unlock()
		now.publish()
	})
}
