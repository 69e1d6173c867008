/* Calls the intercepted functions of the C library and prints what they return and store: the output must be the same
   natively and under omen. Values that differ from run to run are not printed, such as the magnitude of a
   comparison, which depends on the texts' addresses. Calls also happen before main, in forked
   children, and with null arguments where these are allowed. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <libgen.h>
#include <locale.h>
#include <math.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <syslog.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>
#include <wordexp.h>

char* __strdup(const char*);
char* __strtok_r(char*, const char*, char**);
ssize_t __getdelim(char**, size_t*, int, FILE*);
char* __strndup(const char*, size_t);
#define SHOW(...) (printf("%d: ", __LINE__), printf(__VA_ARGS__), putchar('\n'))
/* A number: the call's result, and errno after it. */
#define CALL(call) (errno = 77, show_call(__LINE__, (long)(call)))
static void show_call(int line, long result) {
  const int error = errno;
  printf("%d: %ld %d\n", line, result, error);
}
static char buffer[4096];
static wchar_t wide[128];

__attribute__((constructor)) static void before_main(void) {
  char text[32];
  snprintf(text, sizeof text, "%s %d", "early", 1);
  printf("%s\n", text);
}

static int through_vsnprintf(const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int result = vsnprintf(buffer, sizeof buffer, format, list);
  va_end(list);
  return result;
}
static int through(int which, const char* format, ...) {
  va_list list;
  va_start(list, format);
  char* block = NULL;
  int result = -5;
  switch (which) {
    case 0: result = vprintf(format, list); break;
    case 1: result = vfprintf(stdout, format, list); break;
    case 2: result = vsprintf(buffer, format, list); break;
    case 3: result = vasprintf(&block, format, list); break;
    case 4: fflush(stdout); result = vdprintf(1, format, list); break;
    case 5: vsyslog(LOG_DEBUG, format, list); result = 0; break;
  }
  va_end(list);
  free(block);
  return result;
}
static int through_wide(int which, const wchar_t* format, ...) {
  va_list list;
  va_start(list, format);
  FILE* const file = tmpfile();
  const int result = which == 0 ? vswprintf(wide, 128, format, list) : vfwprintf(file, format, list);
  fclose(file);
  va_end(list);
  return result;
}
static int scanned(int which, const char* text, const char* format, ...) {
  va_list list;
  va_start(list, format);
  FILE* const file = tmpfile();
  fputs(text, file);
  rewind(file);
  const int result = which == 0 ? vsscanf(text, format, list) : vfscanf(file, format, list);
  fclose(file);
  va_end(list);
  return result;
}
static int scanned_wide(const wchar_t* text, const wchar_t* format, ...) {
  va_list list;
  va_start(list, format);
  const int result = vswscanf(text, format, list);
  va_end(list);
  return result;
}

static void printing(void) {
  int count = 0, more = 0;
  char* block = NULL;
  CALL(snprintf(buffer, sizeof buffer, "%2$s|%1$*3$d|%4$.*5$f%6$n", 42, "text", 6, 2.71828, 3, &count));
  SHOW("%s %d", buffer, count);
  CALL(snprintf(buffer, 8, "%Lf %le %hhd %hd %ld %lld %jd %zu %td", 1.5L, 2.5, 300, 70000, 5L, 6LL, (intmax_t)7, (size_t)8, (ptrdiff_t)9));
  SHOW("%s", buffer);
  CALL(snprintf(NULL, 0, "%s %n%d", "measured", &count, 12));
  SHOW("%d", count);
  CALL(through_vsnprintf("%c %lc %ls %S %5.2s| %% %m %p %a %#x %+i %'d", 'c', L'w', L"wide", L"capital", "cut short", (void*)16, 1.0, 255, 3, 1234567));
  SHOW("%s", buffer);
  CALL(sprintf(buffer, "%-10s|%10s|%.0s|%s", "left", "right", "gone", (char*)NULL));
  SHOW("%s", buffer);
  CALL(asprintf(&block, "%0*d%n", 200, 7, &more));
  SHOW("%zu %d", strlen(block), more);
  free(block);
  CALL(printf("plain %s %Lg %d%%\n", "text", 1e300L, 5));
  CALL(fprintf(stdout, "%s\n", "to a stream"));
  fflush(stdout);
  CALL(dprintf(1, "%s\n", "to a descriptor"));
  CALL(dprintf(-1, "%s\n", "nowhere"));
  for (int i = 0; i < 6; ++i) CALL(through(i, "%s %d %Lf\n", "va", i, 2.0L));
  for (int i = 0; i < 2; ++i) CALL(through_wide(i, L"%d %s %ls", i, "narrow", L"wide"));
  CALL(swprintf(wide, 128, L"%ls %d %s", L"wide", 3, "narrow"));
  SHOW("%ls", wide);
  CALL(swprintf(wide, 2, L"%s", "too long"));
  CALL(snprintf(buffer, 4, "%d%s", 1, "many more"));
  syslog(LOG_DEBUG, "%s %d", "message", 1);
  CALL(snprintf(buffer, sizeof buffer, "%d %d %d %d %d %d %d %g %g %g %g %g %g %g %g %g %Lg %d", 1, 2, 3, 4, 5, 6, 7, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.L, 8));
  SHOW("%s", buffer);
  fprintf(stderr, "%s", "");
}

