package slurm

import (
	"strconv"
	"strings"
)

// mostTasks is the largest number of a task that is believed.
const mostTasks = 1 << 22

// parseTasks reads lines "JOB_TASK|STATE|NODE|REASON" of squeue or sacct into tasks by their
// number in the array. Lines of other jobs, and of steps ("7_1.batch"), are passed over. Of
// a task that stands there several times the last line counts, as sacct orders those of a
// task that was requeued.
func parseTasks(text, job string) map[int]Task {
	out := map[int]Task{}
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimRight(line, "\r\n"), "|")
		if len(f) < 2 {
			continue
		}
		id, rest, ok := strings.Cut(strings.TrimSpace(f[0]), "_")
		if !ok || id != job {
			continue
		}
		t := Task{State: parseState(f[1])}
		if t.State == "" {
			continue
		}
		if len(f) > 2 {
			t.Node = parseNode(f[2])
		}
		if len(f) > 3 {
			t.Reason = parseNode(f[3])
		}
		for _, n := range parseArray(rest) {
			out[n] = t
		}
	}
	return out
}

// parseNode drops what stands for nothing.
func parseNode(text string) string {
	switch text = strings.TrimSpace(text); text {
	case "(null)", "None assigned", "None", "n/a":
		return ""
	}
	return text
}

// parseArray reads which tasks are meant: "4", or "[0-3,7,10-20:5%4]" for some that wait and
// stand in one line. Of a list that Slurm has cut off ("[1,3,5-...]") it returns what is there.
func parseArray(text string) []int {
	text = strings.TrimSpace(text)
	text, bracketed := strings.CutPrefix(text, "[")
	text = strings.TrimSuffix(text, "]")
	text, _, _ = strings.Cut(text, "%")
	var out []int
	for part := range strings.SplitSeq(text, ",") {
		span, by, stepped := strings.Cut(part, ":")
		low, high, isSpan := strings.Cut(span, "-")
		first, ok := number(low)
		if !ok {
			continue
		}
		last, step := first, 1
		if isSpan {
			if last, ok = number(high); !ok {
				last = first
			}
		}
		if stepped {
			if step, ok = number(by); !ok || step == 0 {
				continue
			}
		}
		if !bracketed && (isSpan || stepped) {
			return nil // no number of a task
		}
		for n := first; n <= last; n += step {
			out = append(out, n)
		}
	}
	return out
}

func number(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0 && n <= mostTasks
}

// formatArray writes which tasks are meant, in rising order, as sbatch takes it.
func formatArray(tasks []int) string {
	var out strings.Builder
	for i := 0; i < len(tasks); {
		end := i
		for end+1 < len(tasks) && tasks[end+1] == tasks[end]+1 {
			end++
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(strconv.Itoa(tasks[i]))
		if end > i {
			out.WriteString("-" + strconv.Itoa(tasks[end]))
		}
		i = end + 1
	}
	return out.String()
}
