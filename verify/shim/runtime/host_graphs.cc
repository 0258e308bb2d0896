// Graphs of the runtime API. One that is launched does its works one after another before the call returns; what orders them is
// their dependencies alone, which is told the checker.
#include "check_streams.h"
#include "host_graphs.h"

#include <algorithm>
#include <map>
#include <set>

#include "smux_cpu/copy.h"
#include "smux_cpu/unsupported.h"
#include "smux_cpu/host_abi.h"

// Queues, for as long as somebody refers to them.
struct chains {
    static std::vector<unsigned> &spare() {
        static auto *all = new std::vector<unsigned>;
        return *all;
    }
    std::vector<unsigned> numbers;
    unsigned operator[](size_t i) {
        while (numbers.size() <= i) {
            if (spare().empty()) spare().push_back(smux_cpu::check::new_queue(false));
            numbers.push_back(spare().back());
            spare().pop_back();
        }
        return numbers[i];
    }
    ~chains() { spare().insert(spare().end(), numbers.begin(), numbers.end()); }
};

struct CUgraphExec_st {
    struct step {
        cudaGraphNode_t node;
        int type;
        std::shared_ptr<smux_cpu::graph_work> work;
        std::vector<size_t> after = {};  // these steps
        unsigned chain = 0;  // steps of one number come after each other; those of 0 are in the stream's own queue
    };
    std::vector<step> steps;
    std::shared_ptr<chains> queues;  // of the others
    smux_cpu::check::operations_done done;  // when it was last launched

    void add(cudaGraphNode_t node);
    void run(unsigned in) const;
};

using namespace smux_cpu;

void CUgraphExec_st::add(cudaGraphNode_t node) {
    step s = {node, node->type, node->work};
    std::set<unsigned> taken;
    unsigned chains = 0;
    for (const step &other : steps) chains = std::max(chains, other.chain + 1);
    s.chain = chains;
    for (size_t i = steps.size(); i-- > 0;) {
        // A chain goes on after its last step.
        const bool last = taken.insert(steps[i].chain).second;
        if (std::find(node->after.begin(), node->after.end(), steps[i].node) == node->after.end()) continue;
        s.after.push_back(i);
        if (last) s.chain = std::min(s.chain, steps[i].chain);
    }
    steps.push_back(s);
}

void CUgraphExec_st::run(unsigned in) const {
    const check::operations_done before = check::known_to_next(in);
    std::vector<check::operations_done> done;
    for (const step &s : steps) {
        const unsigned queue = s.chain ? (*queues)[s.chain - 1] : in;
        check::queue_waits(queue, before);
        for (size_t i : s.after) check::queue_waits(queue, done[i]);
        if (s.work) check::all_in_queue(queue, [&] { s.work->run(); });
        done.push_back(check::done_by(queue));
    }
    for (const check::operations_done &d : done) check::queue_waits(in, d);
}

namespace {

// Nodes of a graph, each after those that it depends on. False: there is a cycle.
bool in_order(cudaGraphNode_t node, std::set<cudaGraphNode_t> &begun, std::set<cudaGraphNode_t> &done, CUgraphExec_st &to) {
    if (done.count(node)) return true;
    if (!begun.insert(node).second) return false;
    for (cudaGraphNode_t before : node->after)
        if (!in_order(before, begun, done, to)) return false;
    done.insert(node);
    to.add(node);
    return true;
}
bool instantiated(const CUgraph_st &graph, CUgraphExec_st &to) {
    to.queues = std::make_shared<chains>();
    std::set<cudaGraphNode_t> begun, done;
    for (const auto &node : graph.nodes)
        if (!in_order(node.get(), begun, done, to)) return false;
    return true;
}

cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, int type, graph_work *work) {
    std::shared_ptr<graph_work> own(work);
    if (!node || !graph || (count && !after)) return smux_cpu_error(cudaErrorInvalidValue);
    *node = graph->add(type, own, std::vector<cudaGraphNode_t>(after, after + count));
    return cudaSuccess;
}

graph_work *launch_of(const cudaKernelNodeParams *p) {
    if (p->extra) smux_cpu_not_supported("graph node of a kernel with packed arguments");
    return kept_launch(config(p->gridDim, p->blockDim, p->sharedMemBytes), p->func, p->kernelParams);
}

graph_work *fill_of(const cudaMemsetParams &p) {
    return new_work([p] {
        std::vector<char> row(p.width * p.elementSize);
        for (size_t i = 0; i < row.size(); i++) row[i] = char(p.value >> 8 * (i % p.elementSize));
        for (size_t y = 0; y < p.height; y++) cudaMemcpy(static_cast<char *>(p.dst) + y * p.pitch, row.data(), row.size(), cudaMemcpyHostToDevice);
    });
}