static void scanning(void) {
  int a = 0, b = 0, used = -1;
  short h = 0;
  char c = 0, set[16] = "", word[16] = "";
  long l = 0;
  float f = 0;
  double d = 0;
  long double ld = 0;
  char* allocated = NULL;
  void* pointer = NULL;
  wchar_t wide_word[16] = L"";
  CALL(sscanf("12 x 34", "%d x %d%n", &a, &b, &used));
  SHOW("%d %d %d", a, b, used);
  CALL(sscanf("7 8 9 1.5 2.5 3.5 word [ab]c", "%hd %hhd %ld %f %lf %Lf %15s [%15[^]]]%c", &h, &c, &l, &f, &d, &ld, word, set, buffer));
  SHOW("%d %d %ld %g %g %Lg %s %s %c", h, c, l, f, d, ld, word, set, buffer[0]);
  CALL(sscanf("allocate 0x10 wide", "%ms %p %15ls", &allocated, &pointer, wide_word));
  SHOW("%s %p %ls", allocated, pointer, wide_word);
  free(allocated);
  CALL(sscanf("1 2", "%2$d %1$d", &a, &b));
  SHOW("%d %d", a, b);
  CALL(sscanf("", "%d", &a));
  CALL(sscanf("abc", "%*s%n", &used));
  SHOW("%d", used);
  for (int i = 0; i < 2; ++i) {
    CALL(scanned(i, "5 five", "%d %15s", &a, word));
    SHOW("%d %s", a, word);
  }
  CALL(swscanf(L"6 six", L"%d %ls", &a, wide_word));
  SHOW("%d %ls", a, wide_word);
  CALL(scanned_wide(L"7 seven", L"%d %15s", &a, word));
  SHOW("%d %s", a, word);
}

