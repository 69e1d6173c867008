#include "store/libpq.hpp"

#include <dlfcn.h>

#include <optional>
#include <type_traits>

namespace omen::store {
namespace {

std::optional<Libpq> load() {
  void* const library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::nullopt;
  Libpq all;
  bool whole = true;
  const auto get = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    whole = whole && function != nullptr;
  };
  get(all.clear, "PQclear");
  get(all.connect, "PQconnectdbParams");
  get(all.free_options, "PQconninfoFree");
  get(all.parse_options, "PQconninfoParse");
  get(all.error_message, "PQerrorMessage");
  get(all.execute, "PQexecParams");
  get(all.finish, "PQfinish");
  get(all.free_memory, "PQfreemem");
  get(all.length, "PQgetlength");
  get(all.value, "PQgetvalue");
  get(all.version, "PQlibVersion");
  get(all.fields, "PQnfields");
  get(all.rows, "PQntuples");
  get(all.error_field, "PQresultErrorField");
  get(all.result_status, "PQresultStatus");
  get(all.set_notices, "PQsetNoticeProcessor");
  get(all.status, "PQstatus");
  get(all.transaction_status, "PQtransactionStatus");
  return whole ? std::optional(all) : std::nullopt;
}

}  // namespace

const Libpq* libpq() {
  static const std::optional<Libpq> loaded = load();
  return loaded ? &*loaded : nullptr;
}

}  // namespace omen::store
