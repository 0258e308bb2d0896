// Package command measures by a person's own commands: one that builds the
// program, and one that runs it and prints a number.
//
// The project is copied once, and each device has a copy of that to work in: the
// person's files are only read, and nothing is linked to them. Before each run the
// copy is put back to what the build left, so that no run finds what another one
// has written. The lines that print the number, and those that speak of time, are
// compared with the original's without their numbers; all other lines as they are.
// Files that a run writes are not compared.
package command
