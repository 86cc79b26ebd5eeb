"""A small decoder with LoRA adapters and the attention of the machine."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from .hardware import is_hopper
from .rmsnorm import rmsnorm

if is_hopper():
    from flash_attn_interface import flash_attn_func
else:
    from flash_attn import flash_attn_func


class LoRALinear(nn.Module):
    """A frozen linear layer with a trainable low-rank update: (..., in) -> (..., out)."""

    def __init__(self, features_in: int, features_out: int, rank: int = 16, alpha: float = 32.0) -> None:
        super().__init__()
        self.base = nn.Linear(features_in, features_out, bias=False)
        self.base.weight.requires_grad_(False)
        self.down = nn.Linear(features_in, rank, bias=False)
        self.up = nn.Linear(rank, features_out, bias=False)
        nn.init.zeros_(self.up.weight)
        self.scale = alpha / rank

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base(x) + self.up(self.down(x)) * self.scale


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.Parameter(torch.ones(width))
        self.qkv = LoRALinear(width, 3 * width)
        self.out = LoRALinear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = self.qkv(rmsnorm(x, self.norm)).view(batch, length, 3, self.heads, -1).unbind(2)
        x = x + self.out(flash_attn_func(q, k, v, causal=True).reshape(batch, length, width))
        return x + self.mlp(x)


class Decoder(nn.Module):
    def __init__(self, vocabulary: int, width: int = 512, heads: int = 8, depth: int = 6) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return F.cross_entropy(self.head(x).flatten(0, 1), labels.flatten())


def quantize_fp8(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Weight as fp8 with one scale per row: (out, in) -> (out, in), (out, 1)."""
    scale = weight.abs().amax(dim=1, keepdim=True) / 448.0
    return (weight / scale).to(torch.float8_e4m3fn), scale
