/// \file
/// The proved checkers of witnesses and certificates: `omen-proved-checker`, extracted from Coq
/// (proofs/WitnessChecker.v, proofs/CertificateSound.v), runs as a separate process.
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
  /// Starts the program and sends it the trace, which must be well formed and outlive the checker. Nothing if the
  /// program is not installed beside omen.
  static std::unique_ptr<ProvedChecker> start(const Trace& trace);
  static std::string expected_path();

  ~ProvedChecker();
  ProvedChecker(const ProvedChecker&) = delete;
  ProvedChecker& operator=(const ProvedChecker&) = delete;

  /// The verdict and the step come from the program, the text of a refusal from `checker/`. If the two checkers
  /// disagree omen ends with code 70.
  std::expected<void, checker::Refusal> accepts(std::span<const std::uint32_t> witness);

  /// True if no correct reordering of the trace brings the certificate's pair together.
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
