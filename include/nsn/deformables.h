/// Soft bodies: tetrahedral meshes, materials, elements.
#pragma once

#include "nsn/bodies.h"
#include "nsn/core/elastic/materials.h"
#include "nsn/core/elastic/signed_svd.h"
#include "nsn/core/elastic/strain_rows.h"
#include "nsn/core/elastic/tetrahedron.h"
#include "nsn/math.h"
#include "nsn/models/deformable/deformable.h"
#include "nsn/models/deformable/element_options.h"
#include "nsn/models/deformable/materials.h"
#include "nsn/models/deformable/mesh_generators.h"
#include "nsn/models/deformable/tet_mesh.h"
