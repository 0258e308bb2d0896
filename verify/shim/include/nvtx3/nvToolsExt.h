// The same under its newer name.
#pragma once
#include "../nvToolsExt.h"
