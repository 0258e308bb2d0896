// Package slurm has a folder of package bundle measured by jobs of Slurm: as an array
// job, a task for each form, on as many GPUs as it gets.
//
// It calls sbatch, squeue, sacct and scancel and reads what they print. What was
// submitted stands in a journal in the folder: that a job is going to be
// submitted before it is, its number after. So one that was killed at any moment is taken
// up by the next: a job whose number was not noted is found by its name, which no
// other job has; one that is not found is fenced off by a file, so that it ends at once if
// it comes after all. Whatever Slurm says, what has been measured is what lies in
// the folder, and what is missing there is submitted again.
//
// The nodes must see the folder by the same path. Where they don't, where GPUs of
// several products are mixed, and where Slurm refuses a job there is an error with a
// code; where it does not answer it is asked again.
package slurm
