/// \file
/// The raw recording: what the runtime writes while the program runs, and `capture/recording/` turns into a trace.
///
///     RawFileHeader, then chunks. A chunk belongs to one thread: ChunkHeader, then records of one or two words of 8
///     bytes.
///
/// A record whose operation is 0 ends its chunk: the file is made of zeros where nothing was written, so whatever a
/// killed program had written is there, and complete.
///
/// Most records are accesses of 1, 2, 4 or 8 bytes. They take one word (`ShortAccess`). What they leave out stands in
/// records before them in the same chunk: the upper parts of addresses (`Base`) and of places in the program
/// (`Window`), and in which function, with its callers, the thread is (`Frame`). So no node is needed for each place.
///
/// A thread writes into one chunk, which is mapped. A full one is copied to the end of the file and begun anew as the
/// thread's next. If the program is killed meanwhile the chunk may be there twice, and the shorter one is not complete;
/// or there is a gap of one chunk's size in the file, made of zeros, for one that was to be copied.
///
/// Order. Every record has a *number*: the value of one global counter at the thread's last synchronisation, or a
/// fresh one where an access meets memory last touched by another thread. Sorted by (number, position in the thread)
/// the records are the run. No two threads have the same number.
#pragma once

#include <cstdint>

namespace omen::raw {

inline constexpr char kMagic[8] = {'\x89', 'O', 'M', 'R', 'A', 'W', '\n', '\x1a'};
inline constexpr std::uint32_t kVersion = 4;
inline constexpr std::uint64_t kFileHeaderBytes = 4096;

/// Why recording ended before the program did.
enum class Stop : std::uint32_t { None = 0, SizeLimit = 1, NoSpace = 2, NoFile = 3, NoMemory = 4, Reserve = 5 };

struct RawFileHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t process;
  std::uint64_t stop_number;  ///< with `stop`: records with a greater number are not part of the trace
  Stop stop;
  std::int32_t stop_errno;
  std::uint32_t parent;  ///< the process that forked this one, if that was recorded too
  std::uint32_t exited;  ///< the program came to its end by itself
  std::uint64_t limit_bytes;
};

inline constexpr std::uint64_t kChunkBytes = 64U << 10;   ///< with the header; of all chunks that the runtime makes
inline constexpr std::uint32_t kChunkMagic = 0x4b4e4843;  // "CHNK"

struct ChunkHeader {
  std::uint32_t magic;
  std::uint32_t thread;
  std::uint64_t number;  ///< of the last record before this chunk
  std::uint64_t bytes;   ///< of the chunk with this header
  std::uint64_t order;   ///< how many chunks of the thread come before this one
};
static_assert(sizeof(ChunkHeader) == 32);

/// What a record says. `address` and `length` mean what the comment says.
enum class RawOp : std::uint8_t {
  End = 0,
  Read,               ///< address, bytes
  Write,              ///< address, bytes
  VptrWrite,          ///< as Write: a constructor or destructor sets the object's class
  AtomicLoad,         ///< address, order + 256 × bytes
  AtomicStore,        ///< …
  AtomicRmw,          ///< …, + kUpdate if nobody uses what was read
  Fence,              ///< –, order
  Acquire,            ///< lock, 1 if by an attempt that may fail
  Release,            ///<
  AcquireShared,      ///< …
  ReleaseShared,      ///<
  Wait,               ///<
  Wake,               ///< lock, 2 if the time of the wait was over
  BarrierArrive,      ///< barrier
  BarrierLeave,       ///<
  SyncRelease,        ///< an object that orders like an atomic: semaphores, once-flags, pipes, annotations
  SyncAcquire,        ///<
  SyncBoth,           ///<
  Fork,               ///< thread number
  Join,               ///< thread number
  Begin,              ///<
  EndThread,          ///<
  Allocate,           ///< address, bytes: a heap block; its memory begins a new life
  Free,               ///< address, bytes: its memory's life ends with a write
  NewMemory,          ///< address, bytes: a new life, but no heap block: a mapping, a thread's stack
  LockForget,         ///< lock: destroyed
  Benign,             ///< address, bytes: races here are not reported
  DefineNode,         ///< pc, then in the next record: parent in address, node in `node`
  More,               ///< the second record of a pair; `address` and `length` are 64 bits of it
  Number,             ///< address: the thread's number, where the difference is too large
  Module,             ///< begin; then More: end; More: bias; then Text: path, Text: build id
  ThreadName,         ///< thread number; then Text
  ThreadSystemId,     ///< thread number; length unused; then More: the id
  Command,            ///< then one Text per argument; address: how many
  Text,               ///< length: bytes, which follow in whole records
  Renew,              ///< address, bytes: a new life, and nothing else
  Options,            ///< then Text: options that the program itself brings
  Ignored,            ///< nothing: room for a record that was taken back
  AllocateUnwritten,  ///< as Allocate, but the allocation itself is no write
  Suppressions,       ///< then Texts: the pieces of what the program itself brings; address: how many
  AcquireAll,         ///< what every thread did so far comes before what this one does next
  Room,               ///< address, bytes: the program knows that a heap block is that large, whatever it asked for
  Base,               ///< address: the upper half of addresses; `node`: of the short accesses with this number
  Window,             ///< address: the upper part of places; `node`: of the short accesses with this number
  Frame,              ///< one word; `node`: of the function in which the short accesses behind it are
  Opaque,             ///< lock: in a section on it control leaves instrumented code
  Note,               ///< then Text: what the summary of the run must say
  Refused,            ///< lock, 1 if it was to be shared: an attempt found it taken
  SyncTake,           ///< as SyncAcquire, of a token or of data that nobody else gets
  SyncRefused,        ///< an attempt to take found none; `length`: 0: after those who took; 1: that orders nothing
  Update,             ///< address, bytes: a read, then a write of what is computed from it and goes nowhere else
  FirstFrame,         ///< address: where the first thread's stack is when main is called
  Value,              ///< 64 bits in place of address and length; `node`: what it is (capture/abi/values.hpp)
};

