/// \file
/// Text: threads generate sentences, split them into words, change their case and count them in maps of their own,
/// which they merge under one lock now and then. Many small allocations, byte accesses, memcpy and memcmp.
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

#include "kernel.hpp"

namespace {

std::string sentence(kernel::Random& random) {
  std::string text;
  for (size_t word = 0; word < 40; word++) {
    const uint64_t letters = random.next();
    for (size_t i = 0; i < 3 + letters % 6; i++) text += static_cast<char>('a' + (letters >> (2 * i) & 3) * 5);
    text += ' ';
  }
  return text;
}

void count_words(const std::string& text, std::unordered_map<std::string, uint64_t>& counts) {
  size_t begin = 0;
  for (size_t end = text.find(' '); end != std::string::npos; end = text.find(' ', begin)) {
    std::string word = text.substr(begin, end - begin);
    word[0] = static_cast<char>(word[0] - 'a' + 'A');
    counts[word]++;
    begin = end + 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto [size, threads] = kernel::settings(argc, argv, 30000);
  std::map<std::string, uint64_t> total;
  std::mutex lock;
  kernel::parallel(threads, [&, size = size, threads = threads](size_t id) {
    kernel::Random random(id + 9);
    std::unordered_map<std::string, uint64_t> counts;
    const size_t mine = size / threads;
    for (size_t i = 0; i < mine; i++) {
      count_words(sentence(random), counts);
      if (i % 1000 != 999 && i + 1 != mine) continue;
      const std::lock_guard guard(lock);
      for (const auto& [word, count] : counts) total[word] += count;
      counts.clear();
    }
  });
  uint64_t sum = 0;
  for (const auto& [word, count] : total) {
    for (const char letter : word) sum = kernel::mix(sum, static_cast<unsigned char>(letter));
    sum = kernel::mix(sum, count);
  }
  return kernel::finish("strings", sum);
}
