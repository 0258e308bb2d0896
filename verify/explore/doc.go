// Package explore says in which orders the threads of a small program are to be run so that every result
// that an order can bring is seen, and no order is run twice in two ways that differ in nothing.
//
// A step of a thread is one access that orders threads (an atomic, a volatile flag, a word of cuda::atomic) with all that the
// thread does up to the next one. Plain accesses are no steps: where two of them conflict and nothing orders them, the
// race detector says so, and a program without races behaves alike however they are interleaved. Barriers and warp
// operations are no steps either, since they wait for the same threads in each order.
//
// Two steps of different threads matter to each other where they touch the same bytes and at least one changes them;
// updates of one kind whose result nobody looks at (atomicAdd of integers as a statement) do not. Orders that put
// all such pairs in the same order are one class. The classes are walked through by dynamic partial-order reduction
// with source sets and sleep sets (Abdulla, Aronsson, Jonsson, Sagonas, Optimal dynamic partial order
// reduction, POPL 2014, algorithm 1), without keeping states: each class is a run from the beginning, and what
// the run did says which others there are. A launch that leaves the device and the host as an earlier run did is
// not followed any further: what comes after it has been explored.
//
// Where there are more orders than anyone can run, Within lists those that differ in one interval between two barriers of the
// whole block or grid alone. Intervals are counted for each thread; where blocks have barriers of their own, two steps that
// can change places belong to the interval of the first.
//
// Threads that spin: one that comes back to the same place with the same stack and registers, while nothing that it looked at has
// changed, waits until that changes. To run it before would lead to where it is.
//
// What it leaves out: what a GPU's memory model allows beyond an interleaving of the threads, in which order threads come
// to a named barrier that more of them could fill than it counts, which lanes meet in __activemask, and orders
// of racing plain accesses, which are findings by themselves.
package explore
