// cuda::std for what is in no header of the shim's own: the host's. Names that CUDA makes its own, such as atomic, win.
#pragma once

namespace cuda {
namespace std {
using namespace ::std;
}
}  // namespace cuda
