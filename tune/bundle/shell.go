package bundle

import "strings"

// folderName makes a name of letters, digits, dots and dashes of any text: such a
// name needs no quoting, neither in a shell nor in a Makefile.
func folderName(text string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.' && b.Len() > 0:
			b.WriteRune(c)
		case c == '=':
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.TrimRight(b.String(), "-")
}
