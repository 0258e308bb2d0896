package config_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/project/config"
)

const board = `[gpu.mine]
product = "Mine"
cc = "8.0"
sms = 10
clock_mhz = 1000
bandwidth_gbs = 100
l2_bandwidth_gbs = 300
l2_kib = 4096
memory_mib = 8192
source = "made up"
`

// boards is a file of GPUs beside the settings.
func boards(name string) ([]byte, error) {
	switch filepath.ToSlash(name) {
	case "team/boards.toml":
		return []byte(board), nil
	case "team/bad.toml":
		return []byte("[gpu.mine]\nnonsense = 1\n"), nil
	}
	return nil, errors.New("there is no such file")
}

func read(t *testing.T, text string) *config.Settings {
	t.Helper()
	s, err := config.Read("team/.smux.yaml", []byte(text), boards)
	require.NoError(t, err)
	return s
}

func TestAFileSaysWhatItSays(t *testing.T) {
	s := read(t, `
gpus: [a100, t4@32]
min-gain: 2.5
resources: estimate
runtime: header
block: 256
rewrites: [vtb, dyn]
exclude: ["third_party/", "!keep.cu"]
compile-commands: build
include: inc
define: [N=4, DEBUG]
baseline: {file: occupancy.json, threshold: 0}
kernels:
  fft_small:
    pin: vtb named N=2
  "fft*":
    rewrites: dyn
    min-gain: 0
  old: {leave: it is going away}
`)
	assert.Equal(t, []string{"a100", "t4@32"}, s.GPUs)
	assert.Equal(t, 2.5, *s.MinGain)
	assert.Equal(t, "estimate header 256", strings.Join([]string{s.Resources, s.Runtime, s.Block}, " "))
	assert.Equal(t, []string{"vtb", "dyn"}, s.Rewrites)
	assert.Equal(t, []string{"third_party/", "!keep.cu"}, s.Exclude)
	assert.Equal(t, filepath.Join("team", "build"), s.CompileCommands, "relative to the folder of the file")
	assert.Equal(t, []string{filepath.Join("team", "inc")}, s.Include)
	assert.Equal(t, []string{"N=4", "DEBUG"}, s.Define)
	assert.Equal(t, filepath.Join("team", "occupancy.json"), s.Baseline.File)
	assert.Zero(t, *s.Baseline.Threshold)

	assert.Equal(t, "vtb named N=2", s.Kernel("fft_small").Pin, "the first that matches counts")
	assert.Equal(t, []string{"dyn"}, s.Kernel("fft_large").Rewrites)
	assert.Zero(t, *s.Kernel("fft_large").MinGain)
	assert.Equal(t, "it is going away", s.Kernel("old").Leave)
	assert.Nil(t, s.Kernel("other"))
	assert.Nil(t, (*config.Settings)(nil).Kernel("other"))

	assert.Equal(t, diag.Position{File: "team/.smux.yaml", Line: 3, Column: 1}, s.At["min-gain"])
	assert.Equal(t, diag.Position{File: "team/.smux.yaml", Line: 12, Column: 34}, s.At["baseline.threshold"])
	assert.Equal(t, diag.Position{File: "team/.smux.yaml", Line: 16, Column: 3}, s.Kernel("fft_large").Pos)
	assert.Equal(t, diag.Position{File: "team/.smux.yaml", Line: 18, Column: 5}, s.Kernel("fft_large").At["min-gain"])
}

func TestWhatIsNotSaidStaysUnsaid(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "\ufeff", "\ufeff# nothing\r\n", "{}"} {
		s := read(t, text)
		assert.NotEmpty(t, s.Dir)
		s.Dir, s.File = "", ""
		assert.Equal(t, &config.Settings{At: map[string]diag.Position{}}, s, "%q", text)
	}
}

func TestSpellingsOfTheSame(t *testing.T) {
	want := []string{"a100", "t4"}
	for _, text := range []string{
		"gpus: a100,t4", "gpus: a100, t4", "gpus: [a100, t4]", "gpus:\n- a100\n- t4\n", "gpus:\r\n  - a100\r\n  - t4\r\n",
		"\ufeffgpus: [a100, t4]", "{\"gpus\": [\"a100\", \"t4\"]}", "gpus: [a100, t4]\n...\n", "--- # x\ngpus: [a100, t4]\n",
	} {
		assert.Equal(t, want, read(t, text).GPUs, "%q", text)
	}
	assert.Equal(t, []string{"8.6"}, read(t, "gpus: 8.6").GPUs, "a compute capability has the look of a number")
	assert.Equal(t, []string{"mine"}, read(t, "gpus: mine\ngpu-file: boards.toml").GPUs)
	assert.Equal(t, []string{"native"}, read(t, "gpus: native").GPUs)
}

