// Streams that are captured: work that is given to one becomes part of a graph, with copies of its arguments, and is done
// each time that the graph is launched.
#pragma once
#include <utility>

#include "smux_cpu/abi.h"

namespace smux_cpu {

struct graph_work {
    virtual void run() = 0;
    virtual ~graph_work() = default;
};
template <class F> struct work_of final : graph_work {
    F work;
    explicit work_of(F &&w) : work(std::move(w)) {}
    void run() override { work(); }
};
template <class F> graph_work *new_work(F work) { return new work_of<F>(std::move(work)); }

}  // namespace smux_cpu

extern "C" {

bool smux_cpu_captures(const void *stream);
// type: a cudaGraphNodeType
void smux_cpu_capture(void *stream, int type, smux_cpu::graph_work *work);

}  // extern "C"

namespace smux_cpu {

template <class F> bool captured(void *stream, int type, F &&work) {
    if (!smux_cpu_captures(stream)) return false;
    smux_cpu_capture(stream, type, new_work(std::forward<F>(work)));
    return true;
}

}  // namespace smux_cpu
