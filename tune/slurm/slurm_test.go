//go:build unix

package slurm

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
)

// sbatchWaits is an sbatch that runs the script, its last argument, and waits for it. "$n" counts the calls.
const sbatchWaits = `for script; do :; done
echo x >>calls.n
n=$(grep -c x calls.n)
`

// cluster has sbatch and scancel be scripts, and returns a job of some command; folder is where they lie.
func cluster(t *testing.T, sbatch string, command ...string) (j *Job, folder string, out, said *bytes.Buffer) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range map[string]string{"sbatch": sbatchWaits + sbatch, "scancel": ""} {
		text = fmt.Sprintf("#!/bin/sh\ncd %s\necho %s \"$*\" >>calls\n%s", folder, name, text)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755))
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	out, said = &bytes.Buffer{}, &bytes.Buffer{}
	j = &Job{
		Options: Options{Gres: "gpu:1", Partition: "fast", Further: []string{"--qos=low"}, Tries: 2},
		Name:    "smux-x", Dir: t.TempDir(), Command: command, Results: filepath.Join(folder, "results"), Stdout: out, Stderr: said,
		Again:  func(why string) { fmt.Fprintln(said, "again:", why) },
		Settle: 200 * time.Millisecond, Look: 10 * time.Millisecond,
	}
	return j, folder, out, said
}

func TestWhatTheCommandPrintsIsHandedOn(t *testing.T) {
	j, folder, out, said := cluster(t, "echo 7; exec sh \"$script\"", "sh", "-c", `echo "it's $1"; pwd >&2; exit 3`, "-", "a b")
	exit, err := j.Run(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 3, exit)
	assert.Equal(t, "it's a b\n", out.String())
	here, err := os.Getwd()
	require.NoError(t, err)
	assert.Equal(t, here+"\n", said.String(), "the command runs in the working directory")
	calls, err := os.ReadFile(filepath.Join(folder, "calls"))
	require.NoError(t, err)
	assert.Regexp(t, `^sbatch --parsable --wait --job-name=smux-x --dependency=singleton .*--gres=gpu:1 --partition=fast --qos=low \S+/job\.sh\n$`, string(calls))
}

// sbatch looks at its job every half minute only.
func TestAnEndIsSeenBeforeSbatchSeesIt(t *testing.T) {
	j, _, out, _ := cluster(t, "echo 7; sh \"$script\"; exec sleep 60", "echo", "done")
	_, err := j.Run(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "done\n", out.String())
}

func TestALostJobIsSubmittedAgain(t *testing.T) {
	for _, test := range []struct {
		name, sbatch string
		calls        int
		fails        string
	}{
		{"a node dies once", `[ $n = 1 ] || sh "$script"`, 2, ""},
		{"results grow each time", `echo >>results; [ $n -lt 6 ] || sh "$script"`, 6, ""},
		{"nothing is ever measured", "exit 1", 2, "jobs-lost: 2 jobs in a row came to nothing; the last one (7) ended before its command"},
		{"it is ended by a signal", `timeout 0.1 sh "$script"`, 2, "jobs-lost"},
	} {
		t.Run(test.name, func(t *testing.T) {
			command := []string{"true"}
			if test.name == "it is ended by a signal" {
				command = []string{"sleep", "0.3"}
			}
			j, folder, _, said := cluster(t, "echo 7\n"+test.sbatch, command...)
			_, err := j.Run(t.Context())
			if test.fails == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.fails)
			}
			calls, err := os.ReadFile(filepath.Join(folder, "calls.n"))
			require.NoError(t, err)
			assert.Equal(t, test.calls, bytes.Count(calls, []byte("x")))
			assert.Contains(t, said.String(), "again: (7) ended before its command")
		})
	}
}

func TestWhatCanNotBeMendedIsNotTriedAgain(t *testing.T) {
	for _, test := range []struct {
		name, sbatch, fails string
		exit                int
	}{
		{"no such partition", "echo one >&2; echo 'sbatch: error: Invalid partition' >&2; exit 1", "job-refused: sbatch: Invalid partition", diag.ExitUsage},
		{"the node sees no such folder", `echo 7; rm -r "${script%/*}.gone" 2>/dev/null; cp "$script" copy; mv "${script%/*}" "${script%/*}.gone"; sh copy`, "not-shared: the node does not see ", diag.ExitInternal},
	} {
		t.Run(test.name, func(t *testing.T) {
			j, folder, _, _ := cluster(t, test.sbatch, "true")
			_, err := j.Run(t.Context())
			var failed *diag.Failure
			require.ErrorAs(t, err, &failed)
			assert.ErrorContains(t, err, test.fails)
			assert.Equal(t, test.exit, failed.Exit)
			assert.NotEmpty(t, failed.Help)
			calls, err := os.ReadFile(filepath.Join(folder, "calls.n"))
			require.NoError(t, err)
			assert.Equal(t, "x\n", string(calls))
		})
	}
	t.Run("no Slurm", func(t *testing.T) {
		j, _, _, _ := cluster(t, "", "true")
		t.Setenv("PATH", t.TempDir())
		_, err := j.Run(t.Context())
		assert.ErrorContains(t, err, "no-slurm: there is no sbatch on the PATH")
	})
}

func TestAnInterruptCancelsTheJob(t *testing.T) {
	j, folder, _, said := cluster(t, `echo 7; exec sh "$script"`, "sh", "-c", "echo began >&2; sleep 60")
	ctx, cancel := context.WithCancel(t.Context())
	j.Stderr = writes(func(p []byte) { said.Write(p); cancel() })
	_, err := j.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, "began\n", said.String(), "messages come while the job runs")
	calls, err := os.ReadFile(filepath.Join(folder, "calls"))
	require.NoError(t, err)
	assert.Contains(t, string(calls), fmt.Sprintf("scancel --name=smux-x --user=%d\n", os.Getuid()))
}

// writes is a writer that calls a function.
type writes func([]byte)

func (w writes) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}