// TestWhatIsWrongIsTold holds each text against its messages, without the file's
// name, and the help after a bar.
func TestWhatIsWrongIsTold(t *testing.T) {
	for text, want := range map[string][]string{
		"gpu_file: x":              {`1:1: config-key: unknown key "gpu_file" of a file | did you mean "gpu-file"?`},
		"pin: vtb":                 {`1:1: config-key: unknown key "pin" of a file | it is a key of a kernel: write it below kernels and the name of the kernel`},
		"kernels: {k: {gpus: t4}}": {`1:15: config-key: unknown key "gpus" of a kernel | it is a key of the whole file: write it without indentation`},
		"baseline: {treshold: 1}":  {`1:12: config-key: unknown key "treshold" of baseline | did you mean "threshold"?`},
		"[a]: b":                   {`1:1: config-key: a key must be a name, not a list | `},
		"gpus: t4\ngpus: t4":       {`2:1: config-key: "gpus" stands here a second time; the first is in line 1 | write all of it in one place`},
		"kernels:\n  k: {pin: vtb}\n  k: {pin: dyn}": {`3:3: config-key: "k" stands here a second time; the first is in line 2 | write all of it in one place`},
		"kernels: {k: {pin: vtb, leave: x}}":         {`1:15: config-key: kernel "k": leave says that the kernel is never rewritten, so pin means nothing | take one of them away`},
		"kernels: {k: {}}":                           {`1:14: config-value: kernel "k" has no settings | say what smux should do with it, or take it away`},
		"kernels: {k: {pin: vbt N=2}}":               {`1:20: config-value: pin: "vbt" is not a rewrite | did you mean "vtb"?`},
		"kernels: {'a[': {pin: vtb}}":                {`1:11: config-value: "a[" is neither a name nor a glob | globs know *, ? and [a-z]`},
		`kernels: {"\e[2J": {pin: vtb}}`:             {`1:11: config-value: "\x1b[2J" is neither a name nor a glob | globs know *, ? and [a-z]`},
		"programs: {p.cu: {}}":                       {`1:18: config-value: program "p.cu" has no settings | say what smux should do with it, or take it away`},
		"programs: {p.cu: {args: \"'a\"}}":           {`1:25: config-value: args: a quote is not closed | quote as a shell does`},
		"programs: {p.cu: {arg: a}}":                 {`1:19: config-key: unknown key "arg" of a program | did you mean "args"?`},
		"args: a":                                    {`1:1: config-key: unknown key "args" of a file | it is a key of a program: write it below programs and the name of its file`},
		"kernels: [k]":                               {`1:10: config-value: kernels must be a mapping of keys, not a list | write its keys below it, indented`},

		"gpus: [a100, t44]":    {`1:14: config-value: gpus: "t44" is not a GPU that smux knows | did you mean "t4", "k40" or "m40"?`},
		"gpus: gtx480@17":      {`1:7: config-value: gpus: gtx480 has no 17 kB of shared memory per SM, but 16 or 48 kB | `},
		"gpus: []":             {`1:7: config-value: gpus names nothing | take the key away where all are meant`},
		"gpus:":                {`1:6: config-value: gpus must be text, not nothing | remove the key, or give it a value`},
		"gpus: [a100, '']":     {`1:14: config-value: gpus is empty | remove the key, or give it a value`},
		"gpus: {a: b}":         {`1:7: config-value: gpus must be text, not a mapping | `},
		"gpu-file: nope.toml":  {`1:11: config-value: gpu-file: there is no such file | paths are relative to the folder of this file`},
		"gpu-file: [a]":        {`1:11: config-value: gpu-file must be one text, not a list | `},
		"min-gain: 5%":         {`1:11: config-value: min-gain must be a number of percent, not the text "5%" | write min-gain: 5 for 5 %`},
		"min-gain: -1":         {`1:11: config-value: min-gain must be from 0 to 1000 percent, got -1 | write min-gain: 5 for 5 %`},
		"min-gain: .nan":       {`1:11: config-value: min-gain must be from 0 to 1000 percent, got .nan | write min-gain: 5 for 5 %`},
		"resources: nvc":       {`1:12: config-value: resources knows no "nvc" | did you mean "nvcc"?`},
		"resources: true":      {`1:12: config-value: resources must be text, not the truth value true | write it in quotes, "true", if that is what it is called`},
		"runtime: [inline]":    {`1:10: config-value: runtime must be one text, not a list | `},
		"rewrites: [vtb, vbt]": {`1:17: config-value: rewrites knows no "vbt" | did you mean "vtb"?`},
		"block: 32,33":         {`1:8: config-value: block: "32,33" has more than 1024 threads | write X, X,Y or X,Y,Z`},
		"define: 3=4":          {`1:9: config-value: define: "3=4" does not define a macro name | write NAME or NAME=VALUE`},
		"exclude: ['a[']":      {`1:11: config-value: exclude: "a[" is not a glob | patterns are those of .gitignore: *, **, ? and [a-z]`},
		"exclude: ['#x']":      {`1:11: config-value: exclude: "#x" matches no file | patterns are those of .gitignore, such as third_party/ or *_test.cu`},
		"exclude: ../x":        {`1:10: config-value: exclude: "../x" leads out of the folder | patterns are relative to the folder of this file: put the file further up`},
		`include: "a\nb"`:      {`1:10: config-value: include holds a control character: "a\nb" | `},
		"- a":                  {`1:1: config-value: the file must be a mapping of keys, not a list | write KEY: VALUE, such as gpus: a100`},

		"a: [1\nb: 2\n":          {`2:2: config-syntax: this is not YAML: did not find expected ',' or ']' | `},
		"kernels:\n  *k: {}\n":   {`2:3: config-syntax: this is not YAML: unknown anchor 'k' referenced | a glob that begins with * stands in quotes, such as "*_tile"`},
		"exclude:\n\t- x\n":      {`2:1: config-syntax: this is not YAML: found character that cannot start any token | YAML is indented with spaces, not with tabs`},
		"exclude:\n- !keep.cu\n": {`2:3: config-syntax: tags (!keep.cu) are not taken | a text that begins with ! stands in quotes, such as "!keep.cu"`},
		"gpus: &x [t4]\ninclude: *x\n": {
			`1:7: config-syntax: anchors (&x) are not taken | write it out where it is needed; texts that begin with & stand in quotes`,
			`2:10: config-syntax: aliases (*x) are not taken | write it out; a glob that begins with * stands in quotes, such as "*_tile"`,
		},
		"<<: {gpus: t4}":                       {`1:1: config-syntax: tags (!!merge) are not taken | a text that begins with ! stands in quotes, such as "!keep.cu"`},
		"gpus: t4\n---\ngpus: t4\n":            {`2:1: config-syntax: a second document begins here, and the file may have one | take the line "---" away, and what is after it`},
		"\xff\xfeg\x00":                        {`1:1: config-syntax: the file is in UTF-16 | save it as UTF-8`},
		"gpus: t4\ninclude: ü\xfc":             {`2:12: config-syntax: the file is not UTF-8 | save it as UTF-8`},
		"include: [ü, {}]":                     {`1:15: config-value: include must be text, not a mapping | `}, // columns count bytes
		strings.Repeat("#", config.MaxBytes+1): {`1:1: config-syntax: the file has more than 1024 kB, which no settings need | `},
		"gpus: " + strings.Repeat("[", 20) + strings.Repeat("]", 20): {`1:23: config-syntax: values are nested deeper than any setting | `},

		// All of a file at once, by place.
		"rewrites: [vbt]\nkernels:\n  k: {min-gain: x}\nmin_gain: 3\n": {
			`1:12: config-value: rewrites knows no "vbt" | did you mean "vtb"?`,
			`3:17: config-value: min-gain must be a number of percent, not the text "x" | write min-gain: 5 for 5 %`,
			`4:1: config-key: unknown key "min_gain" of a file | did you mean "min-gain"?`,
		},
	} {
		s, err := config.Read("team/.smux.yaml", []byte(text), boards)
		var wrong *config.Error
		if !assert.ErrorAs(t, err, &wrong, "%.60q", text) {
			continue
		}
		assert.Nil(t, s, "nothing counts of a file with an error")
		var got []string
		for _, m := range wrong.Messages {
			got = append(got, strings.TrimPrefix(m.String(), "team/.smux.yaml:")+" | "+m.Help)
		}
		assert.Equal(t, want, got, "%.60q", text)
	}
}

