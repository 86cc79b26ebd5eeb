// What the examples use of hipBLASLt.
#pragma once
#include <hipblas/hipblas.h>
enum hipblasLtEpilogue_t { HIPBLASLT_EPILOGUE_GELU_BIAS, HIPBLASLT_EPILOGUE_DGELU_BGRAD };
