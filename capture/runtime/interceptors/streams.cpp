/// \file
/// Streams: accesses to the caller's memory. Locks inside the C library guard their own buffers and positions.
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "capture/runtime/interceptors/touches.hpp"

using namespace omen::rt;

namespace {
/// The size of a wide text with its terminator.
std::size_t wide_bytes(const wchar_t* text) {
  return omen::formats::text_bytes(text, omen::formats::kUnlimited);
}
}  // namespace

// clang-format off
OMEN_STATE_CALL(std::size_t, fread, (void* to, std::size_t size, std::size_t count, void* file), (to, size, count, file), , WROTE(to, result * size))
OMEN_STATE_CALL(std::size_t, fread_unlocked, (void* to, std::size_t size, std::size_t count, void* file), (to, size, count, file), , WROTE(to, result * size))
OMEN_STATE_CALL(std::size_t, __fread_chk, (void* to, std::size_t room, std::size_t size, std::size_t count, void* file), (to, room, size, count, file), , WROTE(to, result * size))
OMEN_STATE_CALL(std::size_t, __fread_unlocked_chk, (void* to, std::size_t room, std::size_t size, std::size_t count, void* file), (to, room, size, count, file), , WROTE(to, result * size))
OMEN_STATE_CALL(std::size_t, fwrite, (const void* from, std::size_t size, std::size_t count, void* file), (from, size, count, file), READ(from, size * count), )
OMEN_STATE_CALL(std::size_t, fwrite_unlocked, (const void* from, std::size_t size, std::size_t count, void* file), (from, size, count, file), READ(from, size * count), )
OMEN_STATE_CALL(char*, fgets, (char* to, int size, void* file), (to, size, file), , if (result != nullptr) WROTE(to, text_length(to) + 1))
OMEN_STATE_CALL(char*, fgets_unlocked, (char* to, int size, void* file), (to, size, file), , if (result != nullptr) WROTE(to, text_length(to) + 1))
OMEN_STATE_CALL(char*, __fgets_chk, (char* to, std::size_t room, int size, void* file), (to, room, size, file), , if (result != nullptr) WROTE(to, text_length(to) + 1))
OMEN_STATE_CALL(char*, __fgets_unlocked_chk, (char* to, std::size_t room, int size, void* file), (to, room, size, file), , if (result != nullptr) WROTE(to, text_length(to) + 1))
OMEN_STATE_CALL(int, fputs, (const char* text, void* file), (text, file), READ(text, text_length(text)), )
OMEN_STATE_CALL(int, fputs_unlocked, (const char* text, void* file), (text, file), READ(text, text_length(text)), )
OMEN_STATE_CALL(int, puts, (const char* text), (text), READ(text, text_length(text)), )
OMEN_STATE_CALL(wchar_t*, fgetws, (wchar_t* to, int size, void* file), (to, size, file), , if (result != nullptr) WROTE(to, wide_bytes(to)))
OMEN_STATE_CALL(wchar_t*, __fgetws_chk, (wchar_t* to, std::size_t room, int size, void* file), (to, room, size, file), , if (result != nullptr) WROTE(to, wide_bytes(to)))
OMEN_STATE_CALL(wchar_t*, __fgetws_unlocked_chk, (wchar_t* to, std::size_t room, int size, void* file), (to, room, size, file), , if (result != nullptr) WROTE(to, wide_bytes(to)))
OMEN_STATE_CALL(int, fputws, (const wchar_t* text, void* file), (text, file), WIDE(text), )
OMEN_STATE_VOID_CALL(perror, (const char* text), (text), TEXT(text), )

// The line is in a block that the call may have enlarged.
#define LINE(to, room) if (result >= 0) { WROTE(*to, result + 1) } WROTE(to, sizeof *to) WROTE(room, sizeof *room)
OMEN_STATE_CALL(ssize_t, getline, (char** to, std::size_t* room, void* file), (to, room, file), READ(to, sizeof *to) READ(room, sizeof *room), LINE(to, room))
OMEN_STATE_CALL(ssize_t, getdelim, (char** to, std::size_t* room, int end, void* file), (to, room, end, file), READ(to, sizeof *to) READ(room, sizeof *room), LINE(to, room))
OMEN_STATE_CALL(ssize_t, __getdelim, (char** to, std::size_t* room, int end, void* file), (to, room, end, file), READ(to, sizeof *to) READ(room, sizeof *room), LINE(to, room))

OMEN_STATE_CALL(int, fgetpos, (void* file, fpos_t* at), (file, at), , if (result == 0) WROTE(at, sizeof *at))
OMEN_STATE_CALL(int, fgetpos64, (void* file, fpos64_t* at), (file, at), , if (result == 0) WROTE(at, sizeof *at))
OMEN_STATE_CALL(int, fsetpos, (void* file, const fpos_t* at), (file, at), READ(at, sizeof *at), )
OMEN_STATE_CALL(int, fsetpos64, (void* file, const fpos64_t* at), (file, at), READ(at, sizeof *at), )
OMEN_STATE_CALL(void*, fdopen, (int descriptor, const char* mode), (descriptor, mode), TEXT(mode), )
OMEN_STATE_CALL(void*, popen, (const char* command, const char* mode), (command, mode), TEXT(command) TEXT(mode), )
OMEN_STATE_CALL(void*, open_memstream, (char** to, std::size_t* length), (to, length), , WROTE(to, sizeof *to) WROTE(length, sizeof *length))

// Names of temporary files.
OMEN_STATE_CALL(char*, tmpnam, (char* to), (to), , if (to != nullptr && result != nullptr) WROTE(to, text_length(to) + 1))
OMEN_STATE_CALL(char*, tmpnam_r, (char* to), (to), , if (result != nullptr) WROTE(to, text_length(to) + 1))
OMEN_STATE_CALL(char*, tempnam, (const char* folder, const char* prefix), (folder, prefix), TEXT(folder) TEXT(prefix), )
// clang-format on
