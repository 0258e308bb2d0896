package acc

import (
	"fmt"
	"strconv"
	"strings"
)

// enclosed is an expression in parentheses where it is more than a word.
func enclosed(text string) string {
	for _, c := range text {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return "(" + text + ")"
		}
	}
	return text
}

func parseConstant(text string) (int64, bool) {
	c, err := strconv.ParseInt(strings.TrimSpace(text), 0, 64)
	return c, err == nil
}

// pointerTo declares a pointer to the elements of the first dimension of a variable: to the
// variable itself, if it is a scalar.
func (v *variable) pointerTo(name string) string {
	if len(v.derived) < 2 || v.flat {
		return fmt.Sprintf("%s *%s", v.base, name)
	}
	return fmt.Sprintf("%s (*%s)%s", v.base, name, v.extents(1))
}

// extents are the brackets of the dimensions from one on.
func (v *variable) extents(from int) string {
	var b strings.Builder
	for _, d := range v.derived[from:] {
		size := ""
		if d.size != nil {
			size = d.text()
		}
		fmt.Fprintf(&b, "[%s]", size)
	}
	return b.String()
}

// declaration declares a variable of the same type.
func (v *variable) declaration() string {
	if len(v.derived) > 0 && v.derived[0].pointer {
		return v.pointerTo(v.name)
	}
	return fmt.Sprintf("%s %s%s", v.base, v.name, v.extents(0))
}

// text is the size of an array as it is written, or as a number where a macro writes it.
func (d derivation) text() string {
	if d.in.isExact(d.size) {
		return d.in.spelled(d.size)
	}
	u := unit{source: d.in}
	if c, ok := u.constant(d.size); ok {
		return fmt.Sprint(c)
	}
	return d.in.text(d.size)
}
