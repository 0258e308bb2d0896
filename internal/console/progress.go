package console

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"
)

// patience is the time that a person waits without being told for what: what comes from a cache is done by then.
const patience = 300 * time.Millisecond

// Progress is a line on stderr that says what is being waited for. It is there
// on a terminal only, and it disappears. It is safe for concurrent use.
type Progress struct {
	w     io.Writer // nil for no output
	lines *lines    // of its console
	width int
	timer *time.Timer

	mu   sync.Mutex
	text string // the latest
	late bool   // patience is over
}

// NewProgress returns the progress line of what begins now.
func (c *Console) NewProgress() *Progress {
	p := &Progress{width: columns(c.Stderr)}
	if c.hasLine || !c.IsTerminal(c.Stderr) || c.Getenv("TERM") == "dumb" {
		return p
	}
	p.w = c.Stderr
	p.lines = c.lines
	p.lines.add(p)
	p.timer = time.AfterFunc(patience, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.late = p.w != nil
		p.show()
	})
	return p
}

// Say replaces the line.
func (p *Progress) Say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = fmt.Sprintf(format, args...)
	p.show()
}

// show prints the line once patience is over. One that is too long for the
// terminal is cut: where it wraps, its first part would stay.
func (p *Progress) show() {
	if !p.late || p.text == "" {
		return
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", runewidth.Truncate(p.text, max(p.width-1, 0), ""))
}

// Hide takes the line away until something new is said.
func (p *Progress) Hide() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.late && p.text != "" {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// End takes the line away; nothing is shown after it.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.late && p.text != "" {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	if p.lines != nil {
		p.lines.remove(p)
	}
	p.late, p.w = false, nil
}

// lines are those of a console that have not ended; all are on the same row of the
// terminal. It is safe for concurrent use.
type lines struct {
	mu  sync.Mutex
	all []*Progress
}

func (l *lines) add(p *Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, p)
}

func (l *lines) remove(p *Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(o *Progress) bool { return o == p })
}

// clear takes the line of progress away for something that is printed.
func (l *lines) clear() {
	l.mu.Lock()
	all := slices.Clone(l.all)
	l.mu.Unlock()
	for _, p := range all {
		p.Hide()
	}
}

// Shown reports whether anybody sees the line.
func (p *Progress) Shown() bool { return p.w != nil }

// Hurry shows the line from now on, not after a while.
func (p *Progress) Hurry() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
	p.late = p.w != nil
	p.show()
}