static void texts(void) {
  char one[64] = "one two,three", two[64] = "two", *rest = NULL, *end = NULL;
  wchar_t w[64] = L"one two", v[64], *wide_rest = NULL, *wide_end = NULL;
  mbstate_t state;
  CALL(strtol("12x", &end, 10) + *end);
  CALL(strtol("", NULL, 0));
  CALL(strtol("1", &end, 1));
  CALL(strtoul("0xff", &end, 0));
  CALL(strtoll("999999999999999999999", &end, 10));
  CALL(strtoull("-1", &end, 10));
  CALL(strtoimax("7", &end, 10) + strtoumax("8", &end, 10));
  SHOW("%g %g %Lg", strtof("1.5e2x", &end), strtod("0x1p4", &end), strtold("inf", &end));
  SHOW("%ld %lu %lld %llu %g %g %Lg", wcstol(L"12", &wide_end, 10), wcstoul(L"13", &wide_end, 10), wcstoll(L"14", &wide_end, 10), wcstoull(L"15", NULL, 10), (double)wcstof(L"1.5", NULL), wcstod(L"2.5", &wide_end), wcstold(L"3.5", &wide_end));
  CALL(wcstoimax(L"1", NULL, 10) + (long)wcstoumax(L"2", NULL, 10));
  CALL(atoi("42") + atol("43") + atoll("44") + (long)atof("1.5"));
  SHOW("%s", strtok_r(one, " ,", &rest));
  SHOW("%s", strtok_r(NULL, " ,", &rest));
  SHOW("%s", strtok_r(NULL, " ,", &rest));
  CALL(strtok_r(NULL, " ,", &rest));
  strcpy(one, "a:b");
  rest = one;
  SHOW("%s", strsep(&rest, ":"));
  SHOW("%s", strsep(&rest, ":"));
  CALL(strsep(&rest, ":"));
  strcpy(one, "x y");
  SHOW("%s", strtok(one, " "));
  SHOW("%s", strtok(NULL, " "));
  strcpy(one, "p q");
  SHOW("%s", __strtok_r(one, " ", &rest));
  strcpy(buffer, "/usr/lib/x");
  SHOW("%s", __xpg_basename(buffer));
  SHOW("%s %s %s %s", strcat(strcpy(one, "ab"), "cd"), strncat(strcpy(buffer, "ab"), "cdef", 2), stpcpy(two, "x") - 1, stpncpy(two + 8, "abc", 5) - 3);
  CALL((strcoll("a", "b") < 0) + (strverscmp("a9", "a10") < 0));
  CALL(strxfrm(buffer, "abc", sizeof buffer));
  CALL(strcasestr("HELLO", "ell") != NULL);
  CALL((index("abc", 'b') != NULL) + (rindex("abc", 'z') != NULL));
  strcpy(buffer, "/usr/lib/x");
  SHOW("%s", basename(buffer));
  SHOW("%s", dirname(buffer));
  char* copy = __strdup("copied");
  char* part = __strndup("copied", 3);
  SHOW("%s %s", copy, part);
  free(copy), free(part);
  CALL(memccpy(buffer, "abc:def", ':', 7) == buffer + 4);
  CALL(memmem("abcdef", 6, "cd", 2) != NULL);
  CALL((char*)rawmemchr("abc", 'c') != NULL);
  CALL(bcmp("abc", "abd", 3) != 0);
  bcopy("bytes", buffer, 6);
  explicit_bzero(buffer + 3, 2);
  swab("abcd", buffer + 8, 4);
  SHOW("%s %.4s", buffer, buffer + 8);
  SHOW("%zu %zu %ls %ls", wcslen(w), wcsnlen(w, 3), wcscpy(v, w), wcscat(wcscpy(wide, L"a"), L"b"));
  SHOW("%ls %ls", wcsncpy(v, L"xyz", 4), wcsncat(wcscpy(wide, L"a"), L"bcd", 2));
  CALL(wcpcpy(v, L"ab") - v);
  CALL((wcscmp(L"a", L"b") < 0) + wcsncmp(L"ab", L"ac", 1) + wcscasecmp(L"A", L"a") + wcscoll(L"a", L"a"));
  CALL((wcschr(w, L'n') - w) + (wcsrchr(w, L'o') - w) + (wcsstr(w, L"two") - w) + (long)wcsspn(w, L"on") + (long)wcscspn(w, L" ") + (wcspbrk(w, L"t") - w));
  CALL(wcschr(w, L'z'));
  SHOW("%ls", wcstok(w, L" ", &wide_rest));
  SHOW("%ls", wcstok(NULL, L" ", &wide_rest));
  wchar_t* wide_copy = wcsdup(L"dup");
  SHOW("%ls", wide_copy);
  free(wide_copy);
  wmemcpy(v, L"abcd", 5), wmempcpy(v, L"ab", 2), wmemmove(v + 1, v, 3), wmemset(v, L'z', 1);
  SHOW("%ls %d %td", v, wmemcmp(v, v, 4), wmemchr(v, L'a', 4) - v);
  CALL(mbstowcs(wide, "multi", 128) + wcstombs(buffer, L"byte", sizeof buffer));
  CALL(mbstowcs(NULL, "multi", 0));
  const char* from = "abc";
  const wchar_t* wide_from = L"def";
  memset(&state, 0, sizeof state);
  CALL(mbsrtowcs(wide, &from, 128, &state));
  CALL(wcsrtombs(buffer, &wide_from, sizeof buffer, &state));
  CALL(mbrtowc(wide, "x", 1, &state) + wcrtomb(buffer, L'x', &state));
  CALL(mbtowc(wide, "x", 1) + wctomb(buffer, L'x'));
  CALL(mbtowc(NULL, NULL, 0) + wctomb(NULL, 0));
  SHOW("%s", strerror_r(ENOENT, buffer, sizeof buffer));
}

static void streams(void) {
  FILE* const file = tmpfile();
  char* line = NULL;
  size_t room = 0;
  fpos_t at;
  CALL(fputs("first\nsecond\nthird;fourth\n", file));
  CALL(fwrite("12345", 1, 5, file));
  CALL(fputs_unlocked("u", file) >= 0);
  CALL(fwrite_unlocked("678", 1, 3, file));
  rewind(file);
  CALL(getline(&line, &room, file));
  SHOW("%s", line);
  CALL(fgetpos(file, &at));
  SHOW("%s", fgets(buffer, sizeof buffer, file));
  CALL(fsetpos(file, &at));
  SHOW("%s", fgets_unlocked(buffer, sizeof buffer, file));
  CALL(getdelim(&line, &room, ';', file));
  SHOW("%s", line);
  CALL(fread(buffer, 2, 3, file));
  CALL(fread_unlocked(buffer, 1, 100, file));
  CALL(fgets(buffer, sizeof buffer, file));
  CALL(getline(&line, &room, file));
  CALL(getline(NULL, &room, file));
  rewind(file);
  CALL(__getdelim(&line, &room, '\n', file));
  errno = ENOENT;
  perror("expected");
  free(line);
  fclose(file);
  FILE* const wide_file = tmpfile();
  CALL(fputws(L"wide\n", wide_file));
  CALL(fwprintf(wide_file, L"%d", 5));
  rewind(wide_file);
  SHOW("%ls", fgetws(wide, 128, wide_file));
  int number = 0;
  CALL(fwscanf(wide_file, L"%d", &number));
  fclose(wide_file);
  char* block = NULL;
  size_t length = 0;
  FILE* const memory = open_memstream(&block, &length);
  fputs("in memory", memory);
  fclose(memory);
  SHOW("%s %zu", block, length);
  free(block);
  FILE* const child = popen("echo child", "r");
  SHOW("%s", fgets(buffer, sizeof buffer, child));
  CALL(fscanf(child, "%d", &number));
  CALL(pclose(child));
  CALL(puts("put"));
  CALL(tmpnam(buffer) == buffer);
  CALL(tmpnam_r(buffer) == buffer);
  CALL(fdopen(-1, "r"));
}

