"""Fine-tune the decoder on a JSON-lines file of token lists."""

from __future__ import annotations

import argparse
import json
import os

import deepspeed
import torch
import torch.distributed as dist

from . import hardware
from .model import Decoder


def batches(path: str, length: int, device: torch.device):
    """(1, length) pairs of tokens and the tokens that follow them."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            tokens = json.loads(line)["tokens"][: length + 1]
            if len(tokens) > 1:
                row = torch.tensor([tokens], device=device)
                yield row[:, :-1], row[:, 1:]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--train-file", required=True)
    parser.add_argument("--output-dir", required=True)
    parser.add_argument("--vocabulary", type=int, default=32000)
    parser.add_argument("--length", type=int, default=1024)
    parser.add_argument("--local_rank", type=int, default=int(os.environ.get("LOCAL_RANK", 0)))
    deepspeed.add_config_arguments(parser)
    args = parser.parse_args()

    if torch.version.cuda is None:
        raise RuntimeError("this script needs a CUDA build of PyTorch")
    torch.cuda.set_device(args.local_rank)
    dist.init_process_group("nccl")
    torch.backends.cuda.matmul.allow_tf32 = True

    device = torch.device("cuda", args.local_rank)
    dtype = torch.bfloat16 if hardware.supports_bf16() else torch.float16
    model = Decoder(args.vocabulary).to(device, dtype)
    trainable = [p for p in model.parameters() if p.requires_grad]
    engine, optimizer, _, _ = deepspeed.initialize(args=args, model=model, model_parameters=trainable)

    meter = hardware.PowerMeter(args.local_rank)
    print(hardware.log_driver())
    for step, (tokens, labels) in enumerate(batches(args.train_file, args.length, device)):
        try:
            loss = engine(tokens, labels)
            engine.backward(loss)
            engine.step()
        except RuntimeError as e:
            if "CUDA out of memory" in str(e):
                torch.cuda.empty_cache()
                continue
            raise
        if step % 10 == 0 and dist.get_rank() == 0:
            print(f"step {step}  loss {loss.item():.3f}  {meter.read():.0f} W  of {hardware.peak_tflops()} TFLOP/s")
    engine.save_checkpoint(args.output_dir)


if __name__ == "__main__":
    main()
