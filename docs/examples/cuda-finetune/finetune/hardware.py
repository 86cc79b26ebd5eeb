"""What the machine can do, asked once at start-up."""

import subprocess

import pynvml
import torch

PEAK_TFLOPS = {"A100": 312.0, "H100": 989.0, "H200": 989.0}


def supports_bf16() -> bool:
    return torch.cuda.get_device_capability() >= (8, 0)


def is_hopper() -> bool:
    major, _ = torch.cuda.get_device_capability()
    return major >= 9


def cuda_major() -> int:
    return int(torch.version.cuda.split(".")[0])


def peak_tflops() -> float:
    name = torch.cuda.get_device_name(0)
    for model, tflops in PEAK_TFLOPS.items():
        if model in name:
            return tflops
    raise ValueError(f"unknown GPU: {name}")


def log_driver() -> str:
    return subprocess.check_output(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], text=True)


class PowerMeter:
    """Power draw of one GPU in watts."""

    def __init__(self, index: int = 0) -> None:
        pynvml.nvmlInit()
        self.handle = pynvml.nvmlDeviceGetHandleByIndex(index)

    def read(self) -> float:
        return pynvml.nvmlDeviceGetPowerUsage(self.handle) / 1000.0
