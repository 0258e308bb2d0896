// The CUDA back end of these includes the policies.
#pragma once
#include <thrust/execution_policy.h>
#include_next <thrust/merge.h>
