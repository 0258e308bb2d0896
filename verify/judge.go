package verify

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
)

// collect makes findings of all runs, weighs them, and fills the verdict. The
// order of everything is that of the request, whatever ran first.
func (s *session) collect(v *Verdict) {
	var original []Finding // all of them, to compare with
	for _, sub := range s.subjects {
		s.sortRuns(sub)
		s.failUnjudged(sub)
		var found []Finding
		for _, r := range sub.runs {
			var ofRun []Finding
			for _, f := range s.findings(sub, r) {
				ofRun = merge(ofRun, f)
			}
			for _, f := range ofRun {
				f.Runs[0].Orders = min(f.Runs[0].Orders, 1)
				found = merge(found, f)
			}
		}
		for i := range found {
			s.weigh(sub, &found[i], original)
		}
		if sub == s.original {
			original = found
		}
		found = withoutTraces(found)
		v.Rows = append(v.Rows, s.rows(sub, found)...)
		if sub == s.original && len(s.Variants) > 0 {
			found = s.failOrderDependent(found)
		}
		v.Findings = append(v.Findings, found...)
		v.Failures = append(v.Failures, sub.failures...)
		v.Explored = append(v.Explored, sub.explored...)
		v.Remarks = slices.Concat(v.Remarks, partlyChecked(sub), partlyExplored(sub))
		for _, m := range notModelled(sub) {
			if !slices.ContainsFunc(v.Remarks, func(o diag.Message) bool { return o.Text == m.Text }) {
				v.Remarks = append(v.Remarks, m)
			}
		}
	}
	// Its variants have the same ones.
	v.Remarks = slices.Concat(v.Remarks, s.original.remarks, s.remarks)
}

// failOrderDependent makes what the order of threads changes in the original's output a reason why nothing can be
// compared with it, and returns the other findings.
func (s *session) failOrderDependent(found []Finding) (others []Finding) {
	for _, f := range found {
		if f.Message.Code != CodeOrderDependent {
			others = append(others, f)
			continue
		}
		s.anyOutput = true
		f.Message.Text += "; this is the original itself, in " + f.Runs[0].String()
		s.original.fail(f.Message, nil)
	}
	return others
}

// partlyChecked remarks that races may have gone unseen, and that sums are more exact than on a GPU.
func partlyChecked(sub *subject) (out []diag.Message) {
	most, sums := int64(0), false
	for _, r := range sub.runs {
		if r.result != nil && r.result.End != nil {
			most = max(most, r.result.End.Unchecked)
			sums = sums || r.result.End.Sums
		}
	}
	remark := func(code diag.Code, text string) {
		out = append(out, diag.Message{Pos: diag.Position{File: sub.program.name()}, Code: code, Text: text, Help: diag.Help(code)})
	}
	if most > 0 {
		remark(CodePartlyChecked, fmt.Sprintf("%s: %d %s touched more memory than is looked at for races", sub.name, most, map[bool]string{true: "launch", false: "launches"}[most == 1]))
	}
	if sums && sub.name == OriginalName {
		remark(CodeExactSums, "atomics add up numbers with fractions; here each sum is exact and rounded once, on a GPU its last digits depend on the order of the threads")
	}
	return out
}

// notModelled remarks on what the program's runs used and say nothing of, each where it was first seen.
func notModelled(sub *subject) (out []diag.Message) {
	for _, r := range sub.runs {
		for i := 0; r.result != nil && i < len(r.result.Report); i++ {
			if f := &r.result.Report[i]; f.Code == CodeNotModelled {
				out = append(out, messageOf(f, sub.places))
			}
		}
	}
	return out
}

// sortRuns puts runs into the order of the request.
func (s *session) sortRuns(sub *subject) {
	modes := []build.Mode{build.Plain, build.Checked, build.Address}
	orders := s.allOrders()
	slices.SortStableFunc(sub.runs, func(a, b *run) int {
		return cmp.Or(slices.Index(modes, a.mode)-slices.Index(modes, b.mode), a.args-b.args, slices.Index(orders, a.order)-slices.Index(orders, b.order))
	})
}

// merge adds a finding, or the run of a finding that is known.
func merge(found []Finding, f Finding) []Finding {
	i := slices.IndexFunc(found, func(o Finding) bool { return o.key.equal(f.key) && o.Severity == f.Severity })
	if i < 0 {
		return append(found, f)
	}
	found[i].addRuns(f.Runs)
	return found
}

