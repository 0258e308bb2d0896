package doctor

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestVersionSaysWhatTheToolchainRecorded(t *testing.T) {
	machine := " " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	dep := &debug.Module{Path: grammar, Version: "v0.1.0"}
	for _, tt := range []struct {
		name, line, date, cgo, grammar string
		modified                       bool
		info                           *debug.BuildInfo
	}{
		{name: "nothing", line: "smux (unknown)" + machine},
		{name: "a tarball", line: "smux (devel)" + machine, cgo: "enabled", grammar: grammar + " v0.1.0", info: &debug.BuildInfo{
			Main: debug.Module{Version: "(devel)"}, Deps: []*debug.Module{{Path: "other"}, dep},
			Settings: []debug.BuildSetting{{Key: "CGO_ENABLED", Value: "1"}},
		}},
		{name: "go install of a version", line: "smux v1.2.3" + machine, grammar: "fork v0.2.0", info: &debug.BuildInfo{
			Main: debug.Module{Version: "v1.2.3"},
			Deps: []*debug.Module{{Path: grammar, Version: "v0.1.0", Replace: &debug.Module{Path: "fork", Version: "v0.2.0"}}},
		}},
		{name: "a changed clone", line: "smux v0.0.0-x commit 0123456789ab (modified)" + machine, date: "2026-01-02T03:04:05Z", modified: true, info: &debug.BuildInfo{
			Main:     debug.Module{Version: "v0.0.0-x"},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"}},
		}},
		{name: "a short revision", line: "smux (devel) commit 12" + machine, info: &debug.BuildInfo{
			Main:     debug.Module{Version: "(devel)"},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "12"}, {Key: "vcs.modified", Value: "false"}},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			documents := []Document{{"analyze", 3}, {"version", BuildSchema}}
			b := buildOf(tt.info, documents)
			assert.Equal(t, tt.line, b.String())
			assert.Equal(t, tt.date, b.Date)
			assert.Equal(t, tt.cgo, b.CGO)
			assert.Equal(t, tt.grammar, b.Grammar)
			assert.Equal(t, tt.modified, b.Modified)
			assert.Len(t, b.Runtime, 12)
			assert.Equal(t, map[string]int{"analyze": 3, "version": BuildSchema}, b.Schemas)
		})
	}
}

// What is written never has the date of the day on which it is.
func TestTheDayIsThatOfTheCommit(t *testing.T) {
	for _, tt := range []struct{ commit, epoch, want string }{
		{"", "", ""},
		{"2026-01-02T23:04:05-05:00", "", "2026-01-03"},
		{"2026-01-02T03:04:05Z", "0", "1970-01-01"},
		{"nonsense", "", ""},
	} {
		got, err := Build{Date: tt.commit}.Day(tt.epoch)
		assert.NoError(t, err)
		assert.Equal(t, tt.want, got)
	}
	for _, epoch := range []string{"-1", "x", "99999999999999", "1.5"} {
		_, err := Build{}.Day(epoch)
		assert.ErrorIs(t, err, ErrEpoch, epoch)
	}
}

func TestARevisionIsOneThatCanBeCheckedOut(t *testing.T) {
	for _, c := range []struct {
		build Build
		want  string
		known bool
	}{
		{Build{Version: "v1.2.3"}, "v1.2.3", true},
		{Build{Version: "v1.2.3-0.20260101000000-abc", Commit: "abc"}, "abc", true},
		{Build{Version: "(devel)", Commit: "abc", Modified: true}, "REVISION", false},
		{Build{Version: "v1.2.3+dirty"}, "REVISION", false},
		{Build{Version: "(unknown)"}, "REVISION", false},
	} {
		got, known := c.build.Revision()
		assert.Equal(t, c.want, got, c.build.Version)
		assert.Equal(t, c.known, known, c.build.Version)
	}
}
