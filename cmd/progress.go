package cmd

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// patience is how long a person waits without being told for what: what comes
// from a cache is done by then.
const patience = 300 * time.Millisecond

// progress is a line on stderr that says what is being waited for. It is there
// on a terminal only, and it disappears. It is safe for concurrent use.
type progress struct {
	w     io.Writer // nil: nobody looks
	width int
	timer *time.Timer

	mu   sync.Mutex
	text string // the latest
	late bool   // patience is over
}

// newProgress returns the progress line of what begins now.
func (s *session) newProgress() *progress {
	p := &progress{width: plainWidth}
	if s.hasLine || !s.terminal(s.stderr) || s.getenv("TERM") == "dumb" {
		return p
	}
	p.w = s.stderr
	if f, ok := s.stderr.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			p.width = width
		}
	}
	p.timer = time.AfterFunc(patience, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.late = p.w != nil
		p.show()
	})
	return p
}

// say replaces the line.
func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = fmt.Sprintf(format, args...)
	p.show()
}

// show prints the line once patience is over. One that is too long for the
// terminal is cut: where it wraps, its first part would stay.
func (p *progress) show() {
	if !p.late || p.text == "" {
		return
	}
	text := p.text
	if most := max(p.width-1, 0); utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most])
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", text)
}

// hide takes the line away until something new is said.
func (p *progress) hide() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.late && p.text != "" {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// end takes the line away; nothing is shown after it.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.late && p.text != "" {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.late, p.w = false, nil
}
