/// \file
/// The messages that the runtime sends while the program runs, when it detects races itself (docs/formats.md, "The
/// online log").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "capture/online_log/format.hpp"
#include "trace/capture_info.hpp"

namespace omen::online {

using online_log::AccessKind;
using online_log::Judgement;

/// Return addresses, innermost first; none: the stack is no longer known.
using Addresses = std::optional<std::vector<std::uint64_t>>;

/// The first of a file. Another one in the same file: the process has replaced itself by another program.
struct Begin {
  std::string analysis;
};

struct Process {
  std::uint64_t id = 0;
  std::uint64_t parent = 0;  ///< the process that forked it; 0: none that was watched
};

struct Argument {
  std::string text;
};

/// Suppressions that the program itself brings.
struct OwnSuppressions {
  std::string text;
};

/// What the program itself brings (`__tsan_default_options`).
struct Options {
  std::string text;
};

struct ThreadBegin {
  std::uint32_t id = 0;
  std::uint32_t creator = 0;  ///< the thread itself: nobody created it, as far as is known
  std::uint64_t system_id = 0;
  Addresses created;
};

struct ThreadName {
  std::uint32_t id = 0;
  std::string text;
};

struct HeldLock {
  std::uint64_t address = 0;
  bool shared = false;  ///< the reader's side
  Addresses acquired;
};

struct Access {
  AccessKind kind = AccessKind::Read;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint32_t thread = 0;
  Addresses stack;
  std::vector<HeldLock> locks;
};

struct Block {
  bool heap = false;  ///< else a thread's stack
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint32_t thread = 0;  ///< that allocated it, or whose stack it is
  Addresses allocated;
};

struct Race {
  std::uint64_t number = 0;  ///< from 1, over all processes
  bool observed = false;     ///< happens-before shows it; else only the analysis' own relation does
  std::uint64_t count = 0;   ///< how often it was seen so far
  Access now;
  Access earlier;
  std::optional<Block> block;  ///< none: the memory is global, or nobody knows
};

/// How often a race was seen until the end.
struct Repeat {
  std::uint64_t number = 0;
  std::uint64_t count = 0;
};

struct Counter {
  std::string name;
  std::uint64_t value = 0;
};

/// Something that the user must know.
struct Note {
  std::string text;
  bool complete = true;  ///< false: from here on not all is seen, and the text says why
};

/// The process ends, and has said all.
struct Exit {
  std::uint64_t number = 0;  ///< it waits for a judgement of this number: how to end; 0: it does not
};

using Message = std::variant<Begin, Process, Argument, Options, OwnSuppressions, Module, ThreadBegin, ThreadName, Race,
                             Repeat, Counter, Note, Exit>;

}  // namespace omen::online
