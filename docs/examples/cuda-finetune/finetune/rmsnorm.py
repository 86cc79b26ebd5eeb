"""RMS normalisation as one Triton kernel."""

import torch
import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice


@triton.jit
def _rmsnorm_kernel(x_ptr, w_ptr, y_ptr, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    mask = column < width
    x = tl.load(x_ptr + row * width + column, mask=mask, other=0.0).to(tl.float32)
    scale = libdevice.rsqrt(tl.sum(x * x, axis=0) / width + eps)
    weight = tl.load(w_ptr + column, mask=mask, other=0.0)
    tl.store(y_ptr + row * width + column, x * scale * weight, mask=mask)


def rmsnorm(x: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    """Normalise the last axis: (..., width) -> (..., width)."""
    rows, width = x.numel() // x.shape[-1], x.shape[-1]
    y = torch.empty_like(x)
    _rmsnorm_kernel[(rows,)](x, weight, y, width, eps, BLOCK=triton.next_power_of_2(width), num_warps=32)
    return y
