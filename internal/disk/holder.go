package disk

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"unicode"
)

// Holder says who holds a lock on a file, as "process 4711 (smux tune a.cu)", as far as the system tells: Linux does,
// for processes that this one may see. "" if nothing is known.
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
	command, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil { // it has ended, and something that it started still has the file
		return ""
	}
	return "process " + strconv.Itoa(pid) + " (" + shown(command) + ")"
}

// shown returns a command line as /proc has it, its words ended by zeros, for a message.
func shown(command []byte) string {
	text := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, string(bytes.ToValidUTF8(command, []byte{'?'})))
	const most = 80
	words := []rune(strings.Join(strings.Fields(text), " "))
	if len(words) > most {
		return string(words[:most]) + "..."
	}
	return string(words)
}

// holder returns the process that holds a lock by flock on a file in the text of /proc/locks, 0 for none. A line is
// "1: FLOCK  ADVISORY  WRITE 9750 fe:00:9978244 0 EOF"; with "->" after the number it waits.
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
