package profile

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/smux-cuda/smux/diag"
)

// CodeProfile is the code of what can't be read as a profile. Package diag documents it.
const CodeProfile diag.Code = "not-a-profile"

// Schema is the version of the documents that Document writes.
const Schema = 1

// document is a condensed profile, as a file.
type document struct {
	Schema  int      `json:"smuxProfile"`
	Kernels []Kernel `json:"kernels"`
}

// Document returns kernels as a file that Read reads.
func Document(kernels []Kernel) ([]byte, error) {
	out, err := json.MarshalIndent(document{Schema, kernels}, "", "  ")
	return append(out, '\n'), err
}

// Is reports whether a text looks like a profile, and not like what another tool writes.
func Is(src []byte) bool {
	return bytes.Contains(src, []byte(`"smuxProfile"`)) || headerAt(bytes.TrimPrefix(src, []byte("\ufeff"))) >= 0
}

// headerAt returns where the table of ncu begins: lines of the profiler and of the program stand before it.
func headerAt(src []byte) int {
	at := 0
	for line := range bytes.Lines(src) {
		if line[0] == '"' && bytes.Contains(line, []byte(`"Kernel Name"`)) {
			return at
		}
		at += len(line)
	}
	return -1
}

// Read reads what ncu --csv wrote, or what Document did. The error is a diag.Message with the place of what
// is wrong. Launches of one kernel with one shape on one kind of GPU become one Kernel; the kernels stand in the order of
// their first launches.
func Read(name string, src []byte) ([]Kernel, error) {
	refuse := func(line int, format string, args ...any) error {
		return diag.Message{Pos: diag.Position{File: name, Line: line, Column: 1}, Code: CodeProfile, Text: fmt.Sprintf(format, args...)}
	}
	if bytes.Contains(src, []byte(`"smuxProfile"`)) {
		var d document
		if err := json.Unmarshal(src, &d); err != nil {
			return nil, refuse(1, "%s", err)
		}
		if d.Schema != Schema {
			return nil, refuse(1, "it is of version %d, and this smux reads %d", d.Schema, Schema)
		}
		for i := range d.Kernels {
			d.Kernels[i].shown = &atomic.Bool{}
		}
		return d.Kernels, nil
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	at := headerAt(src)
	if at < 0 {
		return nil, refuse(1, `no row names the columns, with "Kernel Name" among them`)
	}
	before := bytes.Count(src[:at], []byte("\n"))
	rows := csv.NewReader(bytes.NewReader(quoted(src[at:])))
	header, err := rows.Read()
	t := table{columns: header, launches: map[string]*launch{}}
	for err == nil {
		var row []string
		if row, err = rows.Read(); err == nil && !slices.Equal(row, header) {
			t.add(row)
		}
	}
	var wrong *csv.ParseError
	if errors.As(err, &wrong) {
		return nil, refuse(before+wrong.Line, "%s", wrong.Err)
	}
	if len(t.order) == 0 {
		return nil, refuse(before+1, "no launch stands below the names of the columns")
	}
	return t.kernels(), nil
}

// quoted empties the lines that are no rows: ncu puts each field in quotes, and prints to where the program does.
func quoted(src []byte) []byte {
	var out []byte
	for line := range bytes.Lines(src) {
		if line[0] == '"' {
			out = append(out, line...)
		} else {
			out = append(out, '\n')
		}
	}
	return out
}

// table is ncu's, with a row for each launch (page raw) or for each metric of one (page details).
type table struct {
	columns  []string
	units    []string // of page raw
	launches map[string]*launch
	order    []*launch
}

// launch holds the measurements of one launch.
type launch struct {
	Kernel
	waits map[string]float64 // cycles between two instructions
	told  map[string]float64 // percent, by a rule's text
	busy  map[string]float64
	total float64 // cycles between two instructions, 0 where they weren't measured
}

func (t *table) cell(row []string, column string) string {
	if i := slices.Index(t.columns, column); i >= 0 {
		return row[i]
	}
	return ""
}

// add takes a row.
func (t *table) add(row []string) {
	name := t.cell(row, "Kernel Name")
	if name == "" { // the row of units
		t.units = row
		return
	}
	key := strings.Join([]string{t.cell(row, "Process ID"), t.cell(row, "ID"), name}, "\x00")
	l := t.launches[key]
	if l == nil {
		l = &launch{waits: map[string]float64{}, told: map[string]float64{}, busy: map[string]float64{}}
		l.Name, l.Capability = functionOf(name), t.cell(row, "CC")
		l.Block, l.Grid = extents(t.cell(row, "Block Size")), extents(t.cell(row, "Grid Size"))
		t.launches[key], t.order = l, append(t.order, l)
	}
	if metric := t.cell(row, "Metric Name"); metric != "" || slices.Contains(t.columns, "Metric Name") {
		l.metric(metric, t.cell(row, "Metric Unit"), cmp.Or(t.cell(row, "Metric Value"), t.cell(row, "Average"))) // the latter of --print-summary
		l.rule(t.cell(row, "Rule Description"))
		return
	}
	for i, metric := range t.columns {
		unit := ""
		if t.units != nil {
			unit = t.units[i]
		}
		l.metric(metric, unit, row[i])
	}
}

// parts are the names under which ncu tells how busy a part of the GPU is.
var parts = map[string]string{
	"sm__throughput.avg.pct_of_peak_sustained_elapsed":       SM,
	"Compute (SM) Throughput":                                SM,
	"l1tex__throughput.avg.pct_of_peak_sustained_active":     L1,
	"L1/TEX Cache Throughput":                                L1,
	"lts__throughput.avg.pct_of_peak_sustained_elapsed":      L2,
	"L2 Cache Throughput":                                    L2,
	"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": DRAM,
	"dram__throughput.avg.pct_of_peak_sustained_elapsed":     DRAM,
	"DRAM Throughput":                                        DRAM,
}

var (
	stalled = regexp.MustCompile(`^smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio$`)
	share   = regexp.MustCompile(`about ([0-9.]+)% of the total average`)
)

// metric takes one value by ncu's name of it, or by its label on the page "details".
func (l *launch) metric(name, unit, text string) {
	if name == "device__attribute_display_name" {
		l.Device = text
		return
	}
	value, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
		return
	}
	switch part, ok := parts[name]; {
	case ok && unit == "%":
		l.busy[part] = value
	case name == "smsp__average_warp_latency_per_inst_issued.ratio" || name == "Warp Cycles Per Issued Instruction":
		l.total = value
	default:
		if label, ok := strings.CutPrefix(name, "Stall "); ok {
			l.waits[strings.ReplaceAll(strings.ToLower(label), " ", "_")] = value
		} else if m := stalled.FindStringSubmatch(name); m != nil {
			l.waits[m[1]] = value
		}
	}
}

