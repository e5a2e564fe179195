/// A set of things (bodies, particles) as a block of arrays, one per quantity. Who shares the block keeps
/// it alive: adding then moves the set to a new one, and old views keep their values. Copies have a
/// block of their own.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

namespace nsn {

/// Arrays: a struct of vectors, `kind` among them. Ref, ConstRef: one element as references, made of
/// the arrays and an index.
template <class Arrays, class Ref, class ConstRef>
class ArrayBlock {
 public:
  ArrayBlock() : arrays_(std::make_shared<Arrays>()) {}
  ArrayBlock(const ArrayBlock& other) : arrays_(std::make_shared<Arrays>(*other.arrays_)) {}
  ArrayBlock(ArrayBlock&&) noexcept = default;
  ArrayBlock& operator=(const ArrayBlock& other) {
    if (this != &other) arrays_ = std::make_shared<Arrays>(*other.arrays_);
    return *this;
  }
  ArrayBlock& operator=(ArrayBlock&&) noexcept = default;
  ~ArrayBlock() = default;

  std::size_t size() const { return arrays_->kind.size(); }
  Ref operator[](std::size_t i) { return {*arrays_, i}; }
  ConstRef operator[](std::size_t i) const { return {std::as_const(*arrays_), i}; }
  Ref back() { return (*this)[size() - 1]; }
  ConstRef back() const { return (*this)[size() - 1]; }

  const Arrays& arrays() const { return *arrays_; }
  /// The block of now; its vectors must not be resized.
  std::shared_ptr<Arrays> share() const { return arrays_; }

  template <class Of>
  struct Iterator {
    using difference_type = std::ptrdiff_t;
    using value_type = decltype(std::declval<Of&>()[0]);
    using reference = value_type;
    using pointer = void;
    using iterator_category = std::input_iterator_tag;

    Of* of = nullptr;
    std::size_t at = 0;

    reference operator*() const { return (*of)[at]; }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    Iterator operator++(int) { return {of, at++}; }
    bool operator==(const Iterator&) const = default;
  };
  Iterator<ArrayBlock> begin() { return {this, 0}; }
  Iterator<ArrayBlock> end() { return {this, size()}; }
  Iterator<const ArrayBlock> begin() const { return {this, 0}; }
  Iterator<const ArrayBlock> end() const { return {this, size()}; }

 private:
  friend class World;
  /// The block, alone, for what changes its size.
  Arrays& own() {
    if (arrays_.use_count() > 1) arrays_ = std::make_shared<Arrays>(*arrays_);
    return *arrays_;
  }

  std::shared_ptr<Arrays> arrays_;
};

}  // namespace nsn
