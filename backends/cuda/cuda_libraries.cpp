#include "nsn/backends/cuda/cuda_libraries.h"

#include <cusolverDn.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#if defined(NSN_WITH_CUDSS)
#include <cudss.h>
#endif

// cuSOLVER's sparse routines are deprecated in favour of cuDSS; they stay in use where cuDSS is not
// found.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace nsn {
namespace {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(fmt::format("{}: {}", what, cudaGetErrorString(status)));
}
void check(cusparseStatus_t status, const char* what) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  throw std::runtime_error(fmt::format("{}: {}", what, cusparseGetErrorString(status)));
}
/// cuSOLVER has no texts of its own.
void check(cusolverStatus_t status, const char* what) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  const char* const words = status == CUSOLVER_STATUS_NOT_INITIALIZED    ? "not initialised"
                            : status == CUSOLVER_STATUS_ALLOC_FAILED     ? "out of memory"
                            : status == CUSOLVER_STATUS_ARCH_MISMATCH    ? "architecture missing"
                            : status == CUSOLVER_STATUS_EXECUTION_FAILED ? "execution failed"
                                                                         : "failed";
  throw std::runtime_error(
      fmt::format("{}: {} (cuSOLVER status {})", what, words, static_cast<int>(status)));
}

/// n numbers on the device.
template <class T>
class Room {
 public:
  explicit Room(std::size_t n) { check(cudaMalloc(&data_, n * sizeof(T)), "cudaMalloc"); }
  ~Room() { static_cast<void>(cudaFree(data_)); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  T* data() const { return static_cast<T*>(data_); }

 private:
  void* data_ = nullptr;
};

constexpr cublasFillMode_t kLower = CUBLAS_FILL_MODE_LOWER;

class DenseFactor final : public DeviceCholesky {
 public:
  DenseFactor(cusolverDnHandle_t handle, cudaStream_t stream, int n, double* A)
      : handle_(handle), stream_(stream), n_(n), A_(A), info_(1) {
    check(cusolverDnDpotrf_bufferSize(handle, kLower, n, A, n, &numbers_), "potrf_bufferSize");
    work_ = std::make_unique<Room<double>>(static_cast<std::size_t>(numbers_));
  }
  std::string_view library() const override { return "cuSOLVER"; }
  int factorize() override {
    check(cusolverDnDpotrf(handle_, kLower, n_, A_, n_, work_->data(), numbers_, info_.data()),
          "potrf");
    int info = 0;
    check(cudaMemcpyAsync(&info, info_.data(), sizeof info, cudaMemcpyDeviceToHost, stream_),
          "potrf");
    check(cudaStreamSynchronize(stream_), "potrf");
    return info;
  }
  void solve(const double* b, double* x) override {
    const auto bytes = static_cast<std::size_t>(n_) * sizeof(double);
    check(cudaMemcpyAsync(x, b, bytes, cudaMemcpyDeviceToDevice, stream_), "potrs");
    check(cusolverDnDpotrs(handle_, kLower, n_, 1, A_, n_, x, n_, info_.data()), "potrs");
  }

 private:
  cusolverDnHandle_t handle_;
  cudaStream_t stream_;
  int n_;
  double* A_;
  int numbers_ = 0;
  Room<int> info_;
  std::unique_ptr<Room<double>> work_;
};

#if defined(NSN_WITH_CUDSS)

void check(cudssStatus_t status, const char* what) {
  if (status == CUDSS_STATUS_SUCCESS) return;
  const char* const words = status == CUDSS_STATUS_ALLOC_FAILED       ? "out of memory"
                            : status == CUDSS_STATUS_EXECUTION_FAILED ? "execution failed"
                                                                      : "failed";
  throw std::runtime_error(
      fmt::format("{}: {} (cuDSS status {})", what, words, static_cast<int>(status)));
}

class CudssFactor final : public DeviceCholesky {
 public:
  CudssFactor(cudssHandle_t handle, const DeviceCsr& A) : handle_(handle) {
    check(cudssConfigCreate(&config_), "cudssConfigCreate");
    check(cudssDataCreate(handle_, &data_), "cudssDataCreate");
    check(create_csr(A), "cudssMatrixCreateCsr");
    for (cudssMatrix_t* v : {&b_, &x_}) {
      check(cudssMatrixCreateDn(v, A.rows, 1, A.rows, nullptr, CUDA_R_64F, CUDSS_LAYOUT_COL_MAJOR),
            "cudssMatrixCreateDn");
    }
    check(cudssExecute(handle_, CUDSS_PHASE_ANALYSIS, config_, data_, A_, x_, b_),
          "cudssExecute analysis");
  }
  ~CudssFactor() override {
    for (cudssMatrix_t A : {A_, b_, x_}) static_cast<void>(cudssMatrixDestroy(A));
    static_cast<void>(cudssDataDestroy(handle_, data_));
    static_cast<void>(cudssConfigDestroy(config_));
  }
  CudssFactor(const CudssFactor&) = delete;
  CudssFactor& operator=(const CudssFactor&) = delete;

