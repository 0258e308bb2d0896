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
	{
		Code: "acc-unsupported", Title: "smux does not translate this directive or clause of OpenACC",
		Help: "write it another way; docs/acc.md says what is translated",
		Text: `
The directive is right, but smux has no translation of it. Nothing of the file is
translated then: a program in which a directive was left out could be wrong.`,
		Example: `
void scale(int n, double *x, double w[4])
{
#pragma acc parallel loop copy(x[0:n]) firstprivate(w)
    for (int i = 0; i < n; i++)
        x[i] *= w[i % 4];
}`,
		Fix: `#pragma acc parallel loop copy(x[0:n]) copyin(w[0:4])`,
	},
	{
		Code: "acc-statement", Title: "the statement under a directive of OpenACC is not one that it governs",
		Help: "put the directive right over its loop or block, and end the block where it began",
		Text: `
A loop directive stands over a for loop, in a compute construct; a construct or a
data region over a statement, which control enters at its start and leaves at its
end. Compute constructs are not nested.`,
		Example: `
void scale(int n, double *x)
{
#pragma acc parallel loop copy(x[0:n])
    while (n-- > 0)
        x[n] *= 2;
}`,
		Fix: `for (int i = 0; i < n; i++)`,
	},
	{
		Code: "acc-level", Title: "a loop of gangs, workers or vectors stands inside of a finer one",
		Help: "let gang stand outermost, then worker, then vector",
		Text: `
A gang has workers, and a worker has vector lanes (OpenACC 3.3, section 2.9). A
loop whose iterations are spread over gangs can't stand inside of one whose
iterations are spread over vector lanes: no lane has gangs.`,
		Example: `
void set(int n, float *a)
{
#pragma acc parallel loop vector copyout(a[0:n * n])
    for (int i = 0; i < n; i++) {
#pragma acc loop gang
        for (int j = 0; j < n; j++)
            a[i * n + j] = 0;
    }
}`,
		Fix: `
#pragma acc parallel loop gang …
#pragma acc loop vector`,
	},
	{
		Code: "acc-loop", Title: "a loop under a directive of OpenACC does not count",
		Help: "write for (i = first; i < last; i += step), with a constant step and an integer that nothing else changes",
		Text: `
How often a loop runs must be known before it begins: iterations are dealt to
threads. Its counter is an integer that only the head of the loop changes, by a
constant; nothing in the body changes what ends it, and nothing leaves it. A
collapse takes as many loops as stand directly in one another.`,
		Example: `
void scale(int n, double *x)
{
#pragma acc parallel loop copy(x[0:n])
    for (int i = 1; i < n; i *= 2)
        x[i] *= 2;
}`,
		Fix: `for (int k = 0; k < steps; k++) x[1 << k] *= 2;`,
	},
	{
		Code: "acc-shape", Title: "how much memory a data clause means is not said",
		Help: "write an array section: a[0:n]",
		Text: `
A pointer says where memory begins, not where it ends. So a data clause has a
section with a length for it, or a data region around has. A section of several
dimensions must be one piece of memory: only the first dimension may be a part.`,
		Example: `
void scale(int n, double *x)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++)
        x[i] *= 2;
}`,
		Fix: `#pragma acc parallel loop copy(x[0:n])`,
	},
	{
		Code: "acc-carried", Title: "iterations that a directive calls independent are not",
		Help: "name the variable in reduction or private, or take independent out",
		Text: `
An iteration reads what another one wrote: a variable, or an element of an array.
Then their order counts, and independent promises that it does not. A variable is
a reduction, or each iteration has one of its own that it writes first. Of an
array smux says what it sees and believes the directive; smux verify finds the
race.`,
		Example: `
double sum(int n, const double *x)
{
    double s = 0;
#pragma acc parallel loop independent copyin(x[0:n])
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}`,
		Fix: `#pragma acc parallel loop reduction(+:s) copyin(x[0:n])`,
	},
	{
		Code: "acc-sequential", Title: "a loop under a directive of OpenACC runs in order",
		Help: "nothing has to be done; independent says that the order does not count",
		Text: `
Iterations run side by side where a directive says that they are independent, or
where smux shows it. In a parallel construct a loop directive says so by itself;
but where two iterations meet at an element, by subscripts that can be read, smux
keeps the order of the C program and says which element. In a kernels construct,
and with auto, everything has to be shown.`,
		Example: `
void prefix(int n, double *x)
{
#pragma acc parallel loop copy(x[0:n])
    for (int i = 1; i < n; i++)
        x[i] += x[i - 1];
}`,
		Fix: `#pragma acc serial loop copy(x[0:n])`,
	},
	{
		Code: "acc-lost", Title: "a value that a region computes does not come back, and is used",
		Help: "name the variable in copy or in a reduction",
		Text: `
In a parallel or serial construct a variable that is no array is firstprivate
where no clause names it: the region has a copy, which ends with it. The program
reads the variable behind the region, where the C program has the new value and
the device's program would have the old one.`,
		Example: `
double last(int n, const double *x)
{
    double v = 0;
#pragma acc serial copyin(x[0:n])
    {
        v = x[n - 1];
    }
    return v;
}`,
		Fix: `#pragma acc serial copyin(x[0:n]) copyout(v)`,
	},
	{
		Code: "acc-copied-in", Title: "what a clause only copies out is copied in, too",
		Help: "write copy if the values count; where the region writes all of it, nothing is wrong",
		Text: `
copyout says that what the host has counts for nothing. Where the region does not
write all of it first, undefined values would be read, or come back. smux copies
the host's values in unless it shows that they are all written.`,
		Example: `
void inner(int n, double *x)
{
#pragma acc parallel loop copyout(x[0:n])
    for (int i = 1; i < n - 1; i++)
        x[i] = i;
}`,
		Fix: `#pragma acc parallel loop copy(x[0:n])`,
	},
	{
		Code: "acc-call", Title: "a kernel calls what can't run on the device",
		Help: "define the function in the same file, without variables of the file, or call it on the host",
		Text: `
A function that a compute construct calls runs on the device, whether a routine
directive says so or not: smux gives it __host__ and __device__. So its text must
be in the file, it can't use variables of the file, and functions of C's library
that read files, end the program or draw random numbers are not there.`,
		Example: `
#include <stdlib.h>
void noise(int n, double *x)
{
#pragma acc parallel loop copy(x[0:n])
    for (int i = 0; i < n; i++)
        x[i] += rand();
}`,
		Fix: `copy random numbers to the device, in an array`,
	},
	{
		Code: "acc-stale", Title: "host and device have different values of an array",
		Help: "put an update between the two",
		Text: `
A data region copies when it begins and when it ends. What the host writes in
between, kernels don't see, and what kernels write, the host does not, unless an
update directive copies it. The C program, in which there is one memory, does
something else then.`,
		Example: `
void f(int n, double *a)
{
#pragma acc data copy(a[0:n])
    {
        a[0] = 1;
#pragma acc parallel loop
        for (int i = 1; i < n; i++)
            a[i] += a[0];
    }
}`,
		Fix: `#pragma acc update device(a[0:1])`,
	},
	{
		Code: "acc-sizes", Title: "how many threads a clause asks for is not followed",
		Help: "nothing has to be done; the result does not depend on it",
		Text: `
num_workers, vector_length and the sizes of worker(n) and vector(n) are the
threads of a block along the loops that have the level, where they are constants
that make a thread block: up to 1024 threads, and whole warps where a reduction
combines them. num_gangs is followed for a single loop: a nest of loops that
stand directly in one another gets a thread for each iteration, in blocks of two
or three dimensions.`,
		Example: `
void f(double a[100][100])
{
#pragma acc parallel loop collapse(2) num_gangs(10) copy(a[0:100])
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 100; j++)
            a[i][j] += 1;
}`,
		Fix: `#pragma acc parallel loop collapse(2)`,
	},
	{
		Code: "acc-no-effect", Title: "a clause of OpenACC changes nothing in CUDA",
		Help: "nothing has to be done; the result does not depend on it",
		Text: `
What the clause asks for is so in any case: a kernel gets the device's address of
an array each time, so that nothing is to be attached or linked. Or it is for
devices of another kind, behind device_type.`,
		Example: `
void f(int n, double *a)
{
#pragma acc parallel loop copy(a[0:n]) device_type(radeon) vector_length(64)
    for (int i = 0; i < n; i++)
        a[i] += 1;
}`,
		Fix: `#pragma acc parallel loop copy(a[0:n])`,
	},
	{
		Code: "acc-cplusplus", Title: "text of C that C++ does not take, or takes by other words",
		Help: "write it in a way that both languages take",
		Text: `
nvcc compiles C++, which takes most of C. What it has other words for is written
so, and a name that is a word of C++ gets another one, which is said; values of
void pointers, strings, enumerations and numbers in braces are converted. Other
things are refused: elements of an initialiser by number, members out of order,
jumps over initialisers, arrays whose rows or, in a kernel, whose length only the
run tells, addresses of literals, parameters declared behind the parenthesis.`,
		Example: `
void scale(int n, double *x)
{
#pragma acc parallel loop copy(x[0:n])
    for (int i = 0; i < n; i++) {
        double part[n];
        part[0] = x[i];
        x[i] = part[0] * 2;
    }
}`,
		Fix: `double part[16];`,
	},
	{
		Code: "acc-not-cached", Title: "an array that cache names is not kept in shared memory",
		Help: "the kernel is right without it; the message says what would have to be another way",
		Text: `
A cache directive asks for what a thread block reads of an array to be in shared
memory. smux does that where it can prove that nothing else changes, as for
--variant stage of smux rewrite: it finds anew which elements a block reads, and
no thread of the grid may write them. Where it can't, the kernel reads global
memory as it does without the directive.`,
		Example: `
#pragma acc parallel loop copy(a[0:n])
for (int i = 1; i < n; i++) {
#pragma acc cache(a[i-1:2])
    a[i] = a[i] + a[i - 1] * 0;
}`,
		Fix: `
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
for (int i = 1; i < n; i++) {
#pragma acc cache(a[i-1:2])
    b[i] = a[i] + a[i - 1] * 0;
}`,
	},
	{
		Code: "acc-given", Title: "a region uses a macro that the command line defines",
		Help: "compile the result with the same -D",
		Text: `
The name of the macro stays in the text, and smux acc has looked at its value: for
how many iterations there are, and so for grids, and for what a thread leaves out.
With another value the result may be wrong.`,
		Example: `smux acc -D SIZE=1000 jacobi.c -o jacobi.cu`,
		Fix:     `nvcc -DSIZE=1000 jacobi.cu`,
	},
}
