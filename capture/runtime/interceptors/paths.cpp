/// \file
/// Operations on file names, and file attributes. Names imply order: a thread that finds a file missing, or present, is
/// ordered after its removal or creation. One object stands for all names.
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <mntent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "capture/runtime/interceptors/descriptors.hpp"
#include "capture/runtime/interceptors/touches.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

namespace {

void order(RawOp op, uptr pc) {
  if (ThreadState* const thread = recording_thread()) recorder.synchronise(thread, op, kPaths, 0, pc);
}

}  // namespace

#define CHANGES order(RawOp::SyncRelease, pc);
#define SEEN order(RawOp::SyncAcquire, pc);
#define DONE if (result == 0)
#define TEXT_RESULT \
  if (result != nullptr) WROTE(result, text_length(result) + 1)

// clang-format off
OMEN_CALL(int, unlink, (const char* name), (name), TEXT(name) CHANGES, )
OMEN_CALL(int, unlinkat, (int folder, const char* name, int flags), (folder, name, flags), TEXT(name) CHANGES, )
OMEN_CALL(int, rmdir, (const char* name), (name), TEXT(name) CHANGES, )
OMEN_CALL(int, remove, (const char* name), (name), TEXT(name) CHANGES, )
OMEN_CALL(int, mkdir, (const char* name, unsigned mode), (name, mode), TEXT(name) CHANGES, )
OMEN_CALL(int, mkfifo, (const char* name, unsigned mode), (name, mode), TEXT(name) CHANGES, )
OMEN_CALL(int, rename, (const char* from, const char* to), (from, to), TEXT(from) TEXT(to) CHANGES, )
OMEN_CALL(int, link, (const char* from, const char* to), (from, to), TEXT(from) TEXT(to) CHANGES, )
OMEN_CALL(int, symlink, (const char* from, const char* to), (from, to), TEXT(from) TEXT(to) CHANGES, )

// Opening may create a file, and finds one.
OMEN_CALL(int, open, (const char* name, int flags, unsigned mode), (name, flags, mode), TEXT(name) CHANGES, SEEN descriptor_created(result, pc))
OMEN_CALL(int, open64, (const char* name, int flags, unsigned mode), (name, flags, mode), TEXT(name) CHANGES, SEEN descriptor_created(result, pc))
OMEN_CALL(int, __open_2, (const char* name, int flags), (name, flags), TEXT(name) CHANGES, SEEN descriptor_created(result, pc))
OMEN_CALL(int, __open64_2, (const char* name, int flags), (name, flags), TEXT(name) CHANGES, SEEN descriptor_created(result, pc))
OMEN_CALL(int, openat, (int folder, const char* name, int flags, unsigned mode), (folder, name, flags, mode), TEXT(name) CHANGES, SEEN descriptor_created(result, pc))
OMEN_CALL(int, openat64, (int folder, const char* name, int flags, unsigned mode), (folder, name, flags, mode), TEXT(name) CHANGES, SEEN descriptor_created(result, pc))
OMEN_CALL(int, creat, (const char* name, unsigned mode), (name, mode), TEXT(name) CHANGES, SEEN descriptor_created(result, pc))
OMEN_CALL(int, creat64, (const char* name, unsigned mode), (name, mode), TEXT(name) CHANGES, SEEN descriptor_created(result, pc))
OMEN_STATE_CALL(void*, fopen, (const char* name, const char* mode), (name, mode), TEXT(name) TEXT(mode), SEEN)
OMEN_STATE_CALL(void*, fopen64, (const char* name, const char* mode), (name, mode), TEXT(name) TEXT(mode), SEEN)
OMEN_STATE_CALL(void*, freopen, (const char* name, const char* mode, void* file), (name, mode, file), TEXT(name) TEXT(mode), SEEN)
OMEN_STATE_CALL(void*, freopen64, (const char* name, const char* mode, void* file), (name, mode, file), TEXT(name) TEXT(mode), SEEN)
OMEN_CALL(int, mkstemp, (char* name), (name), if (name != nullptr) { WRITE(name, text_length(name) + 1) }, SEEN descriptor_created(result, pc))
OMEN_CALL(int, mkstemp64, (char* name), (name), if (name != nullptr) { WRITE(name, text_length(name) + 1) }, SEEN descriptor_created(result, pc))
OMEN_CALL(int, mkostemp, (char* name, int flags), (name, flags), if (name != nullptr) { WRITE(name, text_length(name) + 1) }, SEEN descriptor_created(result, pc))
OMEN_CALL(int, mkostemp64, (char* name, int flags), (name, flags), if (name != nullptr) { WRITE(name, text_length(name) + 1) }, SEEN descriptor_created(result, pc))
OMEN_CALL(char*, mkdtemp, (char* name), (name), if (name != nullptr) { WRITE(name, text_length(name) + 1) } CHANGES, )

