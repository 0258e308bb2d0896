// What a graph is: works in the order of their dependencies.
#pragma once
#include <memory>
#include <vector>

#include "smux_cpu/capture.h"
#include "smux_cpu/types.h"

struct CUgraphNode_st {
    int type;
    std::shared_ptr<smux_cpu::graph_work> work;  // null: nothing to do
    std::vector<cudaGraphNode_t> after;
};
struct CUgraph_st {
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
    cudaGraphNode_t add(int type, std::shared_ptr<smux_cpu::graph_work> work, std::vector<cudaGraphNode_t> after) {
        nodes.emplace_back(new CUgraphNode_st{type, std::move(work), std::move(after)});
        return nodes.back().get();
    }
};

namespace smux_cpu {
graph_work *kept_launch(const config &config, const void *kernel, void **arguments);
}
