//go:build linux

package record_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/tune/record"
)

// These make this test program do something to a store and end: tests start it as
// another process.
const (
	processVariable = "SMUX_TEST_STORE_PROCESS" // the name of what to do
	fileVariable    = "SMUX_TEST_STORE_FILE"
)

func TestStoreProcess(t *testing.T) {
	do := map[string]func(*testing.T, string){"fill": fillToTheLimit, "write": writeForever, "nobody": openAsNobody}[os.Getenv(processVariable)]
	if do == nil {
		t.Skip("is started by other tests")
	}
	do(t, os.Getenv(fileVariable))
}

// process is a command that does something to a store, after what the shell does.
func process(do, path, shell string) *exec.Cmd {
	c := exec.Command("sh", "-c", shell+` exec "$0" -test.run '^TestStoreProcess$' -test.v`, os.Args[0])
	c.Env = append(os.Environ(), processVariable+"="+do, fileVariable+"="+path)
	return c
}

func run(t *testing.T, c *exec.Cmd) string {
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

func TestAFileThatMayNotGrowIsLeftWholeAndCanBeWrittenToLater(t *testing.T) {
	path, _ := filled(t)
	out := run(t, process("fill", path, "ulimit -S -f 8;")) // of 512 bytes
	assert.Contains(t, out, "file too large")
	lines, torn, err := record.ReadTorn(path)
	require.NoError(t, err)
	assert.Zero(t, torn)
	last := lines[len(lines)-1]
	assert.Equal(t, 1000, last.Pair.Turn, "added when there was room again")
	for i, l := range lines[3 : len(lines)-1] {
		assert.Equal(t, 2+i, l.Pair.Turn)
	}
	assert.Greater(t, len(lines), 5)
}

// fillToTheLimit adds lines until there is no room, then makes room and adds another.
func fillToTheLimit(t *testing.T, path string) {
	s := open(t, path)
	for turn := 2; ; turn++ {
		before := read(t, path)
		err := s.Append(pairOf(turn))
		if err == nil {
			continue
		}
		var full *diag.Failure
		require.ErrorAs(t, err, &full)
		fmt.Println(err)
		assert.Contains(t, full.Help, "make room")
		assert.Equal(t, before, read(t, path))
		assert.Len(t, s.Lines(), turn+1)
		break
	}
	assert.Error(t, s.Append(pairOf(7)), "still")
	// What smux starts is not to be different for it.
	err := exec.Command("sh", "-c", "kill -XFSZ $$; exit 0").Run()
	var ended *exec.ExitError
	require.ErrorAs(t, err, &ended, "the signal ends a child")
	assert.Equal(t, syscall.SIGXFSZ, ended.Sys().(syscall.WaitStatus).Signal())

	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	limit.Cur = limit.Max
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	require.NoError(t, s.Append(pairOf(1000)))
	require.NoError(t, s.Close())
}

func TestAStoreThatCannotBeWrittenIsRefusedAtOnce(t *testing.T) {
	dir, err := os.MkdirTemp("", "smux-store-") // others have to come by
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	require.NoError(t, os.Chmod(dir, 0o755))
	_, text := filled(t)
	path := filepath.Join(dir, "s.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o444))
	run(t, process("nobody", path, ""))
	assert.Equal(t, text, read(t, path))
	assert.NoFileExists(t, path+".new")
}

func openAsNobody(t *testing.T, path string) {
	if os.Getuid() == 0 { // whom nothing is forbidden
		require.NoError(t, syscall.Setuid(65534))
	} else {
		require.NoError(t, os.Chmod(filepath.Dir(path), 0o555))
		defer os.Chmod(filepath.Dir(path), 0o755)
	}
	for _, file := range []string{path, path + ".new"} {
		_, err := record.Open(file)
		assert.ErrorIs(t, err, os.ErrPermission)
		assert.Contains(t, err.Error(), "permission denied")
	}
	lines, _, err := record.ReadTorn(path)
	require.NoError(t, err)
	assert.Len(t, lines, 3)
}

// A process adds lines and says so of each when Append has returned. Wherever it is
// killed, the next one finds all that was said, once and in order.
func TestWhatWasAddedOutlivesAnyKill(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("SMUX_TEST_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	t.Logf("SMUX_TEST_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	path, _ := filled(t)
	said, torn, early := -1, 0, 0
	for range 50 {
		c := process("write", path, "")
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		killIn := func(most time.Duration) {
			time.AfterFunc(time.Duration(random.Int64N(int64(most))), func() { c.Process.Kill() })
		}
		more := random.IntN(13) // lines that it says before it is killed
		if more == 0 {          // while it opens the store, perhaps
			killIn(30 * time.Millisecond)
		}
		before := said
		for lines := bufio.NewScanner(out); lines.Scan(); {
			text, ok := strings.CutPrefix(lines.Text(), "added ")
			if !ok {
				continue
			}
			turn, err := strconv.Atoi(text)
			require.NoError(t, err)
			said = max(said, turn)
			if more--; more == 0 {
				killIn(3 * time.Millisecond)
			}
		}
		var ended *exec.ExitError
		require.ErrorAs(t, c.Wait(), &ended)
		require.Equal(t, syscall.SIGKILL, ended.Sys().(syscall.WaitStatus).Signal(), "the process ended by itself")
		if before == said {
			early++
		}
		lines, n, err := record.ReadTorn(path)
		require.NoError(t, err)
		if n > 0 {
			torn++
		}
		lines = lines[3:]
		require.GreaterOrEqual(t, len(lines), said+1, "nothing that was said is lost")
		require.LessOrEqual(t, len(lines), said+2+4, "and nothing is there that wasn't added: at most one append was under way")
		for i, l := range lines {
			require.Equal(t, i, l.Pair.Turn)
		}
		said = len(lines) - 1
	}
	t.Logf("%d lines; %d ends were torn; %d kills before the first line", said+1, torn, early)
	assert.Less(t, early, 25, "most kills are to hit a process that writes")
}

// writeForever goes on where the store ends: with small lines, with lines of many
// pages, which a kill tears, and with several at once.
func writeForever(t *testing.T, path string) {
	s, err := record.Open(path)
	require.NoError(t, err)
	big := make([]float64, 1500)
	for i := range big {
		big[i] = 1 + float64(i)/3
	}
	for {
		turn := len(s.Lines()) - 3
		lines := []record.Line{pairOf(turn)}
		switch {
		case turn%13 == 1:
			lines[0].Pair.Base = big
		case turn%3 == 2:
			for i := range 4 {
				lines = append(lines, pairOf(turn+1+i))
			}
		}
		if err := s.Append(lines...); err != nil {
			require.Fail(t, errors.Join(errors.New("append"), err).Error())
		}
		fmt.Println("added", turn+len(lines)-1)
	}
}