// Another work for a node, or for the step that was made of it.
cudaError_t change(CUgraphExec_st *exec, cudaGraphNode_t node, graph_work *work) {
    std::shared_ptr<graph_work> own(work);
    if (!node || !own) return smux_cpu_error(cudaErrorInvalidValue);
    if (!exec) {
        node->work = own;
        return cudaSuccess;
    }
    for (auto &s : exec->steps)
        if (s.node == node) {
            s.work = own;
            return cudaSuccess;
        }
    return smux_cpu_error(cudaErrorInvalidValue);
}

cudaError_t list(const std::vector<cudaGraphNode_t> &all, cudaGraphNode_t *nodes, size_t *count) {
    if (!count) return smux_cpu_error(cudaErrorInvalidValue);
    for (size_t i = 0; nodes && i < *count; i++) nodes[i] = i < all.size() ? all[i] : nullptr;
    if (!nodes || *count > all.size()) *count = all.size();
    return cudaSuccess;
}
template <class F> std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph, F &&chosen) {
    std::vector<cudaGraphNode_t> all;
    for (const auto &node : graph->nodes)
        if (chosen(*node)) all.push_back(node.get());
    return all;
}

}  // namespace

extern "C" {

cudaError_t smux_cpu_graph_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, int type, graph_work *work) {
    return add(node, graph, after, count, type, work);
}
cudaError_t smux_cpu_graph_change(cudaGraphExec_t exec, cudaGraphNode_t node, graph_work *work) { return change(exec, node, work); }

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned) {
    *graph = new CUgraph_st;
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return graph ? cudaSuccess : smux_cpu_error(cudaErrorInvalidValue);
}
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
    if (!clone || !graph) return smux_cpu_error(cudaErrorInvalidValue);
    *clone = new CUgraph_st;
    std::map<cudaGraphNode_t, cudaGraphNode_t> same;
    for (const auto &node : graph->nodes) same[node.get()] = (*clone)->add(node->type, node->work, node->after);
    for (const auto &node : (*clone)->nodes)
        for (cudaGraphNode_t &before : node->after) before = same[before];
    return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const cudaKernelNodeParams *p) {
    graph_work *work = launch_of(p);
    return work ? add(node, graph, after, count, cudaGraphNodeTypeKernel, work) : smux_cpu_error(cudaErrorInvalidDeviceFunction);
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const cudaMemsetParams *p) {
    return add(node, graph, after, count, cudaGraphNodeTypeMemset, fill_of(*p));
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const cudaHostNodeParams *p) {
    return add(node, graph, after, count, cudaGraphNodeTypeHost, new_work([same = *p] { check::host_runs_in(check::legacy_queue, [&] { same.fn(same.userData); }); }));
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count) {
    return add(node, graph, after, count, cudaGraphNodeTypeEmpty, nullptr);
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaGraph_t child) {
    CUgraphExec_st of;
    if (!child || !instantiated(*child, of)) return smux_cpu_error(cudaErrorInvalidValue);
    return add(node, graph, after, count, cudaGraphNodeTypeGraph, new_work([of] { of.run(check::queue_of_graph()); }));
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count) {
    for (size_t i = 0; i < count; i++) to[i]->after.push_back(from[i]);
    return cudaSuccess;
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *p) { return change(nullptr, node, launch_of(p)); }
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaKernelNodeParams *p) { return change(exec, node, launch_of(p)); }
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaMemsetParams *p) { return change(exec, node, fill_of(*p)); }

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    return list(nodes_of(graph, [](const CUgraphNode_st &) { return true; }), nodes, count);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    return list(nodes_of(graph, [](const CUgraphNode_st &n) { return n.after.empty(); }), nodes, count);
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count) { return list(node->after, nodes, count); }
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type) {
    *type = cudaGraphNodeType(node->type);
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long) {
    std::unique_ptr<CUgraphExec_st> made(new CUgraphExec_st);
    if (!exec || !graph || !instantiated(*graph, *made)) return smux_cpu_error(cudaErrorInvalidValue);
    *exec = made.release();
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    delete exec;
    return exec ? cudaSuccess : smux_cpu_error(cudaErrorInvalidValue);
}
cudaError_t smux_cpu_graph_update(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResult *result) {
    CUgraphExec_st now;
    bool same = instantiated(*graph, now) && now.steps.size() == exec->steps.size();
    for (size_t i = 0; same && i < now.steps.size(); i++) same = now.steps[i].type == exec->steps[i].type;
    *result = same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; same && i < now.steps.size(); i++) exec->steps[i].work = now.steps[i].work;
    return same ? cudaSuccess : smux_cpu_error(cudaErrorGraphExecUpdateFailure);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    if (!exec) return smux_cpu_error(cudaErrorInvalidValue);
    if (const cudaError_t error = smux_cpu_check_stream(stream)) return error;
    if (captured(stream, cudaGraphNodeTypeGraph, [same = *exec] { same.run(check::queue_of_graph()); })) return cudaSuccess;
    const unsigned queue = queue_of(stream);
    check::queue_waits(queue, exec->done);
    exec->run(queue);
    exec->done = check::done_by(queue);
    return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
    return exec ? smux_cpu_check_stream(stream) : smux_cpu_error(cudaErrorInvalidValue);
}

}  // extern "C"