// spoken are words of ncu's rules for what a warp waits for.
var spoken = map[string]string{
	"scoreboard dependency on a L1TEX":       "long_scoreboard",
	"scoreboard dependency on a MIO":         "short_scoreboard",
	"sibling warps at a CTA barrier":         "barrier",
	"local and global (LG) memory":           "lg_throttle",
	"MIO (memory input/output) instruction":  "mio_throttle",
	"execution pipe to be available":         "math_pipe_throttle",
	"immediate constant cache (IMC) miss":    "imc_miss",
	"texture) instruction queue":             "tex_throttle",
	"fixed latency execution dependency":     "wait",
	"to be selected by the micro scheduler":  "not_selected",
	"outstanding memory instructions to com": "drain",
}

// rule takes what a rule tells of a wait, where the table has no metric for it.
func (l *launch) rule(text string) {
	m := share.FindStringSubmatch(text)
	if m == nil {
		return
	}
	percent, err := strconv.ParseFloat(m[1], 64)
	for words, reason := range spoken {
		if err == nil && strings.Contains(text, words) {
			l.told[reason] = percent
		}
	}
}

// percents returns the shares of what a warp waits for, by the best of what was measured. A warp that issues waits for nothing.
func (l *launch) percents() map[string]float64 {
	if len(l.waits) == 0 {
		return l.told
	}
	total := l.total
	if total == 0 {
		for _, v := range l.waits {
			total += v
		}
	}
	out := map[string]float64{}
	for reason, v := range l.waits {
		if reason != "selected" && total > 0 {
			out[reason] = 100 * v / total
		}
	}
	return out
}

// kernels joins the launches of one kernel with one shape.
func (t *table) kernels() []Kernel {
	var out []Kernel
	var waits, busy []map[string]float64
	for _, l := range t.order {
		at := slices.IndexFunc(out, func(k Kernel) bool {
			return k.Name == l.Name && k.Capability == l.Capability && k.Device == l.Device && k.Block == l.Block && k.Grid == l.Grid
		})
		if at < 0 {
			at = len(out)
			out = append(out, Kernel{Name: l.Name, Device: l.Device, Capability: l.Capability, Block: l.Block, Grid: l.Grid, shown: &atomic.Bool{}})
			waits, busy = append(waits, map[string]float64{}), append(busy, map[string]float64{})
		}
		k := &out[at]
		k.Launches++
		n := float64(k.Launches)
		mean(busy[at], l.busy, n)
		mean(waits[at], l.percents(), n)
	}
	for i := range out {
		out[i].Waits, out[i].Busy = sorted(waits[i]), sorted(busy[i])
	}
	return out
}

// mean adds the nth values to means of n-1.
func mean(means, values map[string]float64, n float64) {
	for name, v := range values {
		means[name] += (v - means[name]) / n
	}
}

// functionOf returns the name of a function alone: "k" for "void ns::k<(int)4>(float *, int)".
func functionOf(name string) string {
	for _, unnamed := range []string{"(anonymous namespace)::", "<unnamed>::"} {
		name = strings.ReplaceAll(name, unnamed, "")
	}
	if end := strings.IndexAny(name, "<("); end >= 0 {
		name = name[:end]
	}
	name = name[strings.LastIndex(name, " ")+1:]
	return name[strings.LastIndex(name, ":")+1:]
}

// extents reads "(16, 16, 1)" or "256x1x1"; zero where a text is neither.
func extents(text string) (out [3]int) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	for i := range out {
		if i < len(fields) {
			out[i], _ = strconv.Atoi(fields[i])
		}
	}
	return out
}
