// Part of the runtime API's header.
#pragma once
#include "smux_cpu/host.h"
