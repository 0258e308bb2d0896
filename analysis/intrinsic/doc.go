// Package intrinsic is the table of what CUDA gives to device code: functions,
// variables and constants that a program uses without defining them.
//
// A row holds all that smux knows of an intrinsic: its kind, whose threads take part and whom they wait for, how
// uniform its result is, what memory it touches, how its arguments get there, what it costs, and what becomes of a
// call in each sync mode. Analyses, rewriters and models ask the table, and keep no lists of names of their own. So a
// new intrinsic is one row, and a row with a fact left out fails the tests.
//
// Rows are of names: a function in view of the same name is another one, which the caller has to rule out. What
// overloads differ in is left out, but for the cost in double precision. A name with a * at its end stands for all
// names that begin so, and gives way to a row that names the whole.
package intrinsic