/// In the length of an AtomicRmw.
inline constexpr std::uint32_t kUpdate = 0x2000;
constexpr std::uint64_t bytes_of_atomic(std::uint64_t length) {
  return length % kUpdate / 256;
}

inline constexpr std::uint32_t kLongLength = 0xffff;  ///< in `length`: a More record has the true length
inline constexpr std::uint32_t kMaxNumberStep = 0xffffff;

/// Sixteen bytes. The first word is written last: a record with an operation is complete.
struct Record {
  std::uint64_t rest;   ///< operation (8 bits) + 2^8 × number step (24 bits) + 2^32 × node (32 bits)
  std::uint64_t place;  ///< address (48 bits) + 2^48 × length (16 bits)

  RawOp op() const { return static_cast<RawOp>(rest & 0xff); }
  std::uint32_t step() const { return static_cast<std::uint32_t>(rest >> 8) & kMaxNumberStep; }
  std::uint32_t node() const { return static_cast<std::uint32_t>(rest >> 32); }
  std::uint64_t address() const { return place & 0xffff'ffff'ffffULL; }
  std::uint32_t length() const { return static_cast<std::uint32_t>(place >> 48); }
};
static_assert(sizeof(Record) == 16);
inline constexpr std::uint64_t kRecordWords = sizeof(Record) / sizeof(std::uint64_t);

constexpr std::uint64_t pack_place(std::uint64_t address, std::uint64_t length) {
  return (address & 0xffff'ffff'ffffULL) | (length << 48);
}
constexpr std::uint64_t pack_rest(RawOp op, std::uint64_t step, std::uint32_t node) {
  return static_cast<std::uint64_t>(op) | (step << 8) | (static_cast<std::uint64_t>(node) << 32);
}

/// A read or write with the number of the record before it, in one word: logarithm of the length (2 bits), window (1
/// bit), base (3 bits), write (1 bit), 1 (1 bit), together where others have their operation; lower part of the place
/// (24 bits); lower half of the address.
class ShortAccess {
 public:
  static constexpr std::uint32_t kBases = 8;
  static constexpr std::uint32_t kWindows = 2;
  static constexpr std::uint32_t kLongest = 8;
  static constexpr std::uint32_t kWindowBits = 24;

  explicit constexpr ShortAccess(std::uint64_t word) : word_(word) {}
  constexpr ShortAccess(std::uint64_t address, std::uint32_t bytes_log2, bool write, std::uint32_t base,
                        std::uint64_t pc, std::uint32_t window)
      : word_(bytes_log2 | window << 2 | base << 3 | (write ? kWrite : 0) | kIs | (pc & kPlace) << 8 | address << 32) {}

  static constexpr bool is(std::uint64_t word) { return (word & kIs) != 0; }

  constexpr std::uint64_t word() const { return word_; }
  constexpr RawOp op() const { return (word_ & kWrite) != 0 ? RawOp::Write : RawOp::Read; }
  constexpr std::uint64_t length() const { return std::uint64_t{1} << (word_ & 3); }
  constexpr std::uint32_t window() const { return static_cast<std::uint32_t>(word_ >> 2) % kWindows; }
  constexpr std::uint32_t base() const { return static_cast<std::uint32_t>(word_ >> 3) % kBases; }
  constexpr std::uint64_t lower_pc() const { return word_ >> 8 & kPlace; }
  constexpr std::uint64_t lower_address() const { return word_ >> 32; }

 private:
  static constexpr std::uint64_t kWrite = 0x40;
  static constexpr std::uint64_t kIs = 0x80;
  static constexpr std::uint64_t kPlace = (std::uint64_t{1} << kWindowBits) - 1;
  std::uint64_t word_;
};

constexpr std::uint64_t frame_word(std::uint32_t node) {
  return pack_rest(RawOp::Frame, 0, node);
}
constexpr bool is_frame(std::uint64_t word) {
  return (word & 0xff) == static_cast<std::uint64_t>(RawOp::Frame);
}
constexpr bool is_end(std::uint64_t word) {
  return (word & 0xff) == static_cast<std::uint64_t>(RawOp::End);
}
/// How long the record is that begins with it.
constexpr std::uint64_t words_of_record(std::uint64_t word) {
  return ShortAccess::is(word) || is_frame(word) ? 1 : kRecordWords;
}

}  // namespace omen::raw
