package diag

// accDocs are the codes of OpenACC directives in C.
var accDocs = []Doc{
	{
		Code: "acc-unknown", Title: "no directive or clause of OpenACC has this name",
		Help: "look for a slip in the name; docs/acc.md has the table of directives and clauses",
		Text: `
The words behind "#pragma acc" are none that OpenACC 3.3 has. Compilers may skip
what they don't know, and the program is right but slow, or wrong on a device.
smux translates nothing of a file in which a directive is not understood. Names of
earlier versions, such as present_or_copy, are known.`,
		Example: `
#pragma acc parallel lop copy(a[0:n])
for (int i = 0; i < n; i++) a[i] += 1;`,
		Fix: `#pragma acc parallel loop copy(a[0:n])`,
	},
	{
		Code: "acc-syntax", Title: "the text of an OpenACC directive can't be read",
		Help: "look at parentheses, colons and commas at the place",
		Text: `
A parenthesis is not closed, a list has an empty item, a reduction has no
operator, or an array section is not of the form a[lower:length]. A directive that
goes on in the next line needs a backslash at the end of each line but the last.`,
		Example: `
#pragma acc parallel loop reduction(sum)
for (int i = 0; i < n; i++) sum += a[i];`,
		Fix: `#pragma acc parallel loop reduction(+:sum)`,
	},
	{
		Code: "acc-clause", Title: "a clause does not belong to this OpenACC directive",
		Help: "take the clause out, or put it on the directive that takes it",
		Text: `
OpenACC 3.3 says for each directive which clauses it takes, which of them may
stand more than once, and which exclude one another: kernels takes no private, and
a loop is not both seq and gang. A directive that does nothing without a clause,
such as update, needs one.`,
		Example: `
#pragma acc kernels private(t)
for (int i = 0; i < n; i++) { t = a[i]; b[i] = t * t; }`,
		Fix: `
#pragma acc kernels
#pragma acc loop private(t)`,
	},
}
