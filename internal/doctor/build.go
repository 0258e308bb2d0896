package doctor

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	smuxruntime "github.com/smux-cuda/smux/rewrite/runtime"
)

// BuildSchema is the version of what `smux version --json` prints.
const BuildSchema = 1

// grammar is the module that the C++ grammar comes from.
const grammar = "github.com/smacker/go-tree-sitter"

// Build describes what this smux was made from and with. What the Go toolchain did not
// record is empty: one that was built without git has no commit.
type Build struct {
	Schema   int            `json:"schema"`
	Version  string         `json:"version"`
	Commit   string         `json:"commit,omitempty"`
	Date     string         `json:"date,omitempty"` // of the commit, RFC 3339
	Modified bool           `json:"modified"`       // there were changes that no commit has
	Go       string         `json:"go"`
	OS       string         `json:"os"`
	Arch     string         `json:"arch"`
	CGO      string         `json:"cgo,omitempty"`     // "enabled"; the parser does not build without
	Grammar  string         `json:"grammar,omitempty"` // the version of its module
	Runtime  string         `json:"runtime"`           // of smux.cuh: begin of its text's SHA-256
	Schemas  map[string]int `json:"schemas"`           // by document

	documents []Document
}

// Document is a form that smux writes for other programs, with its version.
type Document struct {
	Name   string
	Schema int
}

// ThisBuild returns the build of the running program, which writes these documents. Its Version
// alone is the same on every machine.
func ThisBuild(documents []Document) Build {
	info, _ := debug.ReadBuildInfo()
	return buildOf(info, documents)
}

// buildOf reads what the Go toolchain recorded, which may be nothing.
func buildOf(info *debug.BuildInfo, documents []Document) Build {
	sum := sha256.Sum256(smuxruntime.Header())
	b := Build{
		Schema: BuildSchema, Version: "(unknown)", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Runtime: hex.EncodeToString(sum[:6]), Schemas: map[string]int{}, documents: documents,
	}
	for _, d := range documents {
		b.Schemas[d.Name] = d.Schema
	}
	if info == nil {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Commit = setting.Value
		case "vcs.time":
			b.Date = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		case "CGO_ENABLED":
			b.CGO = map[string]string{"1": "enabled", "0": "disabled"}[setting.Value]
		}
	}
	for _, d := range info.Deps {
		if d.Path != grammar {
			continue
		}
		if d.Replace != nil {
			d = d.Replace
		}
		b.Grammar = d.Path + " " + d.Version
	}
	return b
}

// Revision names what git checks out to have this smux: a tag, or a commit where it was built from one as it
// stands. It is "REVISION" and not known where neither is.
func (b Build) Revision() (name string, known bool) {
	switch {
	case strings.HasPrefix(b.Version, "v") && !strings.ContainsAny(b.Version, "-+"):
		return b.Version, true
	case b.Commit != "" && !b.Modified:
		return b.Commit, true
	}
	return "REVISION", false
}

// String returns the line that `smux version` prints.
func (b Build) String() string {
	commit := ""
	if b.Commit != "" {
		commit = " commit " + b.Commit[:min(12, len(b.Commit))]
	}
	if b.Modified {
		commit += " (modified)"
	}
	return fmt.Sprintf("smux %s%s %s %s/%s", b.Version, commit, b.Go, b.OS, b.Arch)
}

// Text writes the line and all that is known beside it.
func (b Build) Text(out *bytes.Buffer) {
	fmt.Fprintln(out, b)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, value string) {
		if value == "" {
			value = "(unknown)"
		}
		fmt.Fprintf(table, "  %s\t%s\n", name, value)
	}
	commit := b.Commit
	if b.Modified {
		commit += " (modified)"
	}
	row("commit", commit)
	row("date", b.Date)
	row("go", b.Go+" "+b.OS+"/"+b.Arch)
	row("cgo", b.CGO)
	row("grammar", b.Grammar)
	row("runtime", b.Runtime)
	for _, d := range b.documents {
		row("schema", fmt.Sprintf("%d  %s", d.Schema, d.Name))
	}
	table.Flush()
}

// maxEpoch is the end of the year 9999.
const maxEpoch = 253402300799

// ErrEpoch is the error about a SOURCE_DATE_EPOCH that is not a number of seconds
// from 1970 to the end of the year 9999.
var ErrEpoch = errors.New("it is the number of seconds since 1970")

// SourceDate returns the time that builds which are to be the same are given, in UTC, as SOURCE_DATE_EPOCH says it;
// zero where the text is empty. The error is ErrEpoch. https://reproducible-builds.org/specs/source-date-epoch
func SourceDate(epoch string) (time.Time, error) {
	if epoch == "" {
		return time.Time{}, nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil || seconds < 0 || seconds > maxEpoch {
		return time.Time{}, ErrEpoch
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// Day returns the date of what this build writes, "2026-01-31": that of SOURCE_DATE_EPOCH,
// else that of its commit, "" where neither is known. It is never that of today.
func (b Build) Day(epoch string) (string, error) {
	at, err := SourceDate(epoch)
	if err != nil {
		return "", err
	}
	if epoch == "" {
		if at, err = time.Parse(time.RFC3339, b.Date); err != nil {
			return "", nil
		}
	}
	return at.UTC().Format(time.DateOnly), nil
}
