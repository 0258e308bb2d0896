package cmd

import (
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"runtime/debug"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/report/baseline"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/regreduce"
	"github.com/smux-cuda/smux/tune/bundle"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/stress"
	"github.com/smux-cuda/smux/verify"
)

// buildSchema is the version of what `smux version --json` prints.
const buildSchema = 1

// grammar is the module that the C++ grammar comes from.
const grammar = "github.com/smacker/go-tree-sitter"

// buildInfo says what this smux was made from and with. What the Go toolchain did not
// record is empty: one that was built without git has no commit.
type buildInfo struct {
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
}

// documents are what smux writes for other programs, with their versions.
var documents = []struct {
	name   string
	schema int
}{
	{"analyze", analysis.ReportSchema},
	{"rewrite", report.ChangesSchema},
	{"baseline", baseline.Schema},
	{"occupancy", occupancySchema},
	{"occupancy-stress", stressSchema},
	{"simulate", simulationSchema},
	{"tune", tuneSchema},
	{"tune-bundle", bundle.Schema},
	{"tune-record", record.Schema},
	{"stress-record", stress.Schema},
	{"verify", verify.Schema},
	{"demote-attempts", regreduce.Schema},
	{"settings", configSchema},
	{"doctor", doctorSchema},
	{"version", buildSchema},
}

// thisBuild is the build of this program. Its Version alone is the same on every
// machine.
func thisBuild() buildInfo {
	info, _ := debug.ReadBuildInfo()
	return buildOf(info)
}

// buildOf reads what the Go toolchain recorded, which may be nothing.
func buildOf(info *debug.BuildInfo) buildInfo {
	sum := sha256.Sum256(rewrite.RuntimeHeader())
	b := buildInfo{
		Schema: buildSchema, Version: "(unknown)", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Runtime: hex.EncodeToString(sum[:6]), Schemas: map[string]int{},
	}
	for _, d := range documents {
		b.Schemas[d.name] = d.schema
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
