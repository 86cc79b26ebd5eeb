// Softmax over the last axis with a bias: one warp per row.
#include <ATen/cuda/CUDAContext.h>
#include <cuda_fp16.h>
#include <torch/extension.h>

#define WARP_SIZE 32
#define FULL_MASK 0xffffffff

__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
  for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) {
    v = fmaxf(v, __shfl_xor_sync(FULL_MASK, v, offset));
  }
  return v;
}

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) {
    v += __shfl_xor_sync(FULL_MASK, v, offset);
  }
  return v;
}

__device__ __forceinline__ float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__global__ void bias_softmax_kernel(const float* x, const float* bias, float* y, int rows, int width) {
  const int lane = threadIdx.x % WARP_SIZE;
  const int row = blockIdx.x * (blockDim.x / WARP_SIZE) + threadIdx.x / WARP_SIZE;
  if (row >= rows) return;
  float top = -INFINITY;
  for (int i = lane; i < width; i += WARP_SIZE) top = fmaxf(top, x[row * width + i] + bias[i]);
  top = warp_max(top);
  float total = 0.f;
  for (int i = lane; i < width; i += WARP_SIZE) total += fast_exp2((x[row * width + i] + bias[i] - top) * 1.44269504f);
  total = warp_sum(total);
  for (int i = lane; i < width; i += WARP_SIZE)
    y[row * width + i] = fast_exp2((x[row * width + i] + bias[i] - top) * 1.44269504f) / total;
}

torch::Tensor bias_softmax(torch::Tensor x, torch::Tensor bias) {
  auto y = torch::empty_like(x);
  const int rows = x.numel() / x.size(-1), width = x.size(-1);
  bias_softmax_kernel<<<(rows + 3) / 4, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), rows, width);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("bias_softmax", &bias_softmax); }