static int is_dot(const struct dirent* entry) {
  return strcmp(entry->d_name, ".") == 0;
}
static void files(void) {
  struct stat status;
  struct stat64 status64;
  struct statfs system;
  struct statvfs values;
  struct statx more;
  char folder[] = "/tmp/omen-calls-XXXXXX", name[64], other[64];
  CALL(mkdtemp(folder) == folder);
  snprintf(name, sizeof name, "%s/file", folder);
  snprintf(other, sizeof other, "%s/other", folder);
  const int file = open(name, O_CREAT | O_RDWR, 0600);
  CALL(write(file, "content", 7));
  CALL(pread(file, buffer, 3, 4));
  SHOW("%.3s", buffer);
  CALL(stat(name, &status) + status.st_size);
  CALL(stat64(name, &status64) + status64.st_size);
  CALL(lstat(name, &status) + status.st_size);
  CALL(fstat(file, &status) + status.st_size);
  CALL(fstatat(AT_FDCWD, name, &status, 0) + status.st_size);
  CALL(stat("/does/not/exist", &status));
  CALL(fstat(-1, &status));
  CALL(statx(AT_FDCWD, name, 0, STATX_SIZE, &more) + (long)more.stx_size);
  CALL(statfs("/", &system) + fstatfs(file, &system));
  CALL(statvfs("/", &values) + fstatvfs(file, &values));
  CALL(access(name, R_OK) + faccessat(AT_FDCWD, name, R_OK, 0));
  CALL(chmod(name, 0644) + chown(name, -1, -1) + truncate(name, 3));
  const struct timespec times[2] = {{5, 0}, {6, 0}};
  CALL(utimensat(AT_FDCWD, name, times, 0) + futimens(file, times) + utimes(name, NULL) + utime(name, NULL));
  close(file);
  CALL(rename(name, other));
  CALL(symlink("other", name));
  CALL(readlink(name, buffer, sizeof buffer));
  SHOW("%.5s", buffer);
  CALL(readlinkat(AT_FDCWD, name, buffer, sizeof buffer));
  CALL(realpath(name, NULL) != NULL);
  CALL(realpath("/does/not/exist", buffer));
  char* real = canonicalize_file_name(other);
  SHOW("%d", strstr(real, "/other") != NULL);
  free(real);
  CALL(getxattr(other, "user.none", buffer, 8));
  CALL(listxattr(other, buffer, sizeof buffer) >= 0);
  CALL(chdir(folder));
  CALL(getcwd(buffer, sizeof buffer) == buffer);
  CALL(getcwd(buffer, 1));
  char* here = get_current_dir_name();
  CALL(here != NULL);
  free(here);
  DIR* const entries = opendir(".");
  int count = 0;
  while (readdir(entries) != NULL) ++count;
  CALL(count);
  closedir(entries);
  CALL(opendir("/does/not/exist"));
  struct dirent** list;
  CALL(scandir(".", &list, is_dot, alphasort));
  SHOW("%s", list[0]->d_name);
  free(list[0]), free(list);
  glob_t found;
  CALL(glob("o*", 0, NULL, &found));
  SHOW("%zu %s", found.gl_pathc, found.gl_pathv[0]);
  globfree(&found);
  FILE* const stream = fopen("other", "r");
  CALL(fread(buffer, 1, 10, stream));
  CALL(freopen("other", "r", stream) == stream);
  fclose(stream);
  CALL(fopen("/does/not/exist", "r"));
  char temporary[] = "tXXXXXX";
  const int fresh = mkstemp(temporary);
  CALL(fresh >= 0);
  close(fresh);
  CALL(unlink(temporary) + unlink("file") + remove("other"));
  CALL(mkfifo("fifo", 0600) + unlink("fifo") + mkdir("d", 0700) + rmdir("d"));
  CALL(close(creat("made", 0600)) + close(openat(AT_FDCWD, "made", O_RDONLY)) + link("made", "linked") + unlinkat(AT_FDCWD, "linked", 0));
  char other_temporary[] = "tXXXXXX";
  CALL(close(mkostemp(other_temporary, O_CLOEXEC)) + unlink(other_temporary) + unlink("made"));
  char* temporary_name = tempnam("/tmp", "omen");
  CALL(temporary_name != NULL);
  free(temporary_name);
  DIR* const again = opendir("/");
  struct dirent entry, *next;
  CALL(readdir_r(again, &entry, &next) + (next == &entry));
  closedir(again);
  CALL(chdir("/"));
  CALL(rmdir(folder));
  CALL(open("/does/not/exist", O_RDONLY));
}

