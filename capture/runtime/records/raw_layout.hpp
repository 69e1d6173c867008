/// \file
/// The raw recording: the runtime writes it while the program runs, and `capture/recording/` converts it to a trace.
///
///     RawFileHeader, then chunks. A chunk belongs to one thread: ChunkHeader, then records of one or two words of 8
///     bytes.
///
/// A record whose operation is 0 ends its chunk: unwritten parts of the file are zero, so everything that a killed
/// program had written is there, and complete.
///
/// Most records are accesses of 1, 2, 4 or 8 bytes. They take one word (`ShortAccess`). Earlier
/// records of the same chunk define the rest: the upper parts of addresses (`Base`) and of places in the program
/// (`Window`), and the function, with its callers, that the thread is in (`Frame`). So places need no nodes of their
/// own.
///
/// A thread writes into one mapped chunk. A full chunk is copied to the end of the file, and reused as the thread's
/// next. If the program is killed meanwhile, the chunk may be there twice, and the shorter copy is incomplete; or the
/// file has a gap of one chunk of zeros, for the chunk that was being copied.
///
/// Order. Every record has a *number*: the value of one global counter at the thread's last synchronisation, or a
/// fresh one if an access meets memory last accessed by another thread. Sorted by (number, position in the thread)
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
  std::uint32_t parent;  ///< the process that forked this one, if it was recorded too
  std::uint32_t exited;  ///< the program ended normally
  std::uint64_t limit_bytes;
};

inline constexpr std::uint64_t kChunkBytes = 64U << 10;   ///< of every chunk that the runtime makes, with the header
inline constexpr std::uint32_t kChunkMagic = 0x4b4e4843;  // "CHNK"

struct ChunkHeader {
  std::uint32_t magic;
  std::uint32_t thread;
  std::uint64_t number;  ///< of the last record before this chunk
  std::uint64_t bytes;   ///< of the chunk with this header
  std::uint64_t order;   ///< the number of earlier chunks of the thread
};
static_assert(sizeof(ChunkHeader) == 32);

/// The operation of a record. Each comment says what `address` and `length` mean.
enum class RawOp : std::uint8_t {
  End = 0,
  Read,               ///< address, bytes
  Write,              ///< address, bytes
  VptrWrite,          ///< as Write: a constructor or destructor sets the object's class
  AtomicLoad,         ///< address, order + 256 × bytes
  AtomicStore,        ///< …
  AtomicRmw,          ///< …, + kUpdate if the value read is not used
  Fence,              ///< –, order
  Acquire,            ///< lock, 1 if by an attempt that may fail
  Release,            ///<
  AcquireShared,      ///< …
  ReleaseShared,      ///<
  Wait,               ///<
  Wake,               ///< lock, 2 if the wait timed out
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
  Options,            ///< then Text: options that the program itself defines
  Ignored,            ///< nothing: the slot of a record that was taken back
  AllocateUnwritten,  ///< as Allocate, but the allocation itself is no write
  Suppressions,       ///< then Texts: parts of the suppressions that the program itself defines; address: their number
  AcquireAll,         ///< everything that any thread did so far is ordered before what this one does next
  Room,               ///< address, bytes: the true size of a heap block, which the program knows, whatever it requested
  Base,               ///< address: the upper half of addresses; `node`: of the short accesses with this number
  Window,             ///< address: the upper part of places; `node`: of the short accesses with this number
  Frame,              ///< one word; `node`: of the function of the short accesses after it
  Opaque,             ///< lock: control leaves instrumented code in a section on it
  Note,               ///< then Text: a note for the summary of the run
  Refused,            ///< lock, 1 if for shared mode: an attempt found it taken
  SyncTake,           ///< as SyncAcquire, of a token or of data that only this thread gets
  SyncRefused,  ///< an attempt to take found none; `length` 0: it is ordered after those who took; 1: it orders nothing
  Update,       ///< address, bytes: a read, then a write of a value computed from it that is not used elsewhere
  FirstFrame,   ///< address: the first thread's stack pointer when main is called
  Value,        ///< 64 bits in place of address and length; `node`: its kind (capture/abi/values.hpp)
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
/// The length of the record that begins with this word.
constexpr std::uint64_t words_of_record(std::uint64_t word) {
  return ShortAccess::is(word) || is_frame(word) ? 1 : kRecordWords;
}

}  // namespace omen::raw
