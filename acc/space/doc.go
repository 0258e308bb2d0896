// Package space explores the design space of a translation from OpenACC: how the loops of each
// nest may be parted among threads, and what the model expects of it on given GPUs.
//
// Each candidate that the directives leave open (acc.Nest.Mappings) is translated, the emitted kernel is analysed and
// counted as any other (analysis/cost), and an SM that runs it is simulated (model/sim), as for the choice of a
// rewrite. What is sought are first the loops that get threads and which of them lies along x, with thread blocks of
// about one size, then the sizes of the best of these, then what of arrays is staged in shared memory, by the
// rewriter stage of package rewrite on the emitted text. The mean over the GPUs decides; what is within 2 % of what
// acc does by itself is no reason for another text. T_comp, T_mem and the hit rates beside the time are those of the
// closed form (model/timing, after Xie et al., ICCAD).
//
// Registers are estimates: a compiler would take seconds for some twenty texts. Sizes that the
// program does not tell are assumed, the same for all candidates, and told. A kernel in which
// a loop can't be counted all the same keeps its mapping.
package space