static void dates(void) {
  struct tm date = {0};
  struct timespec time_spec;
  struct timeval time_value;
  struct itimerval timer;
  const time_t start = 86400 * 365;
  setenv("TZ", "UTC", 1);
  CALL(time(NULL) > 1000000000);
  CALL(gettimeofday(&time_value, NULL) + clock_gettime(CLOCK_MONOTONIC, &time_spec) + clock_getres(CLOCK_MONOTONIC, NULL));
  CALL(clock_gettime(9999, &time_spec));
  CALL(timespec_get(&time_spec, TIME_UTC));
  clockid_t clock;
  CALL(clock_getcpuclockid(0, &clock));
  time_spec = (struct timespec){0, 1};
  CALL(nanosleep(&time_spec, NULL) + clock_nanosleep(CLOCK_MONOTONIC, 0, &time_spec, NULL));
  time_spec.tv_nsec = -1;
  CALL(nanosleep(&time_spec, NULL));
  CALL(getitimer(ITIMER_REAL, &timer) + setitimer(ITIMER_REAL, &timer, &timer));
  struct tms usage;
  CALL(times(&usage) != -1);
  SHOW("%s%s", asctime(gmtime(&start)), ctime(&start));
  SHOW("%s", asctime_r(gmtime_r(&start, &date), buffer));
  SHOW("%s", ctime_r(&start, buffer));
  CALL(localtime(&start)->tm_year);
  CALL(localtime_r(&start, &date)->tm_year);
  CALL(mktime(&date) + timegm(&date) + timelocal(&date));
  CALL(strptime("2020-03-04", "%Y-%m-%d", &date) != NULL);
  CALL(strptime("x", "%Y", &date));
  CALL(strftime(buffer, sizeof buffer, "%Y %j", &date));
  SHOW("%s", buffer);
  CALL(strftime(buffer, 2, "%Y", &date));
  CALL(wcsftime(wide, 128, L"%Y", &date));
  struct itimerspec spec = {{0, 0}, {0, 0}};
  timer_t id;
  CALL(timer_create(CLOCK_REALTIME, &(struct sigevent){.sigev_notify = SIGEV_NONE}, &id));
  CALL(timer_settime(id, 0, &spec, &spec) + timer_gettime(id, &spec) + timer_delete(id));
  const int file = timerfd_create(CLOCK_REALTIME, 0);
  CALL(timerfd_settime(file, 0, &spec, NULL) + timerfd_gettime(file, &spec));
  close(file);
}

static int compare(const void* a, const void* b) {
  return *(const int*)a - *(const int*)b;
}
static int compare_with(const void* a, const void* b, void* sign) {
  return *(int*)sign * compare(a, b);
}
static void numbers(void) {
  int exponent, bits, sign;
  double whole, s, c;
  float whole_f, s_f, c_f;
  long double whole_l, s_l, c_l;
  volatile double x = 10.75;
  SHOW("%g %g %Lg", frexp(x, &exponent), (double)frexpf((float)x, &exponent), frexpl(x, &exponent));
  SHOW("%d", exponent);
  SHOW("%g %g %Lg", modf(x, &whole), (double)modff((float)x, &whole_f), modfl(x, &whole_l));
  SHOW("%g %g %Lg", whole, (double)whole_f, whole_l);
  SHOW("%g %g %Lg", remquo(x, 3, &bits), (double)remquof((float)x, 3, &bits), remquol(x, 3, &bits));
  SHOW("%d", bits);
  SHOW("%g %g %Lg", lgamma_r(-x, &sign), (double)lgammaf_r(-(float)x, &sign), lgammal_r(-x, &sign));
  SHOW("%d", sign);
  sincos(x, &s, &c), sincosf((float)x, &s_f, &c_f), sincosl(x, &s_l, &c_l);
  SHOW("%g %g %g %g %Lg %Lg", s, c, (double)s_f, (double)c_f, s_l, c_l);
  unsigned seed = 5;
  CALL(rand_r(&seed));
  struct random_data random_state = {0};
  char memory[64];
  int32_t number;
  CALL(initstate_r(3, memory, sizeof memory, &random_state) + srandom_r(4, &random_state));
  CALL(random_r(&random_state, &number));
  CALL(number);
  CALL(setstate_r(memory, &random_state));
  struct drand48_data state = {0};
  unsigned short three[3] = {1, 2, 3}, seven[7] = {1, 2, 3, 4, 5, 6, 7};
  long l;
  double d;
  srand48_r(7, &state), drand48_r(&state, &d), lrand48_r(&state, &l);
  SHOW("%g %ld", d, l);
  mrand48_r(&state, &l), erand48_r(three, &state, &d), nrand48_r(three, &state, &l), jrand48_r(three, &state, &l);
  SHOW("%g %ld", d, l);
  CALL(seed48_r(three, &state) + lcong48_r(seven, &state));
  srand48(9);
  SHOW("%g", drand48());
  SHOW("%ld", lrand48());
  SHOW("%ld", mrand48());
  SHOW("%g", erand48(three));
  SHOW("%ld", nrand48(three));
  SHOW("%ld", jrand48(three));
  CALL(getrandom(buffer, 8, 0) + getentropy(buffer, 8));
  int list[] = {5, 3, 9, 1}, down = -1;
  qsort(list, 4, sizeof *list, compare);
  SHOW("%d %d %d %d", list[0], list[1], list[2], list[3]);
  qsort_r(list, 4, sizeof *list, compare_with, &down);
  SHOW("%d %d %d %d", list[0], list[1], list[2], list[3]);
  qsort(NULL, 0, 4, compare);
  void* root = NULL;
  CALL(tsearch(&list[0], &root, compare) != NULL);
  CALL((tfind(&list[0], &root, compare) != NULL) + (tfind(&list[1], &root, compare) != NULL));
  CALL(tdelete(&list[0], &root, compare) != NULL);
}

