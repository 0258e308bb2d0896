package slurm

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhichTasksAreMeant(t *testing.T) {
	for text, want := range map[string][]int{
		"4": {4}, "[0-3%4]": {0, 1, 2, 3}, "[5]": {5}, "[0-1,7,10-20:5%2]": {0, 1, 7, 10, 15, 20}, "[1,3,5-...]": {1, 3, 5}, "[1,3,...]": {1, 3},
		"": nil, "batch": nil, "1-3": nil, "[x]": nil, "[3-1]": nil, "[1-2:0]": nil, "[-1]": nil, "[0-99999999999]": {0},
	} {
		assert.Equal(t, want, parseArray(text), text)
	}
	for want, tasks := range map[string][]int{"0-2,4,6-7": {0, 1, 2, 4, 6, 7}, "3": {3}, "": nil} {
		assert.Equal(t, want, formatArray(tasks))
		if want != "" {
			assert.Equal(t, tasks, parseArray("["+want+"%3]"))
		}
	}
}

func TestWhatSlurmPrintsOfTasks(t *testing.T) {
	got := parseTasks(`7_[2-3%4]|PENDING|(null)|JobArrayTaskLimit
7_0|RUNNING|node1|None
7_1|COMPLETED|node2|None
70_4|RUNNING|node1|None
7_5|CANCELLED by 1000|None assigned
7_6|NODE_FAIL|node1
7_6.batch|FAILED|node1
7_6|REQUEUED|node1
7_8|OUT_OF_ME+|node2
7_9|PR|node2
7_10|NEWER_STATE|node2
slurm_load_jobs error: nonsense
7_11|
`, "7")
	assert.Equal(t, map[int]Task{
		0: {State: Running, Node: "node1"}, 1: {State: Completed, Node: "node2"}, 2: {State: Pending, Reason: "JobArrayTaskLimit"}, 3: {State: Pending, Reason: "JobArrayTaskLimit"},
		5: {State: Cancelled}, 6: {State: "REQUEUED", Node: "node1"}, 8: {State: "OUT_OF_MEMORY", Node: "node2"}, 9: {State: "PREEMPTED", Node: "node2"}, 10: {State: "NEWER_STATE", Node: "node2"},
	}, got)
	for state, want := range map[State][2]bool{ // ended, waiting
		Pending: {false, true}, Running: {false, false}, Completed: {true, false}, Failed: {true, false}, Cancelled: {true, false}, "TIMEOUT": {true, false},
		"NODE_FAIL": {true, false}, "PREEMPTED": {true, false}, "OUT_OF_MEMORY": {true, false}, "BOOT_FAIL": {true, false}, "DEADLINE": {true, false},
		"COMPLETING": {false, false}, "SUSPENDED": {false, false}, "REQUEUED": {false, true}, "REQUEUE_HOLD": {false, true}, "NEWER_STATE": {false, false}, Lost: {true, false},
	} {
		assert.Equal(t, want, [2]bool{state.Ended(), state.Waiting()}, state)
	}
}

// said makes a client of answers by command.
func said(answers map[string]string, errs map[string]error) Client {
	return Client{Exec: func(_ context.Context, _, name string, _ ...string) (string, error) { return answers[name], errs[name] }}
}

