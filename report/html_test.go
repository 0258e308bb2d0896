package report_test

import (
	"html"
	"regexp"
)

var tags = regexp.MustCompile(`<(br ?/?|/?code|/?td[^>]*)>`)

// unhtml returns what a reader sees of a piece of HTML.
func unhtml(src string) string {
	return html.UnescapeString(tags.ReplaceAllString(src, ""))
}
