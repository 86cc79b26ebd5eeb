import os

from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CUDAExtension

include = os.path.join(CUDA_HOME, "include")

setup(
    name="bias_softmax",
    version="0.1.0",
    ext_modules=[
        CUDAExtension(
            "bias_softmax",
            ["bias_softmax.cu"],
            include_dirs=[include],
            extra_compile_args={
                "cxx": ["-O3"],
                "nvcc": ["-O3", "--use_fast_math", "--expt-relaxed-constexpr", "-gencode=arch=compute_90,code=sm_90"],
            },
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