  std::string_view library() const override { return "cuDSS"; }
  int factorize() override {
    const int phase = factorized_ ? CUDSS_PHASE_REFACTORIZATION : CUDSS_PHASE_FACTORIZATION;
    factorized_ = false;
    check(cudssExecute(handle_, phase, config_, data_, A_, x_, b_), "cudssExecute factorisation");
    int info = 0;
    std::size_t written = 0;
    check(cudssDataGet(handle_, data_, CUDSS_DATA_INFO, &info, sizeof info, &written),
          "cudssDataGet");
    factorized_ = info == 0;
    return info;
  }
  void solve(const double* b, double* x) override {
    check(cudssMatrixSetValues(b_, const_cast<double*>(b)), "cudssMatrixSetValues");
    check(cudssMatrixSetValues(x_, x), "cudssMatrixSetValues");
    check(cudssExecute(handle_, CUDSS_PHASE_SOLVE, config_, data_, A_, x_, b_),
          "cudssExecute solve");
  }

 private:
  /// Version 1 names the type of the offsets, earlier ones do not. cuDSS takes pointers without
  /// const and does not write through them.
  cudssStatus_t create_csr(const DeviceCsr& A) {
    int* const row_begin = const_cast<int*>(A.row_begin);
    int* const column = const_cast<int*>(A.column);
    double* const value = const_cast<double*>(A.value);
#if CUDSS_VERSION >= 10000
    return cudssMatrixCreateCsr(&A_, A.rows, A.rows, A.nonzeros, row_begin, nullptr, column, value,
                                CUDA_R_32I, CUDA_R_32I, CUDA_R_64F, CUDSS_MTYPE_SPD,
                                CUDSS_MVIEW_FULL, CUDSS_BASE_ZERO);
#else
    return cudssMatrixCreateCsr(&A_, A.rows, A.rows, A.nonzeros, row_begin, nullptr, column, value,
                                CUDA_R_32I, CUDA_R_64F, CUDSS_MTYPE_SPD, CUDSS_MVIEW_FULL,
                                CUDSS_BASE_ZERO);
#endif
  }

  cudssHandle_t handle_;
  cudssConfig_t config_ = nullptr;
  cudssData_t data_ = nullptr;
  cudssMatrix_t A_ = nullptr;
  cudssMatrix_t b_ = nullptr;
  cudssMatrix_t x_ = nullptr;
  bool factorized_ = false;
};

#else

class SparseFactor final : public DeviceCholesky {
 public:
  SparseFactor(cusolverSpHandle_t handle, cusparseMatDescr_t descriptor, const DeviceCsr& A)
      : handle_(handle), descriptor_(descriptor), A_(A) {
    check(cusolverSpCreateCsrcholInfo(&info_), "cusolverSpCreateCsrcholInfo");
    check(cusolverSpXcsrcholAnalysis(handle_, A.rows, A.nonzeros, descriptor_, A.row_begin,
                                     A.column, info_),
          "csrcholAnalysis");
    std::size_t internal = 0;
    std::size_t bytes = 0;
    check(cusolverSpDcsrcholBufferInfo(handle_, A.rows, A.nonzeros, descriptor_, A.value,
                                       A.row_begin, A.column, info_, &internal, &bytes),
          "csrcholBufferInfo");
    work_ = std::make_unique<Room<char>>(bytes);
  }
  ~SparseFactor() override { static_cast<void>(cusolverSpDestroyCsrcholInfo(info_)); }
  SparseFactor(const SparseFactor&) = delete;
  SparseFactor& operator=(const SparseFactor&) = delete;

