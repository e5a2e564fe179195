#include <vector>

#include <Eigen/Dense>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "nsn/backends/cuda/harness/host_device.h"

namespace nsn::cuda::harness {
namespace {

template <class T>
using Dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using Column = Eigen::Matrix<T, Eigen::Dynamic, 1>;
template <class T>
using Sparse = Eigen::SparseMatrix<T, Eigen::RowMajor, int>;

template <class T>
Eigen::Map<const Sparse<T>> map(const CsrPointers<T>& A) {
  return {A.rows, A.rows, A.nonzeros, A.row_begin, A.column, A.value};
}

class EigenProduct final : public CsrProduct {
 public:
  explicit EigenProduct(const CsrPointers<double>& A) : A_(A) {}
  void multiply(const double* x, double* y) override {
    Eigen::Map<Column<double>>(y, A_.rows) = map(A_) * Eigen::Map<const Column<double>>(x, A_.rows);
  }

 private:
  CsrPointers<double> A_;
};

template <class T>
class EigenDense final : public DenseCholesky<T> {
 public:
  EigenDense(int n, int batch) : n_(n), batch_(batch) {}

  // As potrf: in place, the first pivot that is not positive ends a matrix.
  int factorize(T* A) override {
    int bad = 0;
    for (int k = 0; k < batch_; ++k) {
      Eigen::Map<Dense<T>> L(A + offset(k) * n_, n_, n_);
      const int pivot = factorize_one(L);
      if (pivot > 0 && bad == 0) bad = k * n_ + pivot;
    }
    return bad;
  }
  void solve(const T* A, T* x) override {
    for (int k = 0; k < batch_; ++k) {
      const Eigen::Map<const Dense<T>> L(A + offset(k) * n_, n_, n_);
      Eigen::Map<Column<T>> y(x + offset(k), n_);
      L.template triangularView<Eigen::Lower>().solveInPlace(y);
      L.transpose().template triangularView<Eigen::Upper>().solveInPlace(y);
    }
  }

 private:
  std::ptrdiff_t offset(int k) const { return static_cast<std::ptrdiff_t>(k) * n_; }

  int factorize_one(Eigen::Map<Dense<T>>& L) const {
    for (int j = 0; j < n_; ++j) {
      const T d = L(j, j) - L.row(j).head(j).squaredNorm();
      if (!(d > T(0))) return j + 1;
      L(j, j) = std::sqrt(d);
      for (int i = j + 1; i < n_; ++i) {
        L(i, j) = (L(i, j) - L.row(i).head(j).dot(L.row(j).head(j))) / L(j, j);
      }
    }
    return 0;
  }

  int n_;
  int batch_;
};

template <class T>
class EigenSparse final : public SparseCholesky<T> {
 public:
  explicit EigenSparse(const CsrPointers<T>& A) : A_(A) {
    llt_.analyzePattern(Eigen::SparseMatrix<T>(map(A)));
  }
  std::string_view library() const override { return "Eigen"; }
  int factorize() override {
    llt_.factorize(Eigen::SparseMatrix<T>(map(A_)));
    return llt_.info() == Eigen::Success ? 0 : 1;
  }
  void solve(const T* b, T* x) override {
    Eigen::Map<Column<T>>(x, A_.rows) = llt_.solve(Eigen::Map<const Column<T>>(b, A_.rows));
  }

 private:
  CsrPointers<T> A_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<T>, Eigen::Lower, Eigen::NaturalOrdering<int>> llt_;
};

class HostLibraries final : public Libraries {
 public:
  std::vector<int> order(int rows, const int* row_begin, const int* column) override {
    const std::vector<double> ones(static_cast<std::size_t>(row_begin[rows]), 1.0);
    const Eigen::SparseMatrix<double> A =
        map(CsrPointers<double>{rows, row_begin[rows], row_begin, column, ones.data()});
    Eigen::AMDOrdering<int>::PermutationType permutation;
    Eigen::AMDOrdering<int>()(A, permutation);
    return {permutation.indices().data(), permutation.indices().data() + rows};
  }
  std::unique_ptr<CsrProduct> csr_product(const CsrPointers<double>& A) override {
    return std::make_unique<EigenProduct>(A);
  }
  std::unique_ptr<DenseCholesky<double>> dense_double(int n, int batch) override {
    return std::make_unique<EigenDense<double>>(n, batch);
  }
  std::unique_ptr<DenseCholesky<float>> dense_float(int n, int batch) override {
    return std::make_unique<EigenDense<float>>(n, batch);
  }
  std::unique_ptr<SparseCholesky<double>> sparse(const CsrPointers<double>& A) override {
    return std::make_unique<EigenSparse<double>>(A);
  }
  std::unique_ptr<SparseCholesky<float>> sparse(const CsrPointers<float>& A) override {
    return std::make_unique<EigenSparse<float>>(A);
  }
};

}  // namespace

std::unique_ptr<Libraries> make_host_libraries() {
  return std::make_unique<HostLibraries>();
}

}  // namespace nsn::cuda::harness
