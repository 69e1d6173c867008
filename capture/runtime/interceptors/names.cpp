/// \file
/// Users, groups, hosts and services by their names; textual addresses; character sets and locales. The C library
/// guards its own data about them with its own locks.
#include <arpa/inet.h>
#include <errno.h>
#include <grp.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <pwd.h>
#include <regex.h>
#include <wordexp.h>

#include "capture/runtime/interceptors/touches.hpp"

using namespace omen::rt;

namespace {

/// An entry in the caller's buffer. How much of the buffer is written is unknown, so only its first byte is reported.
template <class Entry>
void found(int result, const Entry* entry, const char* buffer, Entry* const* to, uptr pc) {
  if (result != 0) return;
  WROTE(to, sizeof *to)
  if (*to == nullptr) return;
  WROTE(entry, sizeof *entry)
  WROTE(buffer, 1)
}

/// The blocks of a list that the C library frees: the program's use of them ends here.
void ends(const void* block, std::size_t bytes, uptr pc) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || block == nullptr) return;
  recorder.memory(thread, omen::raw::RawOp::Free, reinterpret_cast<uptr>(block), bytes, pc);
}

/// A conversion: the input consumed and the output produced.
struct Converted {
  Converted(char** from_place, char** to_place)
      : from(from_place == nullptr ? nullptr : *from_place), to(to_place == nullptr ? nullptr : *to_place) {}
  char* from;
  char* to;
};

}  // namespace

#define DONE if (result == 0)
#define WHOLE_RESULT WROTE(result, sizeof *result)
#define TEXT_RESULT \
  if (result != nullptr) WROTE(result, text_length(result) + 1)
#define ENTRY found(result, entry, buffer, to, pc)
#define ENTRY_OR_ERROR                  \
  found(result, entry, buffer, to, pc); \
  if (result != 0) WROTE(error, sizeof *error)

// clang-format off
// Users and groups. The functions without a buffer return a static one.
OMEN_STATE_CALL(int, getpwnam_r, (const char* name, passwd* entry, char* buffer, std::size_t room, passwd** to), (name, entry, buffer, room, to), TEXT(name), ENTRY)
OMEN_STATE_CALL(int, getpwuid_r, (unsigned id, passwd* entry, char* buffer, std::size_t room, passwd** to), (id, entry, buffer, room, to), , ENTRY)
OMEN_STATE_CALL(int, getpwent_r, (passwd* entry, char* buffer, std::size_t room, passwd** to), (entry, buffer, room, to), , ENTRY)
OMEN_STATE_CALL(int, getgrnam_r, (const char* name, group* entry, char* buffer, std::size_t room, group** to), (name, entry, buffer, room, to), TEXT(name), ENTRY)
OMEN_STATE_CALL(int, getgrgid_r, (unsigned id, group* entry, char* buffer, std::size_t room, group** to), (id, entry, buffer, room, to), , ENTRY)
OMEN_STATE_CALL(int, getgrent_r, (group* entry, char* buffer, std::size_t room, group** to), (entry, buffer, room, to), , ENTRY)
OMEN_STATE_CALL(passwd*, getpwnam, (const char* name), (name), TEXT(name), WHOLE_RESULT)
OMEN_STATE_CALL(passwd*, getpwuid, (unsigned id), (id), , WHOLE_RESULT)
OMEN_STATE_CALL(passwd*, getpwent, (), (), , WHOLE_RESULT)
OMEN_STATE_CALL(group*, getgrnam, (const char* name), (name), TEXT(name), WHOLE_RESULT)
OMEN_STATE_CALL(group*, getgrgid, (unsigned id), (id), , WHOLE_RESULT)
OMEN_STATE_CALL(group*, getgrent, (), (), , WHOLE_RESULT)
OMEN_STATE_CALL(int, getgrouplist, (const char* name, unsigned first, unsigned* to, int* count), (name, first, to, count), TEXT(name) READ(count, sizeof *count), if (result >= 0) { WROTE(to, static_cast<std::size_t>(result) * sizeof *to) } WROTE(count, sizeof *count))
OMEN_STATE_CALL(int, getlogin_r, (char* to, std::size_t room), (to, room), , DONE WROTE(to, text_length(to) + 1))
OMEN_STATE_CALL(int, __getlogin_r_chk, (char* to, std::size_t room, std::size_t limit), (to, room, limit), , DONE WROTE(to, text_length(to) + 1))
OMEN_STATE_CALL(int, __ttyname_r_chk, (int file, char* to, std::size_t room, std::size_t limit), (file, to, room, limit), , DONE WROTE(to, text_length(to) + 1))
OMEN_STATE_CALL(int, __ptsname_r_chk, (int file, char* to, std::size_t room, std::size_t limit), (file, to, room, limit), , DONE WROTE(to, text_length(to) + 1))
OMEN_STATE_CALL(int, ttyname_r, (int file, char* to, std::size_t room), (file, to, room), , DONE WROTE(to, text_length(to) + 1))
OMEN_STATE_CALL(int, ptsname_r, (int file, char* to, std::size_t room), (file, to, room), , DONE WROTE(to, text_length(to) + 1))