  std::string_view library() const override { return "cuSOLVER"; }
  int factorize() override {
    check(cusolverSpDcsrcholFactor(handle_, A_.rows, A_.nonzeros, descriptor_, A_.value,
                                   A_.row_begin, A_.column, info_, work_->data()),
          "csrcholFactor");
    int pivot = -1;
    check(cusolverSpDcsrcholZeroPivot(handle_, info_, 0.0, &pivot), "csrcholZeroPivot");
    return pivot + 1;
  }
  void solve(const double* b, double* x) override {
    check(cusolverSpDcsrcholSolve(handle_, A_.rows, b, x, info_, work_->data()), "csrcholSolve");
  }

 private:
  cusolverSpHandle_t handle_;
  cusparseMatDescr_t descriptor_;
  DeviceCsr A_;
  csrcholInfo_t info_ = nullptr;
  std::unique_ptr<Room<char>> work_;
};

#endif  // NSN_WITH_CUDSS

/// Handles are made when they are first needed.
class CudaLibraries final : public CholeskyLibrary {
 public:
  explicit CudaLibraries(cudaStream_t stream) : stream_(stream) {}
  ~CudaLibraries() override {
    if (dense_ != nullptr) static_cast<void>(cusolverDnDestroy(dense_));
#if defined(NSN_WITH_CUDSS)
    if (cudss_ != nullptr) static_cast<void>(cudssDestroy(cudss_));
#else
    if (sparse_ != nullptr) static_cast<void>(cusolverSpDestroy(sparse_));
    if (descriptor_ != nullptr) static_cast<void>(cusparseDestroyMatDescr(descriptor_));
#endif
  }
  CudaLibraries(const CudaLibraries&) = delete;
  CudaLibraries& operator=(const CudaLibraries&) = delete;

  std::unique_ptr<DeviceCholesky> dense(int n, double* A) override {
    if (dense_ == nullptr) {
      check(cusolverDnCreate(&dense_), "cusolverDnCreate");
      check(cusolverDnSetStream(dense_, stream_), "cusolverDnSetStream");
    }
    return std::make_unique<DenseFactor>(dense_, stream_, n, A);
  }

#if defined(NSN_WITH_CUDSS)
  std::vector<int> order(int, const int*, const int*) override {
    return {};
  }
  std::unique_ptr<DeviceCholesky> sparse(const DeviceCsr& A) override {
    if (cudss_ == nullptr) {
      check(cudssCreate(&cudss_), "cudssCreate");
      check(cudssSetStream(cudss_, stream_), "cudssSetStream");
    }
    return std::make_unique<CudssFactor>(cudss_, A);
  }
#else
  std::vector<int> order(int rows, const int* row_begin, const int* column) override {
    open_sparse();
    std::vector<int> order(static_cast<std::size_t>(rows));
    check(cusolverSpXcsrsymamdHost(sparse_, rows, row_begin[rows], descriptor_, row_begin, column,
                                   order.data()),
          "csrsymamdHost");
    return order;
  }
  std::unique_ptr<DeviceCholesky> sparse(const DeviceCsr& A) override {
    open_sparse();
    return std::make_unique<SparseFactor>(sparse_, descriptor_, A);
  }
#endif

 private:
  cudaStream_t stream_;
  cusolverDnHandle_t dense_ = nullptr;
#if defined(NSN_WITH_CUDSS)
  cudssHandle_t cudss_ = nullptr;
#else
  void open_sparse() {
    if (sparse_ == nullptr) {
      check(cusolverSpCreate(&sparse_), "cusolverSpCreate");
      check(cusolverSpSetStream(sparse_, stream_), "cusolverSpSetStream");
    }
    if (descriptor_ != nullptr) return;
    check(cusparseCreateMatDescr(&descriptor_), "cusparseCreateMatDescr");
    check(cusparseSetMatType(descriptor_, CUSPARSE_MATRIX_TYPE_GENERAL), "cusparseSetMatType");
  }
  cusolverSpHandle_t sparse_ = nullptr;
  cusparseMatDescr_t descriptor_ = nullptr;
#endif
};

}  // namespace

std::unique_ptr<CholeskyLibrary> open_cuda_libraries(cudaStream_t stream) {
  return std::make_unique<CudaLibraries>(stream);
}

}  // namespace nsn
