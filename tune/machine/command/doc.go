// Package command measures by a person's own commands: one that builds the program, and one that runs it and prints a number.
//
// Each device has a copy of the project to work in: the person's files are only read, and nothing is linked to them. Before
// each run the copy is put back to what the build left. Lines that print the number or speak of time are compared with the
// original's without their numbers, all other lines as they are, and files not.
package command
