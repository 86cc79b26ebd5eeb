// What the examples use of hipFFT.
#ifndef HIPFFT_H_
#define HIPFFT_H_
enum hipfftResult { HIPFFT_SUCCESS, HIPFFT_INVALID_PLAN };
#endif
