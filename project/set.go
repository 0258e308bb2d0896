package project

import "strings"

// readSet reads the "[…]" at p[i] as git does, and returns the offset of its last
// byte; ok is false where it does not end or names a class that there isn't.
func readSet(p string, i int) (set *byteSet, end int, ok bool) {
	set = &byteSet{}
	i++
	negated := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negated {
		i++
	}
	before := -1 // the byte that a '-' may begin a range from
	for first := true; ; first = false {
		if i >= len(p) {
			return nil, 0, false
		}
		c := p[i]
		switch {
		case c == ']' && !first:
			if negated {
				for b := range set {
					set[b] = !set[b]
				}
			}
			return set, i, true
		case c == '\\':
			if i++; i >= len(p) {
				return nil, 0, false
			}
			set[p[i]] = true
			before = int(p[i])
		case c == '-' && before >= 0 && i+1 < len(p) && p[i+1] != ']':
			i++
			if p[i] == '\\' {
				if i++; i >= len(p) {
					return nil, 0, false
				}
			}
			for b := before; b <= int(p[i]); b++ {
				set[b] = true
			}
			before = -1
		case c == '[' && i+1 < len(p) && p[i+1] == ':':
			close := strings.IndexByte(p[i+2:], ']')
			if close < 0 {
				return nil, 0, false
			}
			name, isClass := strings.CutSuffix(p[i+2:i+2+close], ":")
			if !isClass { // git takes it for a plain '['
				set['['] = true
				before = '['
				break
			}
			in, known := classes[name]
			if !known {
				return nil, 0, false
			}
			for b := range 0x80 {
				set[b] = set[b] || in(byte(b))
			}
			i += 2 + close
			before = -1
		default:
			set[c] = true
			before = int(c)
		}
		i++
	}
}

// classes are those of "[[:name:]]", which know ASCII only.
var classes = map[string]func(byte) bool{
	"alnum":  func(b byte) bool { return isAlpha(b) || isDigit(b) },
	"alpha":  isAlpha,
	"blank":  func(b byte) bool { return b == ' ' || b == '\t' },
	"cntrl":  func(b byte) bool { return b < ' ' || b == 0x7f },
	"digit":  isDigit,
	"graph":  func(b byte) bool { return b > ' ' && b < 0x7f },
	"lower":  func(b byte) bool { return b >= 'a' && b <= 'z' },
	"print":  func(b byte) bool { return b >= ' ' && b < 0x7f },
	"punct":  func(b byte) bool { return b > ' ' && b < 0x7f && !isAlpha(b) && !isDigit(b) },
	"space":  func(b byte) bool { return strings.IndexByte(" \t\n\v\f\r", b) >= 0 },
	"upper":  func(b byte) bool { return b >= 'A' && b <= 'Z' },
	"xdigit": func(b byte) bool { return isDigit(b) || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F' },
}

func isAlpha(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }
func isDigit(b byte) bool { return b >= '0' && b <= '9' }