// Hosts, services and protocols.
OMEN_STATE_CALL(int, getaddrinfo, (const char* host, const char* service, const addrinfo* hints, addrinfo** to), (host, service, hints, to), TEXT(host) TEXT(service) READ(hints, sizeof *hints), DONE { WROTE(to, sizeof *to) })
OMEN_STATE_VOID_CALL(freeaddrinfo, (addrinfo* first), (first), for (addrinfo* entry = first; entry != nullptr;) { addrinfo* const next = entry->ai_next; ends(entry, sizeof *entry + entry->ai_addrlen, pc); entry = next; }, )
OMEN_STATE_CALL(int, getnameinfo, (const void* address, unsigned length, char* host, unsigned host_room, char* service, unsigned service_room, int flags), (address, length, host, host_room, service, service_room, flags), READ(address, length), DONE { if (host != nullptr && host_room != 0) { WROTE(host, text_length(host) + 1) } if (service != nullptr && service_room != 0) { WROTE(service, text_length(service) + 1) } })
OMEN_STATE_CALL(int, getifaddrs, (ifaddrs** to), (to), , DONE WROTE(to, sizeof *to))
OMEN_STATE_VOID_CALL(freeifaddrs, (ifaddrs* first), (first), ends(first, sizeof *first, pc), )
OMEN_STATE_CALL(hostent*, gethostbyname, (const char* name), (name), TEXT(name), WHOLE_RESULT)
OMEN_STATE_CALL(hostent*, gethostbyname2, (const char* name, int family), (name, family), TEXT(name), WHOLE_RESULT)
OMEN_STATE_CALL(hostent*, gethostbyaddr, (const void* address, unsigned length, int family), (address, length, family), READ(address, length), WHOLE_RESULT)
OMEN_STATE_CALL(hostent*, gethostent, (), (), , WHOLE_RESULT)
OMEN_STATE_CALL(int, gethostbyname_r, (const char* name, hostent* entry, char* buffer, std::size_t room, hostent** to, int* error), (name, entry, buffer, room, to, error), TEXT(name), ENTRY_OR_ERROR)
OMEN_STATE_CALL(int, gethostbyname2_r, (const char* name, int family, hostent* entry, char* buffer, std::size_t room, hostent** to, int* error), (name, family, entry, buffer, room, to, error), TEXT(name), ENTRY_OR_ERROR)
OMEN_STATE_CALL(int, gethostbyaddr_r, (const void* address, unsigned length, int family, hostent* entry, char* buffer, std::size_t room, hostent** to, int* error), (address, length, family, entry, buffer, room, to, error), READ(address, length), ENTRY_OR_ERROR)
OMEN_STATE_CALL(int, gethostent_r, (hostent* entry, char* buffer, std::size_t room, hostent** to, int* error), (entry, buffer, room, to, error), , ENTRY_OR_ERROR)
OMEN_STATE_CALL(servent*, getservbyname, (const char* name, const char* protocol), (name, protocol), TEXT(name) TEXT(protocol), WHOLE_RESULT)
OMEN_STATE_CALL(servent*, getservbyport, (int port, const char* protocol), (port, protocol), TEXT(protocol), WHOLE_RESULT)
OMEN_STATE_CALL(int, getservbyname_r, (const char* name, const char* protocol, servent* entry, char* buffer, std::size_t room, servent** to), (name, protocol, entry, buffer, room, to), TEXT(name) TEXT(protocol), ENTRY)
OMEN_STATE_CALL(int, getservbyport_r, (int port, const char* protocol, servent* entry, char* buffer, std::size_t room, servent** to), (port, protocol, entry, buffer, room, to), TEXT(protocol), ENTRY)
OMEN_STATE_CALL(protoent*, getprotobyname, (const char* name), (name), TEXT(name), WHOLE_RESULT)
OMEN_STATE_CALL(protoent*, getprotobynumber, (int number), (number), , WHOLE_RESULT)
OMEN_STATE_CALL(int, getprotobyname_r, (const char* name, protoent* entry, char* buffer, std::size_t room, protoent** to), (name, entry, buffer, room, to), TEXT(name), ENTRY)
OMEN_STATE_CALL(int, getprotobynumber_r, (int number, protoent* entry, char* buffer, std::size_t room, protoent** to), (number, entry, buffer, room, to), , ENTRY)

