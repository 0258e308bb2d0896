package slurm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// entry is a line of the journal. Name is the job's; beside it stands one thing that
// happened to the job.
type entry struct {
	Time      time.Time   `json:"time"`
	Name      string      `json:"name"`
	Submit    *submission `json:"submit,omitempty"`    // it is going to be submitted
	Job       string      `json:"job,omitempty"`       // it has this number
	Ended     *taskEnd    `json:"ended,omitempty"`     // a task has ended
	Cancelled bool        `json:"cancelled,omitempty"` // it is going to be cancelled
	Over      bool        `json:"over,omitempty"`      // nothing is to be expected of it any more
}

// submission is an array job as it is submitted.
type submission struct {
	Tasks   []int    `json:"tasks"` // of submit.sbatch
	Had     []int    `json:"had"`   // pairs that there were of each
	Turns   int      `json:"turns"` // pairs that there shall be
	Against string   `json:"against,omitempty"`
	Options []string `json:"options,omitempty"` // of sbatch
	User    string   `json:"user"`
	Host    string   `json:"host"`
}

// taskEnd says how a task ended, and what it brought.
type taskEnd struct {
	Task  int   `json:"task"`
	State State `json:"state"`
	Added int   `json:"added"` // pairs
}

// job holds what the journal has of a job.
type job struct {
	submission
	name      string
	since     time.Time
	id        string // "" if unknown
	ended     map[int]taskEnd
	cancelled bool
	over      bool

	ours   bool              // was submitted, or not over, in this process
	tasks  map[int]Task      // as Slurm told last
	missed map[int]time.Time // since when Slurm does not know a task, or its result is not seen
	on     map[string]string // what products its tasks ran on, and a node; once it is over
	judged bool              // nothing of it stops all tasks
}

// journal is a file of lines that are only added to, each on the disk before what it
// speaks of is done. The last line of one that was killed may be torn: it counts for
// nothing, for nothing was done then.
type journal struct {
	file *os.File
	size int64 // of its whole lines
	jobs []*job
}

// openJournal reads a journal and opens it for writing; it is made where it is missing.
func openJournal(path string) (*journal, error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	j := &journal{}
	for n, line := range bytes.Split(text[:whole], []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("%s:%d: this is not a journal of jobs: %w", path, n+1, err)
		}
		j.take(e)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	if j.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666); err != nil {
		return nil, err
	}
	if err := j.file.Truncate(int64(whole)); err != nil {
		return nil, errors.Join(err, j.file.Close())
	}
	j.size = int64(whole)
	return j, nil
}

// add writes an entry and takes note of it.
func (j *journal) add(e entry) error {
	e.Time = time.Now().UTC().Truncate(time.Second)
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	_, err = j.file.WriteAt(text, j.size)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("keeping what was submitted: %w", errors.Join(err, j.file.Truncate(j.size)))
	}
	j.size += int64(len(text))
	j.take(e)
	return nil
}

func (j *journal) take(e entry) {
	if e.Submit != nil {
		j.jobs = append(j.jobs, &job{submission: *e.Submit, name: e.Name, since: e.Time, ended: map[int]taskEnd{}, missed: map[int]time.Time{}})
		return
	}
	for _, b := range j.jobs {
		if b.name != e.Name {
			continue
		}
		switch {
		case e.Job != "":
			b.id = e.Job
		case e.Ended != nil:
			b.ended[e.Ended.Task] = *e.Ended
		case e.Cancelled:
			b.cancelled = true
		case e.Over:
			b.over = true
		}
	}
}