// findings returns what one run showed: the runtime's report, and how the run differs from the reference.
func (s *session) findings(sub *subject, r *run) []Finding {
	// What a program that is checked alone showed before it crashed, say, stands; why it ended so is among its failures.
	cut := !r.judged && sub == s.original && len(s.Variants) == 0
	if r.result == nil || !r.judged && !cut {
		return nil
	}
	name := RunName{Order: r.order.String(), Args: s.Args[r.args], Build: string(r.mode)}
	if r.explored {
		name.Order, name.Steps, name.Orders = everyOrder.Kind, name.Order, 1
	}
	var out []Finding
	add := func(f Finding) {
		f.Variant, f.Check, f.Runs = sub.name, checkOf(f.Message.Code), []RunName{name}
		f.Severity = cmp.Or(f.Severity, Counts)
		out = append(out, f)
	}
	report := r.result.Report
	for i := range report {
		f := &report[i]
		switch f.Code {
		case reportCrash, reportNotSupported, CodeNeedsLibrary, CodeNotModelled:
			continue // canJudge, badEnd and notModelled look at these
		}
		if !sub.isUsed(f, report) {
			continue
		}
		out := s.finding(sub, f, r.isFatal() && i == len(report)-1)
		switch u := useIn(f, r.args); {
		case len(s.Variants) > 0:
		case u.note && s.idle[u]:
			out.Severity = Note
			out.Message.Text += "; no output depends on it"
		case u.copy && r.result.TimedOut:
			out.Severity = Note
			out.Message.Text += "; what becomes of it, a run that did not end does not tell"
		}
		add(out)
	}
	if cut {
		return out
	}
	if m := s.badEnd(sub, r); m != nil {
		add(Finding{Message: *m, key: key{code: m.Code}})
	}
	if sub == s.original && r.mode == build.Plain && r.result.Exit != 0 && !r.isFatal() && r.result.Signal == "" && !r.result.TimedOut {
		m := exitMessage(sub, r.result)
		add(Finding{Message: m, key: key{code: m.Code}})
	}
	if d := r.difference; d != nil {
		add(s.differing(sub, d))
	}
	return out
}

// finding returns an entry of the runtime's report.
func (s *session) finding(sub *subject, f *execute.Finding, fatal bool) Finding {
	out := Finding{Message: messageOf(f, sub.places), Kernel: f.Kernel, key: keyOf(f, sub.places)}
	out.array, out.writes = arrayOf(f), f.Write
	out.Launch, out.Ended, out.BetweenBlocks = f.Launch, fatal, f.Other != nil && f.Other.Block != f.Block
	out.Atomic = f.Atomic || f.Other != nil && f.Other.Atomic
	if f.Kernel != "" && !f.Host {
		block, thread := f.Block, f.Thread
		out.Block, out.Thread = &block, &thread
	}
	if o := f.Other; o != nil {
		if at := shown(o.Frames, sub.places); at.IsValid() {
			out.Other = &at
		}
	}
	if at := position(frames(f)); at.IsValid() {
		if line, ok := sub.places.rewritten(at); ok {
			out.Place, out.Line = &at, line
		}
	}
	switch {
	case isSameValue(f) && !s.Strict:
		out.Severity = Note
	case sub == s.original && len(s.Variants) > 0 && !fatal:
		out.Severity = Inherited
	}
	return out
}

// differing returns a difference from the reference as a finding: of the variant,
// or of the original whose order of threads alone was another.
func (s *session) differing(sub *subject, d *Difference) Finding {
	m := diag.Message{Text: d.in("the original"), Code: CodeDifferentExit}
	switch {
	case d.Copy > 0:
		m.Code, m.Pos = CodeDifferentCopy, s.copyPlace(sub, d.pc)
		if !m.Pos.IsValid() {
			m.Pos = s.copyPlace(s.original, d.wantPC)
		}
	case d.Line > 0:
		m.Code = CodeDifferentStdout
	}
	if !m.Pos.IsValid() {
		m.Pos.File = sub.program.name()
	}
	k := key{code: m.Code, sides: []side{{lines: sub.places.lines(m.Pos.File, m.Pos.Line)}}}
	if sub == s.original {
		m.Code = CodeOrderDependent
		m.Text = "the output depends on the order in which threads and blocks run: " + d.in(s.Schedules[0].String()+" order")
		k.code = m.Code
	}
	m.Help = diag.Help(m.Code)
	out := Finding{Message: m, Difference: d, key: k}
	if d.passes && sub == s.original && len(s.Variants) == 0 {
		out.Severity = Note
	}
	return out
}

