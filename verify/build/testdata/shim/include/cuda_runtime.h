#pragma once
int smux_cpu_answer();