OMEN_CALL(int, access, (const char* name, int mode), (name, mode), TEXT(name), SEEN)
OMEN_CALL(int, faccessat, (int folder, const char* name, int mode, int flags), (folder, name, mode, flags), TEXT(name), SEEN)
OMEN_STATE_CALL(int, stat, (const char* name, struct stat* to), (name, to), TEXT(name), SEEN DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, stat64, (const char* name, struct stat64* to), (name, to), TEXT(name), SEEN DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, lstat, (const char* name, struct stat* to), (name, to), TEXT(name), SEEN DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, lstat64, (const char* name, struct stat64* to), (name, to), TEXT(name), SEEN DONE WROTE(to, sizeof *to))
OMEN_CALL(int, fstat, (int file, struct stat* to), (file, to), , DONE WROTE(to, sizeof *to))
OMEN_CALL(int, fstat64, (int file, struct stat64* to), (file, to), , DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, fstatat, (int folder, const char* name, struct stat* to, int flags), (folder, name, to, flags), TEXT(name), SEEN DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, fstatat64, (int folder, const char* name, struct stat64* to, int flags), (folder, name, to, flags), TEXT(name), SEEN DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, statx, (int folder, const char* name, int flags, unsigned mask, void* to), (folder, name, flags, mask, to), TEXT(name), SEEN DONE WROTE(to, sizeof(struct statx)))
OMEN_STATE_CALL(int, statfs, (const char* name, struct statfs* to), (name, to), TEXT(name), DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, statfs64, (const char* name, struct statfs64* to), (name, to), TEXT(name), DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, fstatfs, (int file, struct statfs* to), (file, to), , DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, fstatfs64, (int file, struct statfs64* to), (file, to), , DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, statvfs, (const char* name, struct statvfs* to), (name, to), TEXT(name), DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, statvfs64, (const char* name, struct statvfs64* to), (name, to), TEXT(name), DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, fstatvfs, (int file, struct statvfs* to), (file, to), , DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, fstatvfs64, (int file, struct statvfs64* to), (file, to), , DONE WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, chdir, (const char* name), (name), TEXT(name), )
OMEN_STATE_CALL(int, chmod, (const char* name, unsigned mode), (name, mode), TEXT(name), )
OMEN_STATE_CALL(int, chown, (const char* name, unsigned user, unsigned group), (name, user, group), TEXT(name), )
OMEN_STATE_CALL(int, truncate, (const char* name, long length), (name, length), TEXT(name), )
OMEN_STATE_CALL(int, utime, (const char* name, const utimbuf* times), (name, times), TEXT(name) READ(times, sizeof *times), )
OMEN_STATE_CALL(int, utimes, (const char* name, const timeval* times), (name, times), TEXT(name) READ(times, 2 * sizeof *times), )
OMEN_STATE_CALL(int, utimensat, (int folder, const char* name, const timespec* times, int flags), (folder, name, times, flags), TEXT(name) READ(times, 2 * sizeof *times), )
OMEN_STATE_CALL(int, futimens, (int file, const timespec* times), (file, times), READ(times, 2 * sizeof *times), )

OMEN_STATE_CALL(ssize_t, readlink, (const char* name, char* to, std::size_t room), (name, to, room), TEXT(name), SEEN if (result > 0) WROTE(to, result))
OMEN_STATE_CALL(ssize_t, readlinkat, (int folder, const char* name, char* to, std::size_t room), (folder, name, to, room), TEXT(name), SEEN if (result > 0) WROTE(to, result))
OMEN_STATE_CALL(ssize_t, __readlinkat_chk, (int folder, const char* name, char* to, std::size_t bytes, std::size_t room), (folder, name, to, bytes, room), TEXT(name), SEEN if (result > 0) WROTE(to, result))
OMEN_STATE_CALL(ssize_t, __readlink_chk, (const char* name, char* to, std::size_t bytes, std::size_t room), (name, to, bytes, room), TEXT(name), SEEN if (result > 0) WROTE(to, result))
OMEN_STATE_CALL(char*, getcwd, (char* to, std::size_t room), (to, room), , TEXT_RESULT)
OMEN_STATE_CALL(char*, __getcwd_chk, (char* to, std::size_t bytes, std::size_t room), (to, bytes, room), , TEXT_RESULT)
OMEN_STATE_CALL(char*, get_current_dir_name, (), (), , TEXT_RESULT)
OMEN_STATE_CALL(char*, realpath, (const char* name, char* to), (name, to), TEXT(name), SEEN TEXT_RESULT)
OMEN_STATE_CALL(char*, __realpath_chk, (const char* name, char* to, std::size_t room), (name, to, room), TEXT(name), SEEN TEXT_RESULT)
OMEN_STATE_CALL(char*, canonicalize_file_name, (const char* name), (name), TEXT(name), SEEN TEXT_RESULT)

