// What programs take from helper_image.h of the CUDA samples: comparisons. Images are neither read nor written.
#pragma once
#include <cmath>
#include <cstddef>

template <class T> inline bool compareData(const T *want, const T *got, unsigned n, float epsilon, float share) {
    unsigned far = 0;
    for (unsigned i = 0; i < n; i++) far += !(std::fabs(double(want[i]) - double(got[i])) <= epsilon);
    return share == 0 ? far == 0 : far <= share * n;
}
template <class T> inline bool compareDataAsFloatThreshold(const T *want, const T *got, unsigned n, float epsilon, float share) {
    return compareData(want, got, n, epsilon, share);
}
inline bool sdkCompareL2fe(const float *want, const float *got, unsigned n, float epsilon) {
    double error = 0, sum = 0;
    for (unsigned i = 0; i < n; i++) {
        error += (double(want[i]) - got[i]) * (double(want[i]) - got[i]);
        sum += double(want[i]) * want[i];
    }
    return std::sqrt(error) < epsilon * std::sqrt(sum);
}
