/// \file
/// Which records are scheduling points. The recording numbers points by this table, and the scheduler uses the same
/// one.
#pragma once

#include "capture/runtime/records/raw_layout.hpp"
#include "trace/point_kind.hpp"

namespace omen::raw {

inline constexpr std::uint32_t kTimedOut = 2;  ///< the length field of a Wake whose wait timed out

/// The length field of a SyncAcquire that follows a wait for several descriptors. It is not a point: an order does not
/// say what wakes a thread, and a witness may have the wake ahead of the write that it needs. The thread's later
/// operation on a descriptor is a point.
inline constexpr std::uint32_t kPollWake = 1;

constexpr PointKind point_kind(RawOp op, std::uint64_t detail) {
  switch (op) {
    case RawOp::AtomicLoad:
      return PointKind::Load;
    case RawOp::AtomicStore:
      return PointKind::Store;
    case RawOp::AtomicRmw:
      return PointKind::Rmw;
    case RawOp::Acquire:
      return PointKind::Lock;
    case RawOp::AcquireShared:
      return PointKind::LockShared;
    case RawOp::Release:
    case RawOp::ReleaseShared:
      return PointKind::Unlock;
    case RawOp::Refused:
      return PointKind::Refused;
    case RawOp::Wait:
      return PointKind::Wait;
    case RawOp::Wake:
      return detail == kTimedOut ? PointKind::TimedOut : PointKind::Wake;
    case RawOp::BarrierArrive:
      return PointKind::Arrive;
    case RawOp::BarrierLeave:
      return PointKind::Leave;
    case RawOp::SyncRelease:
      return PointKind::Release;
    case RawOp::SyncAcquire:
      return detail == kPollWake ? PointKind::None : PointKind::Acquire;
    case RawOp::SyncTake:
      return PointKind::Take;
    case RawOp::SyncRefused:
      return PointKind::TakeRefused;
    case RawOp::SyncBoth:
      return PointKind::Both;
    case RawOp::Fork:
      return PointKind::Fork;
    case RawOp::Join:
      return PointKind::Join;
    case RawOp::Begin:
      return PointKind::Begin;
    case RawOp::EndThread:
      return PointKind::End;
    default:
      return PointKind::None;
  }
}

}  // namespace omen::raw
