package parser

import "bytes"

// literalEnd returns the offset after the string or character literal at i (prefix included), or i if there is none.
func (s *scan) literalEnd(i int) int {
	src, j := s.src, i
	for j < len(src) && j-i < 2 && (src[j] == 'u' || src[j] == 'U' || src[j] == 'L' || j > i && src[j] == '8') {
		j++
	}
	if j+1 < len(src) && src[j] == 'R' && src[j+1] == '"' {
		if e := s.rawStringEnd(i, j+2); e > 0 {
			return e
		}
		return i
	}
	if j < len(src) && (src[j] == '"' || src[j] == '\'') {
		if e := quotedEnd(src, j); e > 0 {
			return e
		}
	}
	return i
}

// rawStringEnd returns the offset after the raw string that begins at i, whose
// delimiter begins at d; 0 if it is none.
func (s *scan) rawStringEnd(i, d int) int {
	const maxDelimiter = 16 // by the C++ standard
	p := bytes.IndexByte(s.src[d:min(len(s.src), d+maxDelimiter+1)], '(')
	if p < 0 {
		return 0
	}
	closing := append(append([]byte{')'}, s.src[d:d+p]...), '"')
	k := bytes.Index(s.src[d+p:], closing)
	if k < 0 {
		if s.unfinished < 0 {
			s.unfinished = i
		}
		return len(s.src)
	}
	return d + p + k + len(closing)
}

// quotedEnd returns the offset after the quoted text at i, 0 where the line
// ends before the quote does (an apostrophe in dead text, say).
func quotedEnd(src []byte, i int) int {
	q := src[i]
	for j := i + 1; j < len(src); j++ {
		switch src[j] {
		case q:
			return j + 1
		case '\n':
			return 0
		case '\\':
			j += max(1, splice(src, j)-1)
		}
	}
	return 0
}
