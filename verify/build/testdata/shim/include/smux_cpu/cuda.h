// A small stand-in for the shim's header, for tests of how programs are built.
#pragma once
#include <cstdio>
#include <vector>
#define __global__
int smux_cpu_answer();
extern bool smux_cpu_checked;
template <class T> T twice(T x) { return x + x; }