static void environment(void) {
  static char pair[] = "OMEN_PUT=put";
  CALL(setenv("OMEN_SET", "set", 1));
  CALL(setenv("", "x", 1));
  CALL(putenv(pair));
  SHOW("%s %s %d", getenv("OMEN_SET"), secure_getenv("OMEN_PUT"), getenv("OMEN_NONE") == NULL);
  CALL(unsetenv("OMEN_SET"));
  SHOW("%d", getenv("OMEN_SET") == NULL);
  fflush(stdout);
  if (fork() == 0) _exit(clearenv() == 0 && getenv("PATH") == NULL ? 6 : 7);
  int status;
  struct rusage usage;
  CALL(wait3(&status, 0, &usage) > 0);
  SHOW("%d", WEXITSTATUS(status));
}

static void names(void) {
  struct passwd entry, *user;
  struct group group_entry, *group;
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM}, *list = NULL;
  char text[1024];
  CALL(getpwuid_r(0, &entry, text, sizeof text, &user));
  SHOW("%s", user == NULL ? "nobody" : user->pw_name);
  CALL(getpwnam_r("root", &entry, text, sizeof text, &user));
  CALL(getpwnam_r("root", &entry, text, 1, &user));
  CALL(getgrgid_r(0, &group_entry, text, sizeof text, &group) + getgrnam_r("root", &group_entry, text, sizeof text, &group));
  SHOW("%d %d %d %d", getpwuid(0) != NULL, getpwnam("root") != NULL, getgrgid(0) != NULL, getgrnam("nobody at all") != NULL);
  gid_t groups[64];
  int count = 64;
  CALL(getgrouplist("root", 0, groups, &count));
  CALL(getaddrinfo("127.0.0.1", "80", &hints, &list));
  CALL(getnameinfo(list->ai_addr, list->ai_addrlen, text, sizeof text, buffer, sizeof buffer, NI_NUMERICHOST | NI_NUMERICSERV));
  SHOW("%s %s", text, buffer);
  freeaddrinfo(list);
  CALL(getaddrinfo("no number", NULL, &hints, &list));
  struct ifaddrs* interfaces;
  CALL(getifaddrs(&interfaces));
  freeifaddrs(interfaces);
  struct hostent host, *found;
  int error;
  CALL(gethostbyname_r("127.0.0.1", &host, text, sizeof text, &found, &error));
  CALL(gethostbyname("127.0.0.1") != NULL);
  CALL(gethostbyname2("127.0.0.1", AF_INET) != NULL);
  CALL(gethostbyname2_r("127.0.0.1", AF_INET, &host, text, sizeof text, &found, &error));
  const struct in_addr loopback = {htonl(INADDR_LOOPBACK)};
  const struct hostent* const by_address = gethostbyaddr(&loopback, sizeof loopback, AF_INET);
  CALL(by_address != NULL);
  CALL(gethostbyaddr_r(&loopback, sizeof loopback, AF_INET, &host, text, sizeof text, &found, &error));
  sethostent(0);
  CALL(gethostent() != NULL);
  CALL(gethostent_r(&host, text, sizeof text, &found, &error));
  endhostent();
  struct protoent protocol, *found_protocol;
  CALL(getprotobyname("tcp") != NULL);
  CALL(getprotobynumber(17) != NULL);
  CALL(getprotobyname_r("tcp", &protocol, text, sizeof text, &found_protocol));
  CALL(getprotobynumber_r(17, &protocol, text, sizeof text, &found_protocol));
  CALL((getservbyname("http", "tcp") != NULL) + (getservbyport(htons(80), "tcp") != NULL));
  setpwent(), setgrent();
  SHOW("%s %s", getpwent()->pw_name, getgrent()->gr_name);
  CALL(getpwent_r(&entry, text, sizeof text, &user) + getgrent_r(&group_entry, text, sizeof text, &group));
  endpwent(), endgrent();
  struct servent service, *found_service;
  getservbyname_r("none at all", "tcp", &service, text, sizeof text, &found_service);
  CALL(found_service);
  getservbyport_r(htons(1), "none", &service, text, sizeof text, &found_service);
  CALL(found_service);
  unsigned char address[16];
  CALL(inet_pton(AF_INET6, "::1", address));
  SHOW("%s", inet_ntop(AF_INET6, address, text, sizeof text));
  CALL(inet_pton(AF_INET, "no address", address));
  CALL(inet_aton("1.2.3.4", (struct in_addr*)address) + (long)inet_addr("1.2.3.4"));
  CALL(if_nametoindex("no such interface"));
  struct ether_addr ether;
  CALL(ether_aton_r("1:2:3:4:5:6", &ether) == &ether);
  SHOW("%s %s", ether_ntoa_r(&ether, text), ether_ntoa(ether_aton("6:5:4:3:2:1")));
  CALL(ether_line("1:2:3:4:5:6 name", &ether, text));
  const iconv_t conversion = iconv_open("UTF-16LE", "ISO-8859-1");
  char *from = (char[]){"text"}, *to = text;
  size_t left = 4, room = sizeof text;
  CALL(iconv(conversion, &from, &left, &to, &room));
  SHOW("%zu %zu %td", left, room, to - text);
  CALL(iconv(conversion, NULL, NULL, NULL, NULL));
  CALL(iconv_close(conversion));
  SHOW("%s", setlocale(LC_ALL, NULL));
  SHOW("%s", setlocale(LC_ALL, "C"));
  const locale_t locale = newlocale(LC_ALL_MASK, "C", NULL);
  CALL(locale != NULL);
  freelocale(locale);
  regex_t pattern;
  regmatch_t match[2];
  CALL(regcomp(&pattern, "a(b+)", REG_EXTENDED));
  CALL(regexec(&pattern, "xabbb", 2, match, 0));
  SHOW("%d %d", match[1].rm_so, match[1].rm_eo);
  regfree(&pattern);
  CALL(regerror(regcomp(&pattern, "(", REG_EXTENDED), &pattern, text, sizeof text));
  CALL(fnmatch("*.c", "x.c", 0));
  wordexp_t words;
  CALL(wordexp("a b", &words, 0));
  SHOW("%zu %s", words.we_wordc, words.we_wordv[1]);
  wordfree(&words);
}

