// Package page writes a survey as one HTML file for people to review: every
// kernel with what limits it, where its regions are, what the model expects of
// its rewrites, what would change and why, or why it is left alone.
//
// The file needs nothing beside it: styles and script are in it, and a content
// security policy forbids it to ask a network for anything. It can be read
// without the script, which adds a filter, sorting and keys. All that comes from
// a code base is text to the page, whatever characters it has. Equal input gives
// equal bytes.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/report"
)

// Options holds what a page shows beside a survey.
type Options struct {
	Title   string // what was looked at: "./..." or the names of files
	Version string // of smux
	// Time says when the page was made; the zero value, for pages that are to be
	// the same when made again, leaves it out.
	Time time.Time
	// Unreadable are the files that could not be looked at, with the reason.
	Unreadable []diag.Message
}

//go:embed *.html page.css page.js
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"times": times, "percent": percent, "short": short, "count": prose.Count, "add": func(a, b int) int { return a + b },
}).ParseFS(files, "*.html"))

// Write returns the page of some programs, in their order.
func Write(programs []report.Program, opt Options) ([]byte, error) {
	style, script := asset("page.css"), asset("page.js")
	v := newView(programs, opt)
	style += gpuStyle(len(v.GPUs))
	v.Style, v.Script = template.CSS(style), template.JS(script)
	v.Policy = fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'", hash(style), hash(script))
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, "page.html", v); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return visible(out.Bytes()), nil
}

// asset returns a file of this package; the tests read each.
func asset(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// hash returns how a content security policy names a text that may be used.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// gpuStyle shows what is said of one GPU where that is picked, and else what is
// said of all: without the script, too.
func gpuStyle(gpus int) string {
	style := ""
	for i := range gpus {
		style += fmt.Sprintf(":root:has(#gpu-%[1]d:checked) :is(.v0,.curve:not(.g%[1]d)){display:none}\n:root:has(#gpu-%[1]d:checked) .v%[1]d{display:inline}\n", i+1)
	}
	return style
}
