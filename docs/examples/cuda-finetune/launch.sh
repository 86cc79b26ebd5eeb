#!/usr/bin/env bash
# Start one process per GPU of this machine.
set -euo pipefail

NGPU=$(nvidia-smi --list-gpus | wc -l)
export CUDA_DEVICE_MAX_CONNECTIONS=1
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True

torchrun --standalone --nproc_per_node="$NGPU" -m finetune.train \
    --deepspeed ds_config.json \
    --train-file data/train.jsonl \
    --output-dir out \
    "$@"
