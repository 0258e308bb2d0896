// Package directive reads the text of OpenACC directives for C (OpenACC Application Programming Interface, version
// 3.3): which directive it is, its clauses, and in them variables, array sections and expressions as text.
//
// It knows which clause each directive takes, which of them may be repeated and which exclude one another, and
// refuses everything else with a place, so that no word of a directive is dropped. What a directive means for the
// statement under it is not its business: expressions stay text, names are not looked up.
package directive
