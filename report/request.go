package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/rewrite"
)

// Request holds a person's request for a kernel, in a directive or in .smux.yaml.
type Request struct {
	// Pin is the rewrite that is to be done, "" to choose; Refused is what is
	// against it, nothing where it can be proved.
	Pin     string         `json:"pin,omitempty"`
	Refused []diag.Message `json:"refused,omitempty"`
	// Leave is why the kernel is to be left alone, "" where it may be rewritten.
	Leave string `json:"leave,omitempty"`
	// By is the place where pin or leave is asked for.
	By *diag.Position `json:"by,omitempty"`
	// Wrong is a directive that can't be understood: the kernel is left alone.
	Wrong *diag.Message `json:"wrong,omitempty"`
	// Barred are the rewriters that may not be chosen, as BarredBy asks.
	Barred   []string `json:"barred,omitempty"`
	BarredBy string   `json:"barredBy,omitempty"`
}

// Decides reports whether the model is not asked, since a person decides what becomes
// of the kernel.
func (w *Request) Decides() bool {
	return w != nil && (w.Pin != "" || w.Leave != "" || w.Wrong != nil)
}

// Done reports whether nothing is against the pin but that the kernel is rewritten
// already: an earlier run has done it.
func (w *Request) Done() bool {
	return w != nil && slices.ContainsFunc(w.Refused, func(m diag.Message) bool { return m.Code == rewrite.CodeAlready })
}

// Text returns in a line what becomes of the kernel where the request decides that.
func (w *Request) Text() string {
	switch {
	case w.Wrong != nil:
		return fmt.Sprintf("left alone: the directive at %s can't be obeyed", w.Wrong.Pos)
	case w.Leave != "":
		return fmt.Sprintf("left alone as %s asks: %s", w.By, w.Leave)
	case w.Done():
		return fmt.Sprintf("left as it is: %s is pinned at %s, and the kernel is rewritten already", w.Pin, w.By)
	case len(w.Refused) > 0:
		return fmt.Sprintf("left alone: %s is pinned at %s, and can't be proved: %s", w.Pin, w.By, w.Refused[0].Text)
	}
	return fmt.Sprintf("%s, pinned at %s", w.Pin, w.By)
}

// barredRows name the rewriters that may not be chosen.
func (k Kernel) barredRows() section {
	s := section{label: "barred"}
	if k.Request != nil && len(k.Request.Barred) > 0 {
		s.row(fmt.Sprintf("%s: not allowed by %s", strings.Join(k.Request.Barred, ", "), k.Request.BarredBy))
	}
	return s
}

// ignored returns what stands after a message that a person suppressed, ""
// for one that is reported.
func (k Kernel) ignored(m diag.Message) string {
	if reason, ok := config.Suppressed(k.Ignored, m, k.Position); ok {
		return " (ignored: " + reason + ")"
	}
	return ""
}
