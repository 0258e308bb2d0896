package slurm

import "strings"

// State is the state of a task as Slurm writes it, "NODE_FAIL" for instance, without what
// stands after it ("CANCELLED by 1000").
type State string

// States that are told apart. Lost is ours: Slurm does not know the task any more.
const (
	Pending   State = "PENDING"
	Running   State = "RUNNING"
	Completed State = "COMPLETED"
	Failed    State = "FAILED"
	Cancelled State = "CANCELLED"
	Lost      State = "LOST"
)

// alive are the states of tasks that may still do something. Those that are not known are
// taken to be among them: a state that a newer Slurm has is asked for again.
var ended = map[State]bool{
	Completed: true, Failed: true, Cancelled: true, Lost: true, "TIMEOUT": true, "NODE_FAIL": true, "PREEMPTED": true,
	"OUT_OF_MEMORY": true, "BOOT_FAIL": true, "DEADLINE": true, "REVOKED": true,
}

// short are the states as sacct and squeue shorten them.
var short = map[string]State{
	"PD": Pending, "R": Running, "CD": Completed, "F": Failed, "CA": Cancelled, "TO": "TIMEOUT", "NF": "NODE_FAIL", "PR": "PREEMPTED",
	"OOM": "OUT_OF_MEMORY", "BF": "BOOT_FAIL", "DL": "DEADLINE", "RV": "REVOKED", "CG": "COMPLETING", "CF": "CONFIGURING",
	"RQ": "REQUEUED", "S": "SUSPENDED",
}

// parseState reads a state: its first word, without the "+" of a column that was too narrow.
func parseState(text string) State {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	word = strings.TrimSuffix(word, "+")
	if s, ok := short[word]; ok {
		return s
	}
	if word == "OUT_OF_ME" || word == "OUT_OF_MEM" {
		return "OUT_OF_MEMORY"
	}
	return State(word)
}

// Ended reports whether the task will do nothing any more.
func (s State) Ended() bool { return ended[s] }

// Waiting reports whether the task waits to be begun, maybe anew.
func (s State) Waiting() bool {
	return s == Pending || strings.HasPrefix(string(s), "REQUEUE") || s == "CONFIGURING" || s == "SPECIAL_EXIT"
}

// held is why a task waits which Slurm could not begin several times, and will not begin
// again.
const held = "launch failed requeued held"

// Task holds what Slurm tells of a task of an array job.
type Task struct {
	State  State
	Node   string // "" before it has one
	Reason string // why it waits, as Slurm has it
}
