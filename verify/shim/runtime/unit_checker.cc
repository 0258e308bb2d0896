// The checker but for its hooks, compiled as one: most of what a file costs is reading the standard library's headers, and
// making the same instances of its templates.
#include "check.cc"
#include "check_arguments.cc"
#include "check_bounds.cc"
#include "check_clock.cc"
#include "check_constant.cc"
#include "check_guess.cc"
#include "check_pairs.cc"
#include "check_region.cc"
#include "check_shadow.cc"
#include "check_sync.cc"
#include "check_uninitialised.cc"