// Directories. An entry stays in the directory's buffer until the next call.
OMEN_STATE_CALL(void*, opendir, (const char* name), (name), TEXT(name), SEEN)
OMEN_STATE_CALL(dirent*, readdir, (void* folder), (folder), , if (result != nullptr) WROTE(result, result->d_reclen))
OMEN_STATE_CALL(dirent64*, readdir64, (void* folder), (folder), , if (result != nullptr) WROTE(result, result->d_reclen))
OMEN_STATE_CALL(int, readdir_r, (void* folder, dirent* entry, dirent** to), (folder, entry, to), , DONE { WROTE(to, sizeof *to) if (*to != nullptr) WROTE(*to, (*to)->d_reclen) })
OMEN_STATE_CALL(int, readdir64_r, (void* folder, dirent64* entry, dirent64** to), (folder, entry, to), , DONE { WROTE(to, sizeof *to) if (*to != nullptr) WROTE(*to, (*to)->d_reclen) })
OMEN_CALL(int, scandir, (const char* name, dirent*** to, void* filter, void* compare), (name, to, filter, compare), reach_hidden_state(pc); TEXT(name), SEEN if (result >= 0) { WROTE(to, sizeof *to) WROTE(*to, static_cast<std::size_t>(result) * sizeof **to) })
OMEN_CALL(int, scandir64, (const char* name, dirent64*** to, void* filter, void* compare), (name, to, filter, compare), reach_hidden_state(pc); TEXT(name), SEEN if (result >= 0) { WROTE(to, sizeof *to) WROTE(*to, static_cast<std::size_t>(result) * sizeof **to) })
OMEN_CALL(int, glob, (const char* pattern, int flags, void* on_error, glob_t* to), (pattern, flags, on_error, to), reach_hidden_state(pc); TEXT(pattern), SEEN WROTE(to, sizeof *to))
OMEN_CALL(int, glob64, (const char* pattern, int flags, void* on_error, glob64_t* to), (pattern, flags, on_error, to), reach_hidden_state(pc); TEXT(pattern), SEEN WROTE(to, sizeof *to))
OMEN_VOID_CALL(globfree, (glob_t* from), (from), reach_hidden_state(pc); WRITE(from, sizeof *from), )
OMEN_VOID_CALL(globfree64, (glob64_t* from), (from), reach_hidden_state(pc); WRITE(from, sizeof *from), )
OMEN_STATE_CALL(mntent*, getmntent_r, (void* file, mntent* to, char* buffer, int room), (file, to, buffer, room), , if (result != nullptr) WROTE(to, sizeof *to))

// Extended attributes. With a size of 0 the call only returns the required size.
OMEN_STATE_CALL(ssize_t, getxattr, (const char* name, const char* key, void* to, std::size_t room), (name, key, to, room), TEXT(name) TEXT(key), if (result > 0 && room != 0) WROTE(to, result))
OMEN_STATE_CALL(ssize_t, lgetxattr, (const char* name, const char* key, void* to, std::size_t room), (name, key, to, room), TEXT(name) TEXT(key), if (result > 0 && room != 0) WROTE(to, result))
OMEN_STATE_CALL(ssize_t, fgetxattr, (int file, const char* key, void* to, std::size_t room), (file, key, to, room), TEXT(key), if (result > 0 && room != 0) WROTE(to, result))
OMEN_STATE_CALL(ssize_t, listxattr, (const char* name, char* to, std::size_t room), (name, to, room), TEXT(name), if (result > 0 && room != 0) WROTE(to, result))
OMEN_STATE_CALL(ssize_t, llistxattr, (const char* name, char* to, std::size_t room), (name, to, room), TEXT(name), if (result > 0 && room != 0) WROTE(to, result))
OMEN_STATE_CALL(ssize_t, flistxattr, (int file, char* to, std::size_t room), (file, to, room), , if (result > 0 && room != 0) WROTE(to, result))
// clang-format on
