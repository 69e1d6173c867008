/// \file
/// Clocks, timers and dates.
#include <errno.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <time.h>
#include <utime.h>
#include <wchar.h>

#include "capture/runtime/interceptors/touches.hpp"

using namespace omen::rt;

#define DONE if (result == 0)

// clang-format off
OMEN_STATE_CALL(int, settimeofday, (const timeval* from, const void* zone), (from, zone), READ(from, sizeof *from) READ(zone, 8), )
OMEN_STATE_CALL(int, adjtime, (const timeval* by, timeval* before), (by, before), READ(by, sizeof *by), DONE WROTE(before, sizeof *before))
OMEN_STATE_CALL(int, adjtimex, (timex* to), (to), READ(to, sizeof *to), if (result >= 0) WROTE(to, sizeof *to))
OMEN_CALL(int, clock_getres, (int clock, timespec* to), (clock, to), , DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, clock_settime, (int clock, const timespec* from), (clock, from), READ(from, sizeof *from), )
OMEN_CALL(int, clock_getcpuclockid, (int process, clockid_t* to), (process, to), , DONE WROTE(to, sizeof *to))
OMEN_CALL(clock_t, times, (tms* to), (to), , WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, getitimer, (int which, itimerval* to), (which, to), , DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, setitimer, (int which, const itimerval* from, itimerval* before), (which, from, before), READ(from, sizeof *from), DONE WROTE(before, sizeof *before))
OMEN_STATE_CALL(int, timer_create, (int clock, void* event, void** to), (clock, event, to), READ(event, 64), DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, timer_gettime, (void* timer, itimerspec* to), (timer, to), , DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, timer_settime, (void* timer, int flags, const itimerspec* from, itimerspec* before), (timer, flags, from, before), READ(from, sizeof *from), DONE WROTE(before, sizeof *before))
OMEN_STATE_CALL(int, timerfd_gettime, (int file, itimerspec* to), (file, to), , DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, timerfd_settime, (int file, int flags, const itimerspec* from, itimerspec* before), (file, flags, from, before), READ(from, sizeof *from), DONE WROTE(before, sizeof *before))

// Dates. The functions without a buffer return a static one.
OMEN_STATE_CALL(tm*, localtime, (const time_t* from), (from), READ(from, sizeof *from), WROTE(result, sizeof *result))
OMEN_STATE_CALL(tm*, localtime_r, (const time_t* from, tm* to), (from, to), READ(from, sizeof *from), WROTE(result, sizeof *result))
OMEN_STATE_CALL(tm*, gmtime, (const time_t* from), (from), READ(from, sizeof *from), WROTE(result, sizeof *result))
OMEN_STATE_CALL(tm*, gmtime_r, (const time_t* from, tm* to), (from, to), READ(from, sizeof *from), WROTE(result, sizeof *result))
#define TEXT_RESULT if (result != nullptr) WROTE(result, text_length(result) + 1)
OMEN_STATE_CALL(char*, asctime, (const tm* from), (from), READ(from, sizeof *from), TEXT_RESULT)
OMEN_STATE_CALL(char*, asctime_r, (const tm* from, char* to), (from, to), READ(from, sizeof *from), TEXT_RESULT)
OMEN_STATE_CALL(char*, ctime, (const time_t* from), (from), READ(from, sizeof *from), TEXT_RESULT)
OMEN_STATE_CALL(char*, ctime_r, (const time_t* from, char* to), (from, to), READ(from, sizeof *from), TEXT_RESULT)
OMEN_STATE_CALL(time_t, mktime, (tm* date), (date), READ(date, sizeof *date), if (result != -1) WROTE(date, sizeof *date))
OMEN_STATE_CALL(time_t, timelocal, (tm* date), (date), READ(date, sizeof *date), if (result != -1) WROTE(date, sizeof *date))
OMEN_STATE_CALL(time_t, timegm, (tm* date), (date), READ(date, sizeof *date), if (result != -1) WROTE(date, sizeof *date))
OMEN_STATE_CALL(char*, strptime, (const char* text, const char* format, tm* to), (text, format, to), TEXT(text) TEXT(format), if (result != nullptr) WROTE(to, sizeof *to))
OMEN_STATE_CALL(std::size_t, strftime, (char* to, std::size_t room, const char* format, const tm* date), (to, room, format, date), TEXT(format) READ(date, sizeof *date), if (result != 0) WROTE(to, result + 1))
OMEN_STATE_CALL(std::size_t, wcsftime, (wchar_t* to, std::size_t room, const wchar_t* format, const tm* date), (to, room, format, date), WIDE(format) READ(date, sizeof *date), if (result != 0) WROTE(to, (result + 1) * sizeof(wchar_t)))
// clang-format on
