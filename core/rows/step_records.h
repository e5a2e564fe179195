/// The rows of a step as plain records, for devices that evaluate them themselves
/// (core/step/paper/rows_on_device.h): what an island's models would evaluate on the host. `slot`: places of
/// a block's nodes in its row of J; -1: a node that does not move.
#pragma once

#include <cstdint>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/rows/joint_coordinate.h"
#include "nsn/core/rows/law_record.h"
#include "nsn/core/rows/resistance_body.h"

namespace nsn {

/// A body where the step starts; one that does not move is where it will be at the end.
struct BodyRecord {
  BodyState state;
  Index node = -1;  ///< its linear node in the island; -1: it does not move with u
};
struct ParticleRecord {
  Vec3 x;           ///< where the step starts, m
  Vec3 v;           ///< of one that does not move with u
  Index node = -1;  ///< as that of a body
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
inline constexpr int kSharedAxes = 3;  ///< of a joint with more the rest are measured per row
struct JointRowRecord {
  JointCoordinate coordinate;
  bool padding = true;
  std::int8_t axis =
      -1;  ///< whose rows have one curvature, below kSharedAxes; -1: a row of its own
  double sign = 1.0;
  double offset = 0.0;
  double reference = 0.0;
};
struct JointRecord {
  JointFrame frame_a, frame_b;
  JointRowRecord rows[3];
  bool points = false;  ///< the three hold the points of the frames together
  int blocks = 0;       ///< of the joint, in its first one; 0 in the others
  Index kept = -1;      ///< directions of the start of the step: the first of three; -1: of its end
  Index a = 0;
  Index b = 0;
  Index row = 0;
  std::int8_t slot[4] = {-1, -1, -1, -1};
};

/// models/rows/mimic_rows.h: coordinate of one of the two joints.
struct MimicSide {
  JointFrame frame_a, frame_b;
  JointCoordinate coordinate;
  double factor = 1.0;
  int a = 0;  ///< bodies
  int b = 0;
  int place_a = 0;  ///< of body a among the different bodies of the block
  int place_b = 0;
};
struct MimicData {
  MimicSide side[2];
  double offset = 0.0;
  int bodies = 0;  ///< different ones
};
struct MimicRecord {
  MimicData data;
  Index row = 0;
  std::int8_t slot[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
};

/// models/rows/resistance_rows.h
struct ResistanceRecord {
  ResistanceData data;
  Index a = 0;
  Index b = 0;
  Index row = 0;
  std::int8_t slot[2] = {-1, -1};
};

/// models/rows/soft_contact_rows.h
struct SideRecord {
  int body = -1;
  Vec3 local;
  int particle[3] = {};
  double weight[3] = {};
  int count = 0;
  double radius = 0.0;
};
struct SoftContactRecord {
  SideRecord a, b;
  Vec3 normal;
  TangentFrame frame;
  double thickness = 0.0;
  Index row = 0;
  std::int8_t slot[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
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
  std::vector<CoordinateGradient> directions;  ///< of joints that keep those of the start
  std::vector<AttachmentRecord> attachments;
  std::vector<MimicRecord> mimics;
  std::vector<ResistanceRecord> resistances;
  std::vector<SoftContactRecord> soft_contacts;
  std::vector<LawRecord> laws;

  void clear() {
    bodies.clear();
    particles.clear();
    contacts.clear();
    joints.clear();
    directions.clear();
    attachments.clear();
    mimics.clear();
    resistances.clear();
    soft_contacts.clear();
    laws.clear();
  }
};

}  // namespace nsn
