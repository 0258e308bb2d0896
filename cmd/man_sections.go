package cmd

var exitStatus = []definition{
	{"0", "Nothing to change, or the result was printed or written, or programs are equal."},
	{"1", "rewrite -d or -l found files that would change; verify or check found something; baseline check found kernels that are worse; doctor found something broken."},
	{"2", "Wrong usage, or input that cannot be read."},
	{"3", "An I/O error, an interrupt, a defect in smux, or a program that could not be run. Of several codes the largest counts."},
}

var environment = []definition{
	{"NO_COLOR, TERM", "Messages and diffs have no colour where NO_COLOR is set or TERM is dumb."},
	{"CXX", "The C++ compiler that verify and check use; the default is the first of g++, clang++ and c++."},
	{"CUDA_HOME, CUDA_PATH", "The folder of the CUDA toolkit, where nvcc is not on PATH."},
	{"XDG_CACHE_HOME", "The folder of caches, in which smux keeps what compilers said and what was measured; the default is ~/.cache."},
	{"SOURCE_DATE_EPOCH", "The date on man pages, in seconds since 1970."},
	{"SMUX_DEBUG", "Set to 1, it has a defect show its stack."},
}

var usedFiles = []definition{
	{".smux.yaml", "What a team says once for all: the GPUs, the rewrites that may be chosen, files to leave out. It is looked for upwards from each file."},
	{"$XDG_CACHE_HOME/smux", "Compiled runtimes, answers of nvcc, and measurements. It can be removed at any time; measurements of tune that were given no --store are then lost."},
	{"compile_commands.json", "With -p: where -I, -D and GPUs (-arch) of each file come from."},
}
