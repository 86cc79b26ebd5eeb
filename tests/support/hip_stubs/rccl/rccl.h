// What the examples use of RCCL.
#pragma once
typedef struct ncclComm* ncclComm_t;