func TestErrorsOfTheFileOfGPUsKeepTheirPlace(t *testing.T) {
	_, err := config.Read("team/.smux.yaml", []byte("gpu-file: bad.toml"), boards)
	var wrong *config.Error
	require.ErrorAs(t, err, &wrong)
	assert.Equal(t, filepath.Join("team", "bad.toml"), wrong.Messages[0].Pos.File)
	assert.Contains(t, err.Error(), "gpu-file:")
}

// FuzzRead: no text makes the reader fail in another way than by messages that have
// a place in the text, and what it takes it takes again.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"gpus: [a100, t4]\nmin-gain: 5\nkernels:\n  \"fft*\":\n    pin: vtb named N=2\n", "a: &x [*x]", "? a\n: b", "\ufeff{}", "x: !!binary aGk=",
		"baseline: {file: a, threshold: 1e400}", "gpus: |\n  a\n  b\n", "%YAML 1.2\n---\n", "a: 'b\n\n", "- - - - -", "\r\r\n", "min-gain: 0x_1", "!!merge <<: x",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := config.Read("f.yaml", src, boards)
		var wrong *config.Error
		if err == nil {
			require.NotNil(t, s)
			again, err := config.Read("f.yaml", src, boards)
			require.NoError(t, err)
			require.Equal(t, s, again)
			return
		}
		require.ErrorAs(t, err, &wrong)
		require.NotEmpty(t, wrong.Messages)
		lines := strings.Count(string(src), "\n") + strings.Count(string(src), "\r") + strings.Count(string(src), "\u2028") + strings.Count(string(src), "\u2029") + strings.Count(string(src), "\u0085")
		for _, m := range wrong.Messages {
			require.NotEmpty(t, m.Text)
			require.True(t, m.Pos.IsValid(), "%s", m)
			require.LessOrEqual(t, m.Pos.Line, lines+2, "%s", m)
		}
	})
}
