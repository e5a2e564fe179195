/// The bytes of a recorded run: what a page embeds, and a file of its own.
///
///   nsn::write_file("arch.run", nsn::run_bytes(run));
///   nsn::write_file("run.html", nsn::run_page({nsn::read_run_bytes("arch.run")}));
///
/// gzip (as it is, where nsn was built without zlib) of, little-endian:
///
///   "nsnrun" 0 1        version 1 in the eighth byte
///   u32 n, n bytes      JSON head
///   arrays              each at a multiple of 8 after the head
///
/// The head names title, facts, bodies, shapes, softs, joints, view, and the arrays with their type (f4, u4,
/// i4, u2, i2, u1, i1), offset and size; `delta: F` says that each run of F numbers holds differences
/// to the one before, wrapping. B bodies, F frames, V vertices, C frames with contacts, n contacts.
///
/// | array                 | type        | what                                                           |
/// |-----------------------|-------------|----------------------------------------------------------------|
/// | time, error, energy, iterations, contacts, milliseconds | f4 (F)      | measures of the frames       |
/// | range, position       | f4 (B,6), u2 (B,3,F) delta | x = origin + step n, of each body's own way     |
/// | rotation              | i2 (B,4,F) delta | 32767 times the quaternion, signs made continuous         |
/// | p<m>, t<m>            | f4, u4      | vertices and triangles of mesh m                               |
/// | sr<d>, sx<d>          | f4 (6), u2 (V,3,F) delta | surface of deformable d                           |
/// | se<d>, ss<d>          | u1 (V,F) delta | 255ths of softs[d].strain and .stress                       |
/// | st<d>                 | u4          | triangles of that surface                                      |
/// | cframe, cstart        | u4 (C), (C+1) | frames that have contacts, and where theirs begin            |
/// | crange, cpoint        | f4 (6), u2 (3,n) | points                                                    |
/// | cscale, cforce        | f4 (C), i2 (3,n) | forces, the scale of each frame                           |
/// | cnormal, cmu, cbody, cstate | i1 (3,n), f4 (n), i4 (2,n), u1 (n) | 127 times the normal; 0 open, 1 stick, 2 slip |
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "nsn/models/record/run.h"

namespace nsn {

std::string run_bytes(const RecordedRun& run);

/// Of a file that holds such bytes, or of the first run in a page made of them. Throws InputError that
/// names the file and says what is wrong: no run, damaged, of another version.
std::string read_run_bytes(const std::filesystem::path& path);

}  // namespace nsn
