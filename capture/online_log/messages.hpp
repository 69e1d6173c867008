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

/// Return addresses, innermost first; none: the stack is lost.
using Addresses = std::optional<std::vector<std::uint64_t>>;

/// The first message of a file. Another one in the same file: the process has called exec.
struct Begin {
  std::string analysis;
};

struct Process {
  std::uint64_t id = 0;
  std::uint64_t parent = 0;  ///< the process that forked it; 0: none that runs under omen
};

struct Argument {
  std::string text;
};

/// Suppressions that the program itself defines.
struct OwnSuppressions {
  std::string text;
};

/// Options that the program itself defines (`__tsan_default_options`).
struct Options {
  std::string text;
};

struct ThreadBegin {
  std::uint32_t id = 0;
  std::uint32_t creator = 0;  ///< the thread itself: its creator is unknown
  std::uint64_t system_id = 0;
  Addresses created;
};

struct ThreadName {
  std::uint32_t id = 0;
  std::string text;
};

struct HeldLock {
  std::uint64_t address = 0;
  bool shared = false;  ///< held for reading
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
  std::uint32_t thread = 0;  ///< the thread that allocated it, or whose stack it is
  Addresses allocated;
};

struct Race {
  std::uint64_t number = 0;  ///< from 1, over all processes
  bool observed = false;     ///< happens-before shows it; else only the analysis's relation
  std::uint64_t count = 0;   ///< how often it was seen so far
  Access now;
  Access earlier;
  std::optional<Block> block;  ///< none: the memory is global, or unknown
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

/// A message for the user.
struct Note {
  std::string text;
  bool complete = true;  ///< false: from here on detection is incomplete, and the text says why
};

/// The process ends; its last message.
struct Exit {
  std::uint64_t number = 0;  ///< it waits for the judgement of this number, which says how to end; 0: it does not
};

using Message = std::variant<Begin, Process, Argument, Options, OwnSuppressions, Module, ThreadBegin, ThreadName, Race,
                             Repeat, Counter, Note, Exit>;

}  // namespace omen::online
