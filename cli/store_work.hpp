/// \file
/// Implements the commands of `omen store`; cli/store.cpp has their arguments.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "trace/error.hpp"

namespace omen::cli {

struct StoreArguments {
  std::string db;           ///< a file or a URL; empty: the default file
  std::uint64_t wait = 10;  ///< seconds to wait for other writers
  // add
  std::vector<std::string> reports;
  std::string commit;
  std::string branch;
  std::string label;
  std::string time;
  std::string codeowners;
  std::string source_root;
  // show, set
  std::string fingerprint;
  std::string status;
  std::string owner;
  bool set_owner = false;
  std::string note;
  std::string author;
  // list
  std::vector<std::string> statuses;
  std::vector<std::string> owners;
  std::string folder;
  bool all = false;
  // trend
  std::string by = "day";
  // list, show, trend, export
  std::string json;
  std::string csv;
  std::string html;
  // import
  std::string file;
};

std::expected<int, InputError> store_add(const StoreArguments& arguments);
std::expected<int, InputError> store_list(const StoreArguments& arguments);
std::expected<int, InputError> store_show(const StoreArguments& arguments);
std::expected<int, InputError> store_set(const StoreArguments& arguments);
std::expected<int, InputError> store_trend(const StoreArguments& arguments);
std::expected<int, InputError> store_export(const StoreArguments& arguments);
std::expected<int, InputError> store_import(const StoreArguments& arguments);

}  // namespace omen::cli
