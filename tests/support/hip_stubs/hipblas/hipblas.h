// What the examples use of hipBLAS.
#pragma once
#include <hip/hip_runtime.h>
enum hipblasComputeType_t { HIPBLAS_COMPUTE_32F, HIPBLAS_COMPUTE_32F_FAST_16BF };
