#pragma once
#include <chrono> // which CUDA's includes, and programs rely on

#include "cuda_pipeline_primitives.h"
