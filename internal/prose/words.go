package prose

import (
	"errors"
	"strings"
)

// Words splits a line into words as a shell does: at blanks that are neither quoted nor escaped. Nothing is expanded.
func Words(text string) ([]string, error) {
	words := []string{}
	var word strings.Builder
	inWord := false
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && (quote == 0 || quote == '"' && (i+1 == len(text) || strings.IndexByte("\"\\$`", text[i+1]) >= 0)):
			if i++; i == len(text) {
				return nil, errors.New("nothing stands after the last backslash")
			}
			inWord = true
			word.WriteByte(text[i])
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '"' || c == '\'':
			quote, inWord = c, true
		case strings.IndexByte(" \t\r\n", c) >= 0:
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			inWord = true
			word.WriteByte(c)
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
