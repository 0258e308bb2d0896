// Thrust's policies, and with them that of the CUDA back end, which programs use without naming its header.
#pragma once
#include <thrust/system/cuda/execution_policy.h>
#include_next <thrust/execution_policy.h>
