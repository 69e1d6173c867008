/// \file
/// Four threads on one LevelDB database with a small write buffer, so that it compacts in its own thread all the time:
/// each writes, overwrites, deletes and reads keys of its own. Prints a checksum of what is in the end, which does not
/// depend on the schedule. Arguments: the folder, and how many operations.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/write_batch.h"

namespace {

constexpr int kThreads = 4;

void must(const leveldb::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

uint64_t mix(uint64_t sum, const leveldb::Slice& text) {
  for (size_t i = 0; i < text.size(); i++) sum = (sum ^ static_cast<unsigned char>(text[i])) * 0x100000001b3;
  return sum;
}

std::string key_of(int thread, uint64_t number) {
  return "key " + std::to_string(number % 7919 * 104729 % 7919) + " of " + std::to_string(thread);
}

void work(leveldb::DB* database, int thread, int operations) {
  uint64_t state = static_cast<uint64_t>(thread) + 1;
  std::string value;
  for (int i = 0; i < operations; i++) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const std::string key = key_of(thread, state >> 33);
    if (i % 8 == 7) {
      must(database->Delete({}, key));
    } else if (i % 8 < 4) {
      must(database->Put({}, key, key + std::string(100, static_cast<char>('a' + i % 26))));
    } else if (const auto status = database->Get({}, key, &value); !status.IsNotFound()) {
      must(status);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  const int operations = std::atoi(argv[2]);
  leveldb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 256 << 10;
  options.compression = leveldb::kNoCompression;
  leveldb::DB* opened = nullptr;
  must(leveldb::DestroyDB(argv[1], options));
  must(leveldb::DB::Open(options, argv[1], &opened));
  const std::unique_ptr<leveldb::DB> database(opened);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; thread++) threads.emplace_back(work, opened, thread, operations / kThreads);
  for (std::thread& thread : threads) thread.join();

  uint64_t sum = 0;
  const std::unique_ptr<leveldb::Iterator> all(database->NewIterator({}));
  for (all->SeekToFirst(); all->Valid(); all->Next()) sum = mix(mix(sum, all->key()), all->value());
  must(all->status());
  std::printf("checksum %016llx\n", static_cast<unsigned long long>(sum));
  return 0;
}
