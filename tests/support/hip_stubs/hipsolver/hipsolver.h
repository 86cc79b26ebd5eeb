// What the examples use of hipSOLVER.
#pragma once
#include <hip/hip_runtime.h>
typedef void* hipsolverHandle_t;
typedef hipsolverHandle_t hipsolverDnHandle_t;
int hipsolverDnCreate(hipsolverHandle_t*);
