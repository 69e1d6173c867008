/// \file
/// libpq, loaded when a PostgreSQL store is opened: it needs two dozen other libraries, which would add some
/// milliseconds to every start of omen.
#pragma once

#include <libpq-fe.h>

namespace omen::store {

/// The functions that the store uses, under libpq's names without `PQ`.
struct Libpq {
  decltype(&PQclear) clear = nullptr;
  decltype(&PQconnectdbParams) connect = nullptr;
  decltype(&PQconninfoFree) free_options = nullptr;
  decltype(&PQconninfoParse) parse_options = nullptr;
  decltype(&PQerrorMessage) error_message = nullptr;
  decltype(&PQexecParams) execute = nullptr;
  decltype(&PQfinish) finish = nullptr;
  decltype(&PQfreemem) free_memory = nullptr;
  decltype(&PQgetlength) length = nullptr;
  decltype(&PQgetvalue) value = nullptr;
  decltype(&PQlibVersion) version = nullptr;
  decltype(&PQnfields) fields = nullptr;
  decltype(&PQntuples) rows = nullptr;
  decltype(&PQresultErrorField) error_field = nullptr;
  decltype(&PQresultStatus) result_status = nullptr;
  decltype(&PQsetNoticeProcessor) set_notices = nullptr;
  decltype(&PQstatus) status = nullptr;
  decltype(&PQtransactionStatus) transaction_status = nullptr;
};

/// Null if the library is not installed. It stays loaded.
const Libpq* libpq();

}  // namespace omen::store
