"""The entries as a matcher of logs: no entry speaks where none may. Their own examples: tests/test_knowledge_base.py."""

from __future__ import annotations

import pytest
from amdlint.kb import clean, context, load, match
from amdlint.kb.signature import problems

BASE = load()


def test_logs_of_other_vendors_get_no_answer_from_anybody() -> None:
    wrong = {}
    for entry in BASE:
        for example in entry.examples:
            if example.match == "never" and example.log:
                told = context.read(clean.clean(example.log))
                answers = [m.entry.code for m in match.explain(example.log, BASE).matches]
                if told.evidence.foreign and answers:
                    wrong[entry.code, example.log] = answers
    assert wrong == {}


def test_every_signature_is_of_the_linear_dialect() -> None:
    assert {e.code: p for e in BASE for s in e.signatures if (p := problems(s))} == {}


@pytest.mark.parametrize(
    "log",
    [
        "KeyError: 'text'",
        "ValueError: Target modules ['q_proj'] not found in the base model.",
        "OSError: You are trying to access a gated repo.",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (4096x4096 and 1x8388608)",
        "torch.distributed.DistNetworkError: The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use)",
        "RuntimeError: [enforce fail at inline_container.cc:445] . PytorchStreamWriter failed writing file data/176: file write failed",
        "TypeError: SFTTrainer.__init__() got an unexpected keyword argument 'dataset_text_field'",
        "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        "ModuleNotFoundError: No module named 'datasets'",
        "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
        "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn",
        "urllib3.exceptions.MaxRetryError: HTTPSConnectionPool(host='huggingface.co', port=443): Max retries exceeded",
        "OSError: [Errno 28] No space left on device",
        "AssertionError: Batch size 4 is not divisible by 3",
    ],
)
@pytest.mark.parametrize(
    "machine", ["", "torch 2.9.0+rocm6.4, 8x AMD Instinct MI300X, Ubuntu 24.04\n"], ids=["bare", "on MI300X"]
)
def test_everyday_errors_get_no_answer(log: str, machine: str) -> None:
    trace = f'{machine}Traceback (most recent call last):\n  File "/home/user/train.py", line 3, in <module>\n{log}\n'
    assert [m.entry.code for m in match.explain(trace, BASE).matches] == []


@pytest.mark.parametrize(
    "log",
    [
        "NVIDIA H100 80GB HBM3\nRuntimeError: CUDA error: invalid device function\nCompile with `TORCH_USE_CUDA_DSA`",
        "NVIDIA A100-SXM4-80GB, CPU: AMD EPYC 7763\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
        "NVIDIA GeForce RTX 4090\nROCM used to build PyTorch: N/A\nModuleNotFoundError: No module named 'flash_attn_2_cuda'",
        "RuntimeError: CUDA error: device-side assert triggered\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Tesla V100\nRuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
        "GPU: NVIDIA L40S\n{'loss': nan, 'grad_norm': nan}",
    ],
)
def test_nvidia_logs_get_no_answer(log: str) -> None:
    assert [m.entry.code for m in match.explain(log, BASE).matches] == []


@pytest.mark.parametrize(
    "log",
    [
        "Using device: cuda (AMD Radeon RX 7900 XTX), torch 2.10.0+rocm7.1\nepoch 1 loss 0.41\nepoch 2 loss 0.33\n",
        "pytorch version: 2.11.0+rocm7.2\nAMD arch: gfx1100\nROCm version: (7, 2)\nDevice: cuda:0 Radeon RX 7900 XTX : native\nStarting server\n",
        "$ rocminfo | grep gfx\n  Name:                    gfx942\n$ python -c 'import torch; print(torch.cuda.is_available())'\nTrue\n",
        "NCCL INFO Bootstrap : Using eno1:10.0.0.21<0>\nRCCL version : 2.22.3\nNCCL INFO comm 0x55 rank 0 nranks 8 - Init COMPLETE\n",
    ],
)
def test_healthy_logs_get_no_answer(log: str) -> None:
    assert [m.entry.code for m in match.explain(log, BASE).matches] == []
