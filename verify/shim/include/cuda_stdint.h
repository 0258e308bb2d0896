// The fixed-width integers.
#pragma once
#include "stdint.h"
