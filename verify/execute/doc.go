// Package execute runs a program that package build made, and reads what the
// runtime in it reports: findings with their places in the original source.
//
// A run is bounded in time and in what it may print, is killed with all that it started, and leaves nothing behind:
// no core dump and no temporary file. What a program sees of its surroundings is the same in every run.
package execute
