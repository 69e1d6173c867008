/* Valgrind's annotation macros, which are client requests of a virtual machine, as calls of the dynamic annotations that
   ThreadSanitizer and omen both know. Included after Valgrind's own header has defined its macros. */
#undef ANNOTATE_HAPPENS_BEFORE
#undef ANNOTATE_HAPPENS_AFTER
#undef ANNOTATE_HAPPENS_DONE
#undef ANNOTATE_RWLOCK_CREATE
#undef ANNOTATE_RWLOCK_DESTROY
#undef ANNOTATE_RWLOCK_ACQUIRED
#undef ANNOTATE_RWLOCK_RELEASED
#undef ANNOTATE_READERLOCK_ACQUIRED
#undef ANNOTATE_READERLOCK_RELEASED
#undef ANNOTATE_WRITERLOCK_ACQUIRED
#undef ANNOTATE_WRITERLOCK_RELEASED
#undef ANNOTATE_IGNORE_READS_BEGIN
#undef ANNOTATE_IGNORE_READS_END
#undef ANNOTATE_IGNORE_WRITES_BEGIN
#undef ANNOTATE_IGNORE_WRITES_END
#undef ANNOTATE_IGNORE_READS_AND_WRITES_BEGIN
#undef ANNOTATE_IGNORE_READS_AND_WRITES_END
#undef ANNOTATE_BENIGN_RACE
#undef ANNOTATE_BENIGN_RACE_SIZED
#undef ANNOTATE_NEW_MEMORY
#undef ANNOTATE_SEM_POST_PRE
#undef ANNOTATE_SEM_WAIT_POST
#undef ANNOTATE_EXPECT_RACE
#undef ANNOTATE_UNPROTECTED_READ
#undef VALGRIND_HG_DISABLE_CHECKING
#undef VALGRIND_HG_CLEAN_MEMORY
#undef DRD_IGNORE_VAR

#ifndef EXTERNAL_ANNOTATIONS_H
#define EXTERNAL_ANNOTATIONS_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void AnnotateHappensBefore(const char* file, int line, const volatile void* object);
void AnnotateHappensAfter(const char* file, int line, const volatile void* object);
void AnnotateRWLockCreate(const char* file, int line, const volatile void* lock);
void AnnotateRWLockDestroy(const char* file, int line, const volatile void* lock);
void AnnotateRWLockAcquired(const char* file, int line, const volatile void* lock, size_t for_writing);
void AnnotateRWLockReleased(const char* file, int line, const volatile void* lock, size_t for_writing);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
void AnnotateBenignRaceSized(const char* file, int line, const volatile void* memory, size_t size, const char* why);
void AnnotateNewMemory(const char* file, int line, const volatile void* memory, size_t size);
#ifdef __cplusplus
}
template <typename T>
T external_unprotected_read(const volatile T& memory) {
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  const T value = memory;
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  return value;
}
#endif
#endif

#define ANNOTATE_HAPPENS_BEFORE(object) AnnotateHappensBefore(__FILE__, __LINE__, (const volatile void*)(object))
#define ANNOTATE_HAPPENS_AFTER(object) AnnotateHappensAfter(__FILE__, __LINE__, (const volatile void*)(object))
#define ANNOTATE_HAPPENS_DONE(object) ((void)(object))
#define ANNOTATE_RWLOCK_CREATE(lock) AnnotateRWLockCreate(__FILE__, __LINE__, (const volatile void*)(lock))
#define ANNOTATE_RWLOCK_DESTROY(lock) AnnotateRWLockDestroy(__FILE__, __LINE__, (const volatile void*)(lock))
#define ANNOTATE_RWLOCK_ACQUIRED(lock, writing) AnnotateRWLockAcquired(__FILE__, __LINE__, (const volatile void*)(lock), writing)
#define ANNOTATE_RWLOCK_RELEASED(lock, writing) AnnotateRWLockReleased(__FILE__, __LINE__, (const volatile void*)(lock), writing)
#define ANNOTATE_READERLOCK_ACQUIRED(lock) ANNOTATE_RWLOCK_ACQUIRED(lock, 0)
#define ANNOTATE_READERLOCK_RELEASED(lock) ANNOTATE_RWLOCK_RELEASED(lock, 0)
#define ANNOTATE_WRITERLOCK_ACQUIRED(lock) ANNOTATE_RWLOCK_ACQUIRED(lock, 1)
#define ANNOTATE_WRITERLOCK_RELEASED(lock) ANNOTATE_RWLOCK_RELEASED(lock, 1)
#define ANNOTATE_IGNORE_READS_BEGIN() AnnotateIgnoreReadsBegin(__FILE__, __LINE__)
#define ANNOTATE_IGNORE_READS_END() AnnotateIgnoreReadsEnd(__FILE__, __LINE__)
#define ANNOTATE_IGNORE_WRITES_BEGIN() AnnotateIgnoreWritesBegin(__FILE__, __LINE__)
#define ANNOTATE_IGNORE_WRITES_END() AnnotateIgnoreWritesEnd(__FILE__, __LINE__)
#define ANNOTATE_IGNORE_READS_AND_WRITES_BEGIN() (ANNOTATE_IGNORE_READS_BEGIN(), ANNOTATE_IGNORE_WRITES_BEGIN())
#define ANNOTATE_IGNORE_READS_AND_WRITES_END() (ANNOTATE_IGNORE_WRITES_END(), ANNOTATE_IGNORE_READS_END())
#define ANNOTATE_BENIGN_RACE_SIZED(memory, size, why) AnnotateBenignRaceSized(__FILE__, __LINE__, memory, size, "benign")
#define ANNOTATE_BENIGN_RACE(memory, why) AnnotateBenignRaceSized(__FILE__, __LINE__, memory, sizeof *(memory), "benign")
#define ANNOTATE_NEW_MEMORY(memory, size) AnnotateNewMemory(__FILE__, __LINE__, memory, size)
#define ANNOTATE_SEM_POST_PRE(semaphore) ANNOTATE_HAPPENS_BEFORE(semaphore)
#define ANNOTATE_SEM_WAIT_POST(semaphore) ANNOTATE_HAPPENS_AFTER(semaphore)
#define ANNOTATE_EXPECT_RACE(memory, why) ((void)(memory)) /* the suite looks for the race itself */
#define ANNOTATE_UNPROTECTED_READ(memory) external_unprotected_read(memory)
#define VALGRIND_HG_DISABLE_CHECKING(memory, size) AnnotateBenignRaceSized(__FILE__, __LINE__, memory, size, "unchecked")
#define VALGRIND_HG_CLEAN_MEMORY(memory, size) AnnotateNewMemory(__FILE__, __LINE__, memory, size)
#define DRD_IGNORE_VAR(variable) AnnotateBenignRaceSized(__FILE__, __LINE__, &(variable), sizeof(variable), "ignored")
#define U_ANNOTATE_HAPPENS_BEFORE(object) ANNOTATE_HAPPENS_BEFORE(object)
#define U_ANNOTATE_HAPPENS_AFTER(object) ANNOTATE_HAPPENS_AFTER(object)
#define U_ANNOTATE_HAPPENS_DONE(object) ANNOTATE_HAPPENS_DONE(object)
#define U_ANNOTATE_NEW_MEMORY(memory, size) ANNOTATE_NEW_MEMORY(memory, size)
