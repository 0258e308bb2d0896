package regreduce

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
)

// The codes of what came of a climb.
const (
	CodeDemoted    diag.Code = "demoted"     // a remark
	CodeNoStep     diag.Code = "no-step"     // there is nothing to climb to
	CodeNotDemoted diag.Code = "not-demoted" // no rung was accepted
	CodeNoNVCC     diag.Code = "no-nvcc"     // there is nobody to judge the rungs
)

// Message says what came of a climb for the kernel at pos.
func Message(r *Report, pos diag.Position) diag.Message {
	return diag.Message{Pos: pos, Code: r.Code, Text: r.Why, Help: diag.Help(r.Code)}
}

// Planned says what would be tried for the kernel at pos if there were a compiler. why says why there is none.
func Planned(trials []Trial, why string, pos diag.Position) diag.Message {
	text := why + "; nothing is changed"
	if len(trials) > 0 {
		list := lists.Map(trials, func(t Trial) string { return fmt.Sprintf("%s (%s)", t.Rung, t.Recipe) })
		text += ". It would try " + strings.Join(list, ", then ")
	}
	return diag.Message{Pos: pos, Code: CodeNoNVCC, Text: text, Help: diag.Help(CodeNoNVCC)}
}
