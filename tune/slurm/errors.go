package slurm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// The codes of what is wrong with tuning by jobs.
const (
	CodeNoSlurm   diag.Code = "no-slurm"         // Slurm's commands are not here
	CodeRefused   diag.Code = "job-refused"      // sbatch does not take the job
	CodeSilent    diag.Code = "slurm-silent"     // Slurm does not answer for long
	CodeNotShared diag.Code = "not-shared"       // nodes don't see the folder
	CodeMixed     diag.Code = "mixed-products"   // jobs ran on GPUs that can't be compared
	CodeLost      diag.Code = "jobs-lost"        // a form's jobs came to nothing too often
	CodeOthers    diag.Code = "jobs-of-somebody" // another user's jobs work for the record
)

// MissingError reports that a command of Slurm is not here.
type MissingError struct{ Name string }

func (e *MissingError) Error() string { return "there is no " + e.Name + " on the PATH" }

// Code returns the code.
func (e *MissingError) Code() diag.Code { return CodeNoSlurm }

// CommandError reports that a command of Slurm failed.
type CommandError struct {
	Name, Text string
	late       bool // it may have done what it was to do
}

func (e *CommandError) Error() string { return e.Name + ": " + lastLine(e.Text) }

// Code returns the code.
func (e *CommandError) Code() diag.Code { return CodeRefused }

// passing lists what commands say where Slurm's controller is away, starts, or has too
// much to do.
var passing = []string{
	"timed out", "Unable to contact", "Connection refused", "Connection reset", "connect failure", "Connection closed",
	"temporarily unable", "temporarily unavailable", "Transport endpoint", "Zero Bytes were transmitted", "Communication",
	"in standby mode", "Unexpected message received", "controller not responding", "Munge decode failed", "Protocol authentication error",
	"Insane message length", "Broken pipe",
}

// Passing reports whether the same command may succeed a moment later.
func (e *CommandError) Passing() bool {
	if e.late {
		return true
	}
	return slices.ContainsFunc(passing, func(words string) bool { return strings.Contains(strings.ToLower(e.Text), strings.ToLower(words)) })
}

// undone lists what commands say that have reached nobody.
var undone = []string{"connect failure", "Connection refused", "temporarily unable", "in standby mode", "Munge encode failed"}

// Undone reports whether the command has done nothing for sure.
func (e *CommandError) Undone() bool {
	if e.late {
		return false
	}
	return slices.ContainsFunc(undone, func(words string) bool { return strings.Contains(e.Text, words) }) || !e.Passing()
}

// lastLine returns the last line of what a command says, without the command's name.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	text = text[strings.LastIndexByte(text, '\n')+1:]
	for _, name := range []string{"sbatch: error: ", "squeue: error: ", "scancel: error: ", "sbatch: fatal: ", "squeue: fatal: "} {
		text = strings.TrimPrefix(text, name)
	}
	return text
}

// SilentError reports that Slurm has not answered for long. Jobs go on.
type SilentError struct{ Err error }

func (e *SilentError) Error() string { return "Slurm does not answer: " + e.Err.Error() }

// Unwrap returns the last answer.
func (e *SilentError) Unwrap() error { return e.Err }

// Code returns the code.
func (e *SilentError) Code() diag.Code { return CodeSilent }

// NotSharedError reports that a task ended without a trace in the folder.
type NotSharedError struct{ Task, Node, Dir string }

func (e *NotSharedError) Error() string {
	return fmt.Sprintf("task %s failed on %s and left nothing in %s", e.Task, e.Node, e.Dir)
}

// Code returns the code.
func (e *NotSharedError) Code() diag.Code { return CodeNotShared }

// MixedError reports that tasks ran on GPUs or by drivers that can't be compared.
type MixedError struct{ Why string }

func (e *MixedError) Error() string { return e.Why }

// Code returns the code.
func (e *MixedError) Code() diag.Code { return CodeMixed }

// OthersError reports that jobs of another user work in the folder.
type OthersError struct{ User, Job string }

func (e *OthersError) Error() string {
	return fmt.Sprintf("job %s of %s measures for this record", e.Job, e.User)
}

// Code returns the code.
func (e *OthersError) Code() diag.Code { return CodeOthers }

// BaseError reports that the program as it is does not run on a node.
type BaseError struct{ Text string }

func (e *BaseError) Error() string { return e.Text }

// LostError reports that a form's tasks came to nothing too often.
type LostError struct {
	Form  string // its folder
	Tries int
	Last  string // how the last one ended
}

func (e *LostError) Error() string {
	return fmt.Sprintf("%s is not measured: %d of its jobs in a row came to nothing, the last one by %s", e.Form, e.Tries, e.Last)
}

// Code returns the code.
func (e *LostError) Code() diag.Code { return CodeLost }
