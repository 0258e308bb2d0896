package judge

import "github.com/smux-cuda/smux/tune/record"

// Decide is the verdict on the only subject of some lines, without remarks, which
// take most of the time of many verdicts.
func Decide(lines []record.Line, r Rules) Verdict {
	return decide(collect(record.BySubject(lines)[0]), r).verdict
}
