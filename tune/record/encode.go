package record

import (
	"bytes"
	"encoding/json"
	"slices"
)

// prefix is the beginning of each line. A torn line is told from other people's text by it.
const prefix = `{"schema":`

// Is reports whether a text begins as a record does.
func Is(src []byte) bool { return bytes.HasPrefix(src, []byte(prefix)) }

// written is a line as it stands in a file.
type written struct {
	Line
	// Rest is the number of lines that follow and were added together with this one: all of them count, or none.
	Rest int `json:"rest,omitempty"`
}

// Encode writes lines in today's schema. Parse takes all of them, or none of a torn text; what it would not take is an error.
func Encode(lines ...Line) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // for people, who read "<"
	for i, l := range lines {
		l.Schema = Schema
		why := l.wrong()
		if why == "" && l.Variant != nil && l.Variant.Key() != l.Key {
			why = "its key is not that of its variant"
		}
		if why != "" {
			return nil, invalid(why)
		}
		if err := e.Encode(written{l, len(lines) - 1 - i}); err != nil {
			return nil, invalid(err.Error())
		}
	}
	return out.Bytes(), nil
}

func (l *Line) wrong() string {
	set := 0
	for _, there := range []bool{l.Variant != nil, l.Pair != nil, l.Failure != nil} {
		if there {
			set++
		}
	}
	switch {
	case l.Key == "":
		return "it has no key"
	case set != 1:
		return "it is not one of a variant, a pair and a failure"
	case l.Variant != nil:
		return l.Variant.wrong()
	case l.Pair != nil:
		return l.Pair.wrong()
	case l.Failure.Kind == "":
		return "the failure has no kind"
	}
	return ""
}

func (v *MeasuredVariant) wrong() string {
	switch {
	case v.Subject.Kernel == "":
		return "it names no kernel"
	case v.Subject.Machine.On == "":
		return "it does not say on what is measured"
	case v.Predicted < 0:
		return "the predicted ratio is below nothing"
	}
	return ""
}

func (p *Pair) wrong() string {
	switch {
	case p.Phase != Search && p.Phase != Confirm:
		return "the phase is neither " + Search + " nor " + Confirm
	case p.Turn < 0:
		return "the turn is below nothing"
	case len(p.Base) == 0 || len(p.Variant) == 0:
		return "it has no times"
	}
	if slices.ContainsFunc(slices.Concat(p.Base, p.Variant), func(t float64) bool { return !(t > 0) }) {
		return "a time is not above nothing"
	}
	return ""
}
