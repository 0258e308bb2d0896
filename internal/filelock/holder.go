package filelock

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// Holder says who holds a lock on a file, as "process 4711 (smux tune a.cu)", as
// far as the system tells: Linux does, for processes that this one may see. "" where
// nothing is known.
func Holder(f *os.File) string {
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	id := device(info)
	if id == "" {
		return ""
	}
	table, err := os.ReadFile("/proc/locks")
	if err != nil {
		return ""
	}
	pid := holder(string(table), id)
	if pid <= 0 {
		return ""
	}
	text := "process " + strconv.Itoa(pid)
	if command, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline"); len(command) > 0 {
		words := strings.Fields(string(bytes.ReplaceAll(command, []byte{0}, []byte{' '})))
		text += " (" + strings.Join(words, " ") + ")"
	}
	return text
}

// holder is the process that holds a lock by flock on a file in the text of
// /proc/locks, 0 for none. A line is "1: FLOCK  ADVISORY  WRITE 9750 fe:00:9978244 0 EOF";
// with "->" behind the number it waits.
func holder(table, id string) int {
	for line := range strings.Lines(table) {
		w := strings.Fields(line)
		if len(w) >= 6 && w[1] == "FLOCK" && w[5] == id {
			pid, _ := strconv.Atoi(w[4])
			return pid
		}
	}
	return 0
}
