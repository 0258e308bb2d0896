package diag

// inputDocs are the codes of input that can't be read as CUDA source at all:
// the file is left out, the others are still processed, the exit code is 2.
var inputDocs = []Doc{
	{
		Code: "missing-file", Title: "there is no such file",
		Help: "check the path: names are relative to the working directory",
		Text: `
A file named on the command line does not exist. The other files are still
processed.`,
		Example: `smux rewrite kernal.cu`,
		Fix:     `Check the spelling and the working directory.`,
	},
	{
		Code: "is-directory", Title: "a directory was named where a file is expected",
		Help: "name the files of one program, such as src/*.cu",
		Text: `
analyze, rewrite, report and baseline take folders: they search them for CUDA
files and find out which of these make one program together. All other commands
look at one program, and files that are named one by one are one, so that a kernel
in one may be launched from another. "smux analyze FOLDER" says for all kernels
of a folder how many thread blocks run at once, as occupancy does, and "smux
rewrite --verify FOLDER" verifies what it rewrites in each program.`,
		Example: `smux occupancy src`,
		Fix:     `smux occupancy src/*.cu   # or smux analyze src`,
	},
	{
		Code: "empty-file", Title: "the file is empty",
		Help: "give a file with CUDA source",
		Text: `
The file holds nothing but white space. An empty input is more often a broken
pipe or a failed generator than something to rewrite, so it is not passed over
in silence.`,
		Example: `generate-kernel | smux rewrite -d -      # and generate-kernel failed`,
		Fix:     `Look at what wrote the file.`,
	},
	{
		Code: "binary-file", Title: "the file is not source text",
		Help: "give source in ASCII or UTF-8 (convert UTF-16 first)",
		Text: `
The file holds NUL bytes, which no CUDA source does. It is an object file, an
archive, or text in UTF-16.`,
		Example: `smux rewrite kernel.o`,
		Fix:     `iconv -f UTF-16 -t UTF-8 kernel.cu > kernel-utf8.cu`,
	},
	{
		Code: "file-too-large", Title: "the file is larger than smux reads",
		Help: "give only the file that holds the kernel, without embedded data",
		Text: `
smux reads files up to a size far beyond hand-written source (the message names
it). A larger file is nearly always data in the form of an array initialiser,
and would cost time and memory for nothing.`,
		Example: `static const unsigned char weights[] = { 0x1f, 0x8b, /* 60 MB of it */ };`,
		Fix:     `Move the data into a file of its own and include it.`,
	},
	{
		Code: "too-deep", Title: "brackets, statements or operators are nested too deep",
		Help: "flatten the generated code first",
		Text: `
Brackets, or statements and operators without brackets (a sum of thousands of
operands, thousands of else if), are nested deeper than people write; the message
names the limit. Time grows with the square of the depth, so such input is refused
rather than waited for.`,
		Example: `int x = ((((((((((((((((((((((((((((((((/* and so on */`,
		Fix:     `Change the generator to emit flat code.`,
	},
	{
		Code: "truncated", Title: "the file ends in the middle of a comment or string",
		Help: "check that the file is complete",
		Text: `
A comment or raw string is opened and never closed, so everything behind it is
missing from the source's point of view. The place is where it begins.`,
		Example: `
/* computes the sum
__global__ void sum(float *a);`,
		Fix: `Close the comment, or fetch the whole file.`,
	},
	{
		Code: "invalid-utf8", Title: "the file holds bytes that are not UTF-8",
		Help: "convert the file to UTF-8",
		Text: `
Outside of comments and literals there are bytes that are not UTF-8. smux keeps
every byte that it does not edit, but it can't tell where a name begins and ends
in an encoding that it does not know. Inside comments and literals any bytes are
fine.`,
		Example: `int stra\xdfe = 1;      // an identifier in Latin-1`,
		Fix:     `iconv -f ISO-8859-1 -t UTF-8 kernel.cu > kernel-utf8.cu`,
	},
}
