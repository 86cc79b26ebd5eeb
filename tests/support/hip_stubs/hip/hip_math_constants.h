// What the examples use of HIP's constants.
#pragma once
#define HIP_INF_F __builtin_huge_valf()