func TestOfWhatSqueueHasForgottenSacctIsAsked(t *testing.T) {
	unknown := &CommandError{Name: "squeue", Text: "slurm_load_jobs error: Invalid job id specified"}
	off := &CommandError{Name: "sacct", Text: "Slurm accounting storage is disabled"}
	late := &CommandError{Name: "squeue", Text: "squeue: error: slurm_receive_msg: Socket timed out on send/recv operation"}
	sacct := "7_0|COMPLETED|node1\n7_1|CANCELLED by 0|None assigned\n"
	for name, c := range map[string]struct {
		client Client
		want   map[int]Task
		err    error
	}{
		"both":              {said(map[string]string{"squeue": "7_1|RUNNING|node2|None\n", "sacct": sacct}, nil), map[int]Task{0: {State: Completed, Node: "node1"}, 1: {State: Running, Node: "node2"}}, nil},
		"forgotten":         {said(map[string]string{"sacct": sacct}, map[string]error{"squeue": unknown}), map[int]Task{0: {State: Completed, Node: "node1"}, 1: {State: Cancelled}}, nil},
		"no accounting":     {said(map[string]string{"squeue": "7_1|RUNNING|node2|None\n"}, map[string]error{"sacct": off}), map[int]Task{1: {State: Running, Node: "node2"}}, nil},
		"nobody knows":      {said(nil, map[string]error{"squeue": unknown, "sacct": off}), map[int]Task{}, nil},
		"there is no sacct": {said(nil, map[string]error{"squeue": unknown, "sacct": &MissingError{"sacct"}}), map[int]Task{}, nil},
		"squeue is late":    {said(map[string]string{"sacct": sacct}, map[string]error{"squeue": late}), nil, late},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.client.Tasks(t.Context(), "7", []int{0, 1})
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.err, err)
		})
	}
	id, err := said(map[string]string{"squeue": "12|smux-ab\n", "sacct": "7_0|smux-a\n"}, nil).Find(t.Context(), "smux-a", time.Now())
	require.NoError(t, err)
	assert.Equal(t, "7", id, "another name that begins like it is not it")
	id, err = said(nil, map[string]error{"sacct": off}).Find(t.Context(), "smux-a", time.Now())
	require.NoError(t, err)
	assert.Empty(t, id)
}

func TestWhatSbatchPrints(t *testing.T) {
	for out, want := range map[string]string{"17\n": "17", "17;other\n": "17", "sbatch: note\n17\n": "17"} {
		id, err := said(map[string]string{"sbatch": out}, nil).Submit(t.Context(), "", "x")
		require.NoError(t, err)
		assert.Equal(t, want, id)
	}
	_, err := said(map[string]string{"sbatch": "what\n"}, nil).Submit(t.Context(), "", "x")
	var failed *CommandError
	require.True(t, errors.As(err, &failed))
	assert.True(t, failed.Passing(), "the job may be there all the same")
}

func TestWhichErrorsPass(t *testing.T) {
	for text, want := range map[string]bool{
		"sbatch: error: Batch job submission failed: Socket timed out on send/recv operation":                                            true,
		"slurm_load_jobs error: Unable to contact slurm controller (connect failure)":                                                    true,
		"sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying":                                                   true,
		"squeue: error: If munged is up, restart with --num-threads=10\nMunge encode failed\nProtocol authentication error":              true,
		"sbatch: error: invalid partition specified: nope\nsbatch: error: Batch job submission failed: Invalid partition name specified": false,
		"sbatch: error: Batch job submission failed: Requested node configuration is not available":                                      false,
		"sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified":                         false,
		"sbatch: error: Invalid generic resource (gres) specification":                                                                   false,
	} {
		assert.Equal(t, want, (&CommandError{Name: "sbatch", Text: text}).Passing(), text)
	}
	assert.Equal(t, "sbatch: Batch job submission failed: Invalid partition name specified", (&CommandError{Name: "sbatch", Text: "sbatch: error: x\nsbatch: error: Batch job submission failed: Invalid partition name specified\n"}).Error())
}

func FuzzParseTasks(f *testing.F) {
	f.Add("7_[0-39%4]|PENDING||x\n7_1|CANCELLED by 0|node1\n")
	f.Fuzz(func(t *testing.T, text string) {
		for n, task := range parseTasks(text, "7") {
			if n < 0 || task.State == "" {
				t.Fatalf("task %d is %q", n, task.State)
			}
		}
	})
}

func TestCommandsThatAreNotThereAreNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Client{}.Submit(t.Context(), t.TempDir(), "x")
	var missing *MissingError
	require.ErrorAs(t, err, &missing)
	assert.EqualError(t, missing, "there is no sbatch on the PATH")
}
