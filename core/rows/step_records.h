/// The rows of a step as plain records, for devices that evaluate them themselves
/// (core/rows/rows_on_device.h): what an island's models would evaluate on the host.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/rows/joint_coordinate.h"

namespace nsn {

/// Places of a block's nodes in its row of J; -1: a node that does not move.
using NodeSlots = std::array<std::int8_t, 8>;

/// A body where the step starts; one that does not move is where it will be at the end.
struct BodyRecord {
  BodyState state;
  Index node = -1;  ///< its linear node in the island; -1: it does not move with u
};
struct ParticleRecord {
  PointState state;
  Index node = -1;
};

/// models/rows/contact_rows.h
struct ContactRecord {
  Vec3 local_a, local_b;
  double radius_a = 0.0;
  double radius_b = 0.0;
  Vec3 normal;
  TangentFrame frame;
  double thickness = 0.0;
  double rebound = 0.0;
  bool rebounds = false;
  Index a = 0;  ///< among the bodies
  Index b = 0;
  Index row = 0;  ///< row block of the island
  std::int8_t slot[4] = {-1, -1, -1, -1};
};

/// models/rows/joint_rows.h: one row, and a block of three.
struct JointRowRecord {
  JointCoordinate coordinate;
  bool padding = true;
  double sign = 1.0;
  double offset = 0.0;
  double reference = 0.0;
};
struct JointRecord {
  JointFrame frame_a, frame_b;
  JointRowRecord rows[3];
  bool points = false;  ///< the three hold the points of the frames together
  Index a = 0;
  Index b = 0;
  Index row = 0;
  std::int8_t slot[4] = {-1, -1, -1, -1};
};

/// models/rows/attachment_rows.h
struct AttachmentRecord {
  Vec3 local;
  bool axes[3] = {true, true, true};
  Index particle = 0;
  Index body = 0;
  Index row = 0;
  std::int8_t slot[3] = {-1, -1, -1};
};

struct StepRecords {
  double h = 0.0;
  std::vector<BodyRecord> bodies;
  std::vector<ParticleRecord> particles;
  std::vector<ContactRecord> contacts;
  std::vector<JointRecord> joints;
  std::vector<AttachmentRecord> attachments;

  void clear() {
    bodies.clear();
    particles.clear();
    contacts.clear();
    joints.clear();
    attachments.clear();
  }
};

}  // namespace nsn
