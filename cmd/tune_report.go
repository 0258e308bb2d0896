package cmd

import (
	"bytes"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/fidelity"
	"github.com/smux-cuda/smux/tune/judge"
)

// tuneFidelity is the document that `smux tune --report --json` prints.
type tuneFidelity struct {
	Schema int `json:"schema"`
	fidelity.Report
}

// report says how well the model foretold the records that are named.
func (t *tuning) report() error {
	if len(t.args) == 0 {
		return diag.Usagef("name records: smux tune --report results.jsonl", "--report reads records, and none is named")
	}
	if t.out.diff || t.out.list || t.out.write || t.out.file != "" {
		return diag.Usagef("use --replay for a diff", "--report changes no file")
	}
	var verdicts []judge.Verdict
	for _, name := range t.args {
		lines, err := t.session.readRecord(name)
		if err != nil {
			return err
		}
		verdicts = append(verdicts, judge.Of(lines, t.flags.rules())...)
	}
	verdicts = slices.DeleteFunc(verdicts, func(v judge.Verdict) bool {
		return !rewrite.Matches(t.opt.Kernels, v.Subject.Kernel) || !t.onGPU(v)
	})
	if len(verdicts) == 0 {
		return diag.Usagef("leave out --kernel or --gpu", "--report: the records hold no such measurement")
	}
	report := fidelity.Of(verdicts)
	var out bytes.Buffer
	if t.flags.asJSON {
		if err := writeDocument(&out, tuneFidelity{tuneSchema, report}); err != nil {
			return diag.Failed("writing the report", err)
		}
	} else if err := report.WriteText(&out); err != nil {
		return diag.Failed("writing the report", err)
	}
	_, err := t.session.Stdout.Write(out.Bytes())
	return err
}