// copyPlace returns where a program makes a copy.
func (s *session) copyPlace(sub *subject, pc uint64) diag.Position {
	program := sub.builds[build.Plain]
	if pc == 0 || program == nil || program.program == nil {
		return diag.Position{}
	}
	return shown(execute.Places(program.program, pc), sub.places)
}

// weigh makes a variant's finding an inherited one where the original has it, too.
func (s *session) weigh(sub *subject, f *Finding, original []Finding) {
	if sub == s.original || f.Severity != Counts || checkOf(f.Message.Code) == Regions {
		return
	}
	if s.anyOutput && f.Difference != nil {
		f.Severity = Inherited
		return
	}
	for _, o := range original {
		if o.Variant == OriginalName && f.key.matches(o.key) && f.Difference == nil {
			f.Severity = Inherited
			return
		}
	}
}

// rows returns the results of every check in every run of a program.
func (s *session) rows(sub *subject, found []Finding) []Row {
	var out []Row
	for args := range s.Args {
		for _, order := range s.ordersOf(sub) {
			for _, check := range Checks {
				row := Row{Variant: sub.name, Args: s.Args[args], Order: order.String(), Check: check}
				row.Result = s.made(sub, args, order, check)
				row.weigh(found)
				out = append(out, row)
			}
		}
	}
	return out
}

// weigh notes what was found in the run of a row.
func (row *Row) weigh(found []Finding) {
	for _, counts := range []bool{true, false} {
		n := 0
		for _, f := range found {
			if f.Variant == row.Variant && f.Check == row.Check && (f.Severity == Counts) == counts && seenIn(f, *row) {
				n++
			}
		}
		if n > 0 {
			row.Result, row.Count = map[bool]Result{true: Failed, false: Known}[counts], n
			return
		}
	}
}

// seenIn reports whether a finding was seen in the runs of a row.
func seenIn(f Finding, row Row) bool {
	return slices.ContainsFunc(f.Runs, func(r RunName) bool {
		return r.Order == row.Order && slices.Equal(r.Args, row.Args)
	})
}

// made reports whether a check was made: OK, NotMade where this order has no run
// that makes it, NotRun where that run could not be judged.
func (s *session) made(sub *subject, args int, order execute.Schedule, check Check) Result {
	if order == everyOrder {
		return sub.madeInEveryOrder(s.Args[args], check)
	}
	plain := slices.Contains(s.Schedules, order) && !sub.checked
	checked := slices.Contains(s.CheckedSchedules, order)
	if sub == s.original && (check == Regions || check != Output && sub.program.isHost()) {
		return NotMade
	}
	var modes []build.Mode
	switch check {
	case Output:
		switch {
		case plain:
			modes = []build.Mode{build.Plain}
		case sub.checked && checked:
			modes = []build.Mode{build.Checked}
		}
	case Deadlocks, Bounds:
		if plain {
			modes = append(modes, build.Plain)
		}
		if checked {
			modes = append(modes, build.Checked)
		}
	default:
		if checked {
			modes = []build.Mode{build.Checked}
		}
	}
	if len(modes) == 0 {
		return NotMade
	}
	for _, mode := range modes {
		if r := sub.find(mode, args, order); r == nil || !r.judged {
			return NotRun
		}
	}
	return OK
}

// mostStepsText is the largest length of an order that a message names; the JSON form has each.
const mostStepsText = 100

// String names a run: random:1, with arguments "5 2".
func (n RunName) String() string {
	order := n.Order
	if n.Orders > 0 {
		order = prose.Count(n.Orders, "order") + " of all"
		if steps := len(n.Steps); steps > len("steps:") && steps <= mostStepsText {
			order += ", such as " + n.Steps
		}
	}
	if len(n.Args) == 0 {
		return order
	}
	return fmt.Sprintf("%s with arguments %s", order, argsText(n.Args))
}
