// Name lookups, time zones, the environment, locales and character sets in several threads: the C library's own blocks
// are guarded by hidden locks.
// EXPECT: none
// OUTPUT: done
#include <iconv.h>
#include <locale.h>
#include <netdb.h>
#include <pwd.h>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

static void look_up() {
  for (int i = 0; i < 20; ++i) {
    addrinfo hints{};
    addrinfo* found = nullptr;
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo("localhost", "80", &hints, &found) == 0) freeaddrinfo(found);
    time_t now = 1000000 + i;
    tm parts{};
    localtime_r(&now, &parts);
    parts.tm_isdst = -1;
    mktime(&parts);
    char text[64];
    strftime(text, sizeof text, "%c %Z", &parts);
    char buffer[2048];
    passwd entry;
    passwd* result = nullptr;
    getpwuid_r(0, &entry, buffer, sizeof buffer, &result);
    if (const iconv_t conversion = iconv_open("UTF-16", "ISO-8859-2"); conversion != reinterpret_cast<iconv_t>(-1)) {
      char in[] = "text";
      char out[64];
      char* from = in;
      char* to = out;
      std::size_t left = 4;
      std::size_t room = sizeof out;
      iconv(conversion, &from, &left, &to, &room);
      iconv_close(conversion);
    }
    if (const locale_t place = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr)) freelocale(place);
  }
}

int main() {
  setenv("TZ", "Europe/Berlin", 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(look_up);
  for (std::thread& thread : threads) thread.join();
  std::puts("done");
}
