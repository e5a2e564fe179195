/// The blocks of the Newton matrix on a device (core/step/paper/matrix_bodies.h): pattern, lists of
/// products, and room.
#pragma once

#include "nsn/core/device/mirror.h"
#include "nsn/core/step/paper/matrix_bodies.h"
#include "nsn/core/step/step_assembly.h"
#include "nsn/core/step/system.h"

namespace nsn::paper {

/// The pattern of J, without values.
inline BlockCsr pattern_of_J(const System& system) {
  return {system.blocks(), system.nodes(), system.row_begin, system.column, {}};
}

template <class D, class Real>
class AssembledMatrix {
 public:
  /// For a new pattern; stiffness: the blocks of the stiffness form. Fills the spans of m.
  void allocate(Queue<D>& queue, const System& system, const NodeLists& lists, bool stiffness,
                MatrixBodies<D, Real>& m) {
    const BlockCsr J = pattern_of_J(system);
    products_ = stiffness ? stiffness_products(J, lists) : compliance_products(J, lists);
    m.row_begin = row_begin_.take(queue, products_.row_begin);
    m.column = column_.take(queue, products_.column);
    m.upper = upper_.take(queue, products_.upper);
    m.mirror = mirror_.take(queue, products_.mirror);
    m.begin = begin_.take(queue, products_.begin);
    m.left = left_.take(queue, products_.left);
    m.right = right_.take(queue, products_.right);
    const Index blocks = static_cast<Index>(products_.column.size());
    S_ = allocate_on<D, Real>("S", kBlockSize * blocks);
    Y_ = allocate_on<D, Real>("Y", kBlockSize * J.blocks());
    K_ = allocate_on<D, Real>("K", stiffness ? kBlockSize * J.rows : 0);
    pushed_ = allocate_on<D, Real>("pushed", stiffness ? kBlock * J.rows : 0);
    m.S = S_;
    m.Y = Y_;
    m.K = K_;
    m.pushed = pushed_;
  }
  const ProductLists& products() const { return products_; }

  /// S on the host: its pattern and `value`.
  BlockCsr on_host(Vector value) {
    const Index rows = static_cast<Index>(products_.row_begin.size()) - 1;
    return {rows, rows, IndexVector(products_.row_begin.data(), products_.row_begin.size()),
            IndexVector(products_.column.data(), products_.column.size()), value};
  }

 private:
  ProductLists products_;
  Uploaded<D, Index> row_begin_, column_, upper_, mirror_, begin_, left_, right_;
  DeviceArray<D, Real> S_, Y_, K_, pushed_;
};

}  // namespace nsn::paper