// Textual addresses.
OMEN_CALL(const char*, inet_ntop, (int family, const void* address, char* to, unsigned room), (family, address, to, room), READ(address, family == AF_INET ? 4 : 16), if (result != nullptr) WROTE(to, text_length(to) + 1))
OMEN_CALL(int, inet_pton, (int family, const char* text, void* to), (family, text, to), TEXT(text), if (result == 1) WROTE(to, family == AF_INET ? 4 : 16))
OMEN_CALL(int, inet_aton, (const char* text, void* to), (text, to), TEXT(text), if (result != 0) WROTE(to, 4))
OMEN_CALL(unsigned, inet_addr, (const char* text), (text), TEXT(text), )
OMEN_CALL(unsigned, if_nametoindex, (const char* name), (name), TEXT(name), )
OMEN_CALL(char*, if_indextoname, (unsigned number, char* to), (number, to), , TEXT_RESULT)
OMEN_CALL(ether_addr*, ether_aton, (const char* text), (text), TEXT(text), WHOLE_RESULT)
OMEN_CALL(ether_addr*, ether_aton_r, (const char* text, ether_addr* to), (text, to), TEXT(text), WHOLE_RESULT)
OMEN_CALL(char*, ether_ntoa, (const ether_addr* address), (address), READ(address, sizeof *address), TEXT_RESULT)
OMEN_CALL(char*, ether_ntoa_r, (const ether_addr* address, char* to), (address, to), READ(address, sizeof *address), TEXT_RESULT)
OMEN_STATE_CALL(int, ether_hostton, (const char* name, ether_addr* to), (name, to), TEXT(name), DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, ether_ntohost, (char* to, const ether_addr* address), (to, address), READ(address, sizeof *address), DONE WROTE(to, text_length(to) + 1))
OMEN_CALL(int, ether_line, (const char* line, ether_addr* to, char* name), (line, to, name), TEXT(line), DONE { WROTE(to, sizeof *to) WROTE(name, text_length(name) + 1) })

// Character sets, locales, patterns.
OMEN_STATE_CALL(void*, iconv_open, (const char* to, const char* from), (to, from), TEXT(to) TEXT(from), )
OMEN_STATE_CALL(int, iconv_close, (void* conversion), (conversion), , )
OMEN_STATE_CALL(std::size_t, iconv, (void* conversion, char** from, std::size_t* left, char** to, std::size_t* room), (conversion, from, left, to, room),
                READ(from, sizeof *from) READ(left, sizeof *left) READ(to, sizeof *to) READ(room, sizeof *room) const Converted before(from, to),
                if (before.from != nullptr) { READ(before.from, *from - before.from) WROTE(from, sizeof *from) WROTE(left, sizeof *left) }
                if (before.to != nullptr) { WROTE(before.to, *to - before.to) WROTE(to, sizeof *to) WROTE(room, sizeof *room) })
OMEN_STATE_CALL(char*, setlocale, (int category, const char* name), (category, name), TEXT(name), )
OMEN_STATE_CALL(void*, newlocale, (int mask, const char* name, void* base), (mask, name, base), TEXT(name), )
OMEN_STATE_CALL(int, regcomp, (regex_t* to, const char* pattern, int flags), (to, pattern, flags), TEXT(pattern), WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, regexec, (const regex_t* pattern, const char* text, std::size_t count, regmatch_t* to, int flags), (pattern, text, count, to, flags), READ(pattern, sizeof *pattern) if ((flags & REG_STARTEND) == 0) TEXT(text), if (result == 0 && (flags & REG_STARTEND) == 0) WROTE(to, count * sizeof *to))
OMEN_STATE_CALL(std::size_t, regerror, (int error, const regex_t* pattern, char* to, std::size_t room), (error, pattern, to, room), , if (room != 0) WROTE(to, result < room ? result : room))
OMEN_STATE_VOID_CALL(regfree, (regex_t* pattern), (pattern), WRITE(pattern, sizeof *pattern), )
OMEN_CALL(int, fnmatch, (const char* pattern, const char* text, int flags), (pattern, text, flags), TEXT(pattern) TEXT(text), )
OMEN_STATE_CALL(int, wordexp, (const char* text, wordexp_t* to, int flags), (text, to, flags), TEXT(text), DONE WROTE(to, sizeof *to))
OMEN_STATE_VOID_CALL(wordfree, (wordexp_t* words), (words), WRITE(words, sizeof *words), )
// clang-format on