static void handler(int number) {
  (void)number;
}
static void system_calls(void) {
  struct utsname name;
  struct sysinfo info;
  struct rusage usage;
  struct rlimit limit;
  uid_t a, b, c;
  unsigned processor, node;
  cpu_set_t cpus;
  struct sched_param parameters;
  CALL(uname(&name) + gethostname(buffer, sizeof buffer) + getdomainname(buffer, sizeof buffer) + sysinfo(&info));
  CALL(getrusage(RUSAGE_SELF, &usage) + getrlimit(RLIMIT_NOFILE, &limit) + setrlimit(RLIMIT_NOFILE, &limit) + prlimit(0, RLIMIT_NOFILE, NULL, &limit));
  CALL(getrlimit(-1, &limit));
  CALL(getresuid(&a, &b, &c) + getresgid(&a, &b, &c) + getcpu(&processor, &node));
  CALL(getgroups(0, NULL) >= 0);
  CALL(sched_getaffinity(0, sizeof cpus, &cpus) + sched_setaffinity(0, sizeof cpus, &cpus) + sched_getparam(0, &parameters));
  struct timespec interval;
  CALL(sched_rr_get_interval(0, &interval));
  CALL(confstr(_CS_PATH, buffer, sizeof buffer) > 0);
  CALL(tcgetattr(-1, &(struct termios){0}));
  CALL(getloadavg((double[3]){0}, 3));
  void* places[4];
  CALL(backtrace(places, 4) > 0);
  Dl_info symbol;
  CALL(dladdr((void*)printf, &symbol) != 0);
  unsigned char pages[1];
  void* const page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CALL(mincore(page, 4096, pages));
  munmap(page, 4096);
  int status = 0;
  fflush(stdout);
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      printf("child %d %s\n", i, getenv("OMEN_PUT"));
      fflush(stdout);
      _exit(i);
    }
    siginfo_t how;
    CALL(i == 0   ? waitpid(child, &status, 0) == child
         : i == 1 ? wait(&status) == child
         : i == 2 ? wait4(child, &status, 0, &usage) == child
                  : waitid(P_PID, child, &how, WEXITED) == 0);
    SHOW("%d", WEXITSTATUS(status));
  }
  CALL(waitpid(-1, &status, 0));
  CALL(system("exit 3"));
  sigset_t set, before;
  CALL(sigemptyset(&set) + sigaddset(&set, SIGUSR1) + sigaddset(&set, SIGUSR2) + sigdelset(&set, SIGUSR2) + sigismember(&set, SIGUSR1));
  CALL(sigfillset(&before) + sigismember(&before, SIGTERM));
  CALL(sigaddset(&set, 999));
  CALL(sigprocmask(SIG_BLOCK, &set, &before) + pthread_sigmask(SIG_BLOCK, &set, NULL));
  CALL(raise(SIGUSR1));
  CALL(sigpending(&before) + sigismember(&before, SIGUSR1));
  int number;
  CALL(sigwait(&set, &number) + number);
  const struct timespec no_time = {0, 0};
  CALL(sigtimedwait(&set, NULL, &no_time));
  CALL(kill(getpid(), SIGUSR1));
  CALL(sigwaitinfo(&set, NULL));
  CALL(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 4}));
  const int file = signalfd(-1, &set, 0);
  struct signalfd_siginfo got;
  CALL(read(file, &got, sizeof got));
  SHOW("%u %d", got.ssi_signo, got.ssi_int);
  close(file);
  signal(SIGUSR2, handler);
  CALL(pthread_kill(pthread_self(), SIGUSR2) + tgkill(getpid(), gettid(), SIGUSR2) + pthread_kill(pthread_self(), 0));
  CALL(killpg(0, 0) + pthread_sigqueue(pthread_self(), SIGUSR2, (union sigval){0}));
  CALL(kill(1 << 22, 0));
  stack_t stack;
  CALL(sigaltstack(NULL, &stack));
  int ends[2];
  CALL(pipe(ends) + (int)write(ends[1], "x", 1));
  struct pollfd polled = {ends[0], POLLIN, 0};
  CALL(poll(&polled, 1, 0));
  CALL(polled.revents);
  CALL(ppoll(&polled, 1, &no_time, NULL));
  CALL(poll(NULL, 0, 0));
  fd_set reading;
  FD_ZERO(&reading);
  FD_SET(ends[0], &reading);
  struct timeval zero = {0, 0};
  CALL(select(ends[0] + 1, &reading, NULL, NULL, &zero));
  CALL(pselect(ends[0] + 1, &reading, NULL, NULL, &no_time, NULL));
  close(ends[0]), close(ends[1]);
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in place = {.sin_family = AF_INET};
  socklen_t length = sizeof place;
  int one = 1;
  CALL(setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one));
  CALL(bind(server, (struct sockaddr*)&place, sizeof place) + getsockname(server, (struct sockaddr*)&place, &length));
  length = sizeof one;
  CALL(getsockopt(server, SOL_SOCKET, SO_TYPE, &one, &length) + one);
  length = sizeof place;
  CALL(getpeername(server, (struct sockaddr*)&place, &length));
  close(server);
  pthread_attr_t attributes;
  int value;
  size_t bytes;
  void* low;
  pthread_attr_init(&attributes);
  CALL(pthread_attr_getdetachstate(&attributes, &value) + pthread_attr_getguardsize(&attributes, &bytes) + pthread_attr_getstacksize(&attributes, &bytes) + pthread_attr_getschedpolicy(&attributes, &value) + pthread_attr_getscope(&attributes, &value) + pthread_attr_getinheritsched(&attributes, &value) + pthread_attr_getschedparam(&attributes, &parameters));
  pthread_attr_destroy(&attributes);
  CALL(pthread_getattr_np(pthread_self(), &attributes) + pthread_attr_getstack(&attributes, &low, &bytes));
  pthread_attr_destroy(&attributes);
  pthread_mutexattr_t mutex;
  pthread_mutexattr_init(&mutex);
  CALL(pthread_mutexattr_gettype(&mutex, &value) + pthread_mutexattr_getpshared(&mutex, &value) + pthread_mutexattr_getprotocol(&mutex, &value) + pthread_mutexattr_getrobust(&mutex, &value));
  pthread_mutexattr_getprioceiling(&mutex, &value);
  pthread_rwlockattr_t rwlock;
  pthread_rwlockattr_init(&rwlock);
  CALL(pthread_rwlockattr_getkind_np(&rwlock, &value) + pthread_rwlockattr_getpshared(&rwlock, &value));
  pthread_condattr_t condition;
  pthread_condattr_init(&condition);
  clockid_t clock;
  CALL(pthread_condattr_getclock(&condition, &clock) + pthread_condattr_getpshared(&condition, &value));
  pthread_barrierattr_t barrier;
  pthread_barrierattr_init(&barrier);
  CALL(pthread_barrierattr_getpshared(&barrier, &value));
  CALL(pthread_setname_np(pthread_self(), "calls") + pthread_getname_np(pthread_self(), buffer, sizeof buffer));
  SHOW("%s", buffer);
  CALL(pthread_getschedparam(pthread_self(), &value, &parameters) + pthread_setschedparam(pthread_self(), value, &parameters));
  CALL(pthread_getaffinity_np(pthread_self(), sizeof cpus, &cpus) + pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus));
  CALL(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL) + pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &value));
  sem_t semaphore;
  sem_init(&semaphore, 0, 3);
  CALL(sem_getvalue(&semaphore, &value) + value);
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  printing();
  scanning();
  texts();
  streams();
  files();
  dates();
  numbers();
  environment();
  names();
  system_calls();
  return 0;
}
