// What most files of the runtime include. It is precompiled, and each file is compiled with it in front, because
// parsing these headers again in each would be a third of the time. That is all it is for: no file includes it, and
// each includes what it uses.
#pragma once
#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "report.h"
