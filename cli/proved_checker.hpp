/// \file
/// The proved checkers of witnesses and certificates: `omen-proved-checker`, which is extracted from Coq
/// (proofs/WitnessChecker.v, proofs/CertificateSound.v) and runs as a process of its own beside omen.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>

#include "checker/checker.hpp"
#include "trace/trace.hpp"
#include "vindicate/certificate.hpp"

namespace omen::cli {

class ProvedChecker {
 public:
  /// Starts the program and hands it the trace, which must be well formed and outlive the checker. Nothing if the
  /// program is not installed beside omen.
  static std::unique_ptr<ProvedChecker> start(const Trace& trace);
  static std::string expected_path();

  ~ProvedChecker();
  ProvedChecker(const ProvedChecker&) = delete;
  ProvedChecker& operator=(const ProvedChecker&) = delete;

  /// The verdict and the step are the program's. The words of a refusal are those of `checker/`; that the two checkers
  /// disagree ends omen with code 70.
  std::expected<void, checker::Refusal> accepts(std::span<const std::uint32_t> witness);

  /// True: no correct reordering of the trace brings the certificate's pair together.
  bool excludes(const vindicate::Certificate& certificate);

 private:
  ProvedChecker(const Trace& trace, int connection, pid_t process);

  void send(const std::string& text);
  std::string answer();

  const Trace& trace_;
  checker::Checker words_;
  int connection_;
  pid_t process_;
};

}  // namespace omen::cli
