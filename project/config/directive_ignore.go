package config

import "github.com/smux-cuda/smux/diag"

// Scope says which messages an ignore is about.
type Scope string

// The scopes.
const (
	OfKernel Scope = "kernel" // about one kernel
	OfFile   Scope = "file"   // about the kernels of a file
	OfLine   Scope = "line"   // placed on the directive's line or the next
)

// Ignore stops the messages of one code.
type Ignore struct {
	Code   diag.Code     `json:"code"`
	Reason string        `json:"reason"`
	Pos    diag.Position `json:"position"` // of the directive
	Scope  Scope         `json:"scope"`

	kernel diag.Position // OfKernel: its name's
	last   int           // OfLine: the last line, the directive's being the first
	inside diag.Position // OfLine: the kernel in whose body it stands, if it does
}

// About reports whether an ignore may stop a message about a kernel, which is
// named by the position of its name.
func (i Ignore) About(kernel diag.Position) bool {
	switch i.Scope {
	case OfKernel:
		return i.kernel == kernel
	case OfFile:
		return i.Pos.File == kernel.File
	}
	return !i.inside.IsValid() || i.inside == kernel
}

// Stops reports whether an ignore is about a message, said of a kernel.
func (i Ignore) Stops(m diag.Message, kernel diag.Position) bool {
	if i.Code != m.Code || !i.About(kernel) {
		return false
	}
	return i.Scope != OfLine || i.Pos.File == m.Pos.File && i.Pos.Line <= m.Pos.Line && m.Pos.Line <= i.last
}

// Suppressed returns the reason that a person gave for not wanting to hear a message
// about a kernel; ok is false where it is to be reported.
func (s *Directives) Suppressed(m diag.Message, kernel diag.Position) (reason string, ok bool) {
	if s == nil {
		return "", false
	}
	return Suppressed(s.Ignores, m, kernel)
}

// Suppressed is Set.Suppressed for ignores that were taken out of a set.
func Suppressed(ignores []Ignore, m diag.Message, kernel diag.Position) (reason string, ok bool) {
	for _, i := range ignores {
		if i.Stops(m, kernel) {
			return i.Reason, true
		}
	}
	return "", false
}

// Of returns the ignores that may stop messages about a kernel.
func (s *Directives) Of(kernel diag.Position) (out []Ignore) {
	for _, i := range s.Ignores {
		if i.About(kernel) {
			out = append(out, i)
		}
	}
	return out
}

// Left returns the ignore that asks for a kernel to be left alone, nil for none.
func (s *Directives) Left(kernel diag.Position) *Ignore {
	for i := range s.Ignores {
		if g := &s.Ignores[i]; g.Code == Chosen && g.Scope != OfLine && g.About(kernel) {
			return g
		}
	}
	return nil
}
