// What programs take from helper_timer.h of the CUDA samples: stopwatches that do not go, since what a program prints must not
// differ from run to run.
#pragma once

class StopWatchInterface {
   public:
    void start() {}
    void stop() {}
    void reset() {}
    float getTime() { return 1; }
    float getAverageTime() { return 1; }
};
inline bool sdkCreateTimer(StopWatchInterface **t) { return *t = new StopWatchInterface; }
inline bool sdkDeleteTimer(StopWatchInterface **t) {
    delete *t;
    *t = nullptr;
    return true;
}
inline bool sdkStartTimer(StopWatchInterface **t) { return *t; }
inline bool sdkStopTimer(StopWatchInterface **t) { return *t; }
inline bool sdkResetTimer(StopWatchInterface **t) { return *t; }
inline float sdkGetTimerValue(StopWatchInterface **t) { return *t ? (*t)->getTime() : 0; }
inline float sdkGetAverageTimerValue(StopWatchInterface **t) { return *t ? (*t)->getAverageTime() : 0; }
