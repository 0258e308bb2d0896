package execute

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/verify/locate"
)

// record is one line of the report, as shim/runtime/report.h describes it.
type record struct {
	access
	Code     diag.Code `json:"code"`
	Kernel   string    `json:"kernel"`
	Launch   int       `json:"launch"`
	Space    string    `json:"space"`
	Variable string    `json:"variable"`
	File     string    `json:"file"`
	Line     int       `json:"line"`
	Offset   int64     `json:"offset"`
	Bytes    int64     `json:"bytes"`
	Other    *access   `json:"other"`
	// Allocated is the place of the allocation that an access is outside of.
	Allocated *access  `json:"allocated"`
	Sanitizer string   `json:"sanitizer"` // the address sanitizer's word for it
	Waiters   []waiter `json:"waiters"`
	Name      string   `json:"name"`
	Text      string   `json:"text"`
	Signal    int      `json:"signal"`
	Host      bool     `json:"host"`
	Fatal     bool     `json:"fatal"`
	Launches  int64    `json:"launches"`
	Blocks    int64    `json:"blocks"`
	Threads   int64    `json:"threads"`
	Switches  int64    `json:"switches"`
	Checked   bool     `json:"checked"`
	Kernels   []Kernel `json:"kernels"`

	Unchecked int64 `json:"unchecked"`
	Sums      bool  `json:"sums"`
}

type access struct {
	Block  [3]int   `json:"block"`
	Thread [3]int   `json:"thread"`
	PCs    []uint64 `json:"pcs"`
	Manner
	Operation string `json:"operation"`
}

type waiter struct {
	What    string   `json:"what"`
	Threads int      `json:"threads"`
	Block   [3]int   `json:"block"`
	Thread  [3]int   `json:"thread"`
	PCs     []uint64 `json:"pcs"`
}

// End is the runtime's last word.
type End struct {
	Fatal    bool // a finding ended the program
	Launches int64
	Blocks   int64
	Threads  int64
	Switches int64 // between threads
	Checked  bool  // the program was compiled to report its accesses
	Kernels  []Kernel
	// Unchecked counts launches that touched so much memory that races on a part of it went unseen.
	Unchecked int64
	Sums      bool             // floating-point numbers were added up by atomics
	Reached   map[uint32]int64 // how often each branch of a checked program was, by translate.Branch's ID
}

// Kernel counts what ran of the kernels of one name.
type Kernel struct {
	Name     string   `json:"name"` // as at the launch: k<int>
	Launches int64    `json:"launches"`
	Blocks   int64    `json:"blocks"`
	Threads  int      `json:"threads"` // of its largest block
	PCs      []uint64 `json:"pcs"`
	// Frames is the place where that block was launched, if it has more than hardware.ThreadsOfAnyKernel threads.
	Frames []locate.Frame `json:"-"`
}

// parseReport reads the lines of a report. A line that is not JSON is passed
// over: a program that is killed may be in the middle of one.
func parseReport(text []byte) (records []record, end *End) {
	reached := map[uint32]int64{}
	for line := range bytes.Lines(text) {
		var r record
		if json.Unmarshal(line, &r) != nil || r.Code == "" {
			continue
		}
		switch r.Code {
		case "end":
			end = &End{r.Fatal, r.Launches, r.Blocks, r.Threads, r.Switches, r.Checked, r.Kernels, r.Unchecked, r.Sums, reached}
		case "reached":
			numbers := strings.Fields(r.Text)
			for i := 0; i+1 < len(numbers); i += 2 {
				id, _ := strconv.ParseUint(numbers[i], 10, 32)
				reached[uint32(id)], _ = strconv.ParseInt(numbers[i+1], 10, 64)
			}
		default:
			records = append(records, r)
		}
	}
	return records, end
}
