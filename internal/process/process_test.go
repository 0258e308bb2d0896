//go:build unix

package process_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/internal/process"
)

func TestWhatACommandStartedEndsWithIt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := process.Command(ctx, "sh", "-c", "sleep 60 & echo $!; wait")
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	child, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	require.True(t, alive(child))

	cancel()
	assert.Error(t, c.Wait())
	assert.Eventually(t, func() bool { return !alive(child) }, time.Minute, 5*time.Millisecond)
}

func TestACommandThatEndsByItselfIsNoError(t *testing.T) {
	out, err := process.Command(context.Background(), "sh", "-c", "echo done").Output()
	require.NoError(t, err)
	assert.Equal(t, "done\n", string(out))
}

func TestACommandThatPrintsWithoutEndIsEnded(t *testing.T) {
	out, err := process.Output(process.Command(context.Background(), "sh", "-c", "while :; do echo more; done"), 1000)
	assert.Error(t, err)
	assert.Len(t, out, 1001)
	out, err = process.Output(process.Command(context.Background(), "sh", "-c", "echo done"), 5)
	require.NoError(t, err)
	assert.Equal(t, "done\n", string(out))
}

// alive says whether a process runs. One that has ended but that nobody has
// waited for doesn't.
func alive(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// guarded is printed by a victim once the guard knows of its command.
const guarded = "guarded"

// TestWhatACommandStartedEndsWithAKilledProcess: the process is this test, killed as
// nothing can catch it; the command has started another one.
func TestWhatACommandStartedEndsWithAKilledProcess(t *testing.T) {
	if os.Getenv("SMUX_TEST_VICTIM") != "" {
		c := process.Command(context.Background(), "sh", "-c", "sleep 60 & echo $! $$; wait")
		c.Stdout = os.Stdout
		require.NoError(t, c.Start())
		fmt.Println(guarded)
		_ = c.Wait()
		return
	}
	self, err := os.Executable()
	require.NoError(t, err)
	victim := exec.Command(self, "-test.run", "^"+t.Name()+"$")
	victim.Env = append(os.Environ(), "SMUX_TEST_VICTIM=1")
	out, err := victim.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, victim.Start())
	var child, shell int
	lines := bufio.NewReader(out)
	for range 2 { // the command's and the victim's, in any order
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		if line != guarded+"\n" {
			_, err = fmt.Sscan(line, &child, &shell)
			require.NoError(t, err)
		}
	}
	require.True(t, alive(child))
	require.NoError(t, victim.Process.Kill())
	_ = victim.Wait()
	assert.Eventually(t, func() bool { return !alive(child) && !alive(shell) }, time.Minute, 5*time.Millisecond)
}
