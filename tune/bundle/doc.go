// Package bundle writes a tuning run into a folder, for a machine that has nothing
// but nvcc, make, a shell and a GPU, and reads back what was measured there.
//
// The folder holds the texts of all forms with the launches timed, as they are
// compiled; what they include from the project; a Makefile; and run.sh, which measures
// each form next to the original. Each measurement is a folder that appears when it
// is whole: run.sh can be killed at any moment, and its results be imported while it
// runs.
//
// All forms are measured twice: in the search's turns, and after them, with all
// others in between, in the turns that confirm. So both samples of a form are
// independent of each other, and no one has to decide there which forms are worth
// confirming; what that costs is the machine's time.
package bundle
