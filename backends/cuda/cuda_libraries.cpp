#include "nsn/backends/cuda/cuda_libraries.h"

#include <cusolverDn.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>

#include <fmt/format.h>

#if defined(NSN_WITH_CUDSS)
#include <cudss.h>
#endif

#include <type_traits>

#include "nsn/backends/cuda/buffer.h"

// cuSOLVER's sparse routines are deprecated in favour of cuDSS; they stay in use where cuDSS is not
// found.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace nsn::cuda {
namespace {

void check(cusparseStatus_t status, const char* what) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  const auto kind = status == CUSPARSE_STATUS_ALLOC_FAILED ? DeviceError::Kind::kOutOfMemory
                    : status == CUSPARSE_STATUS_ARCH_MISMATCH
                        ? DeviceError::Kind::kUnsupportedArchitecture
                    : status == CUSPARSE_STATUS_EXECUTION_FAILED ? DeviceError::Kind::kDeviceLost
                                                                 : DeviceError::Kind::kOther;
  throw DeviceError(kind, fmt::format("{}: {} ({})", what, cusparseGetErrorString(status),
                                      cusparseGetErrorName(status)));
}

// cuSOLVER has no texts of its own.
const char* words(cusolverStatus_t status) {
  switch (status) {
    case CUSOLVER_STATUS_NOT_INITIALIZED:
      return "CUSOLVER_STATUS_NOT_INITIALIZED";
    case CUSOLVER_STATUS_ALLOC_FAILED:
      return "CUSOLVER_STATUS_ALLOC_FAILED";
    case CUSOLVER_STATUS_INVALID_VALUE:
      return "CUSOLVER_STATUS_INVALID_VALUE";
    case CUSOLVER_STATUS_ARCH_MISMATCH:
      return "CUSOLVER_STATUS_ARCH_MISMATCH";
    case CUSOLVER_STATUS_EXECUTION_FAILED:
      return "CUSOLVER_STATUS_EXECUTION_FAILED";
    case CUSOLVER_STATUS_INTERNAL_ERROR:
      return "CUSOLVER_STATUS_INTERNAL_ERROR";
    default:
      return "a cuSOLVER status";
  }
}

void check(cusolverStatus_t status, const char* what) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  const auto kind = status == CUSOLVER_STATUS_ALLOC_FAILED ? DeviceError::Kind::kOutOfMemory
                    : status == CUSOLVER_STATUS_ARCH_MISMATCH
                        ? DeviceError::Kind::kUnsupportedArchitecture
                    : status == CUSOLVER_STATUS_EXECUTION_FAILED ? DeviceError::Kind::kDeviceLost
                                                                 : DeviceError::Kind::kOther;
  throw DeviceError(kind,
                    fmt::format("{}: {} ({})", what, words(status), static_cast<int>(status)));
}

// One y = A x with cuSPARSE's generic interface.
class CusparseProduct final : public CsrProduct {
 public:
  CusparseProduct(Device& device, cusparseHandle_t handle, const CsrPointers<double>& A)
      : handle_(handle), rows_(A.rows), work_(device, 0) {
    // cuSPARSE takes pointers without const and does not write through them.
    check(cusparseCreateCsr(&A_, A.rows, A.rows, A.nonzeros, const_cast<int*>(A.row_begin),
                            const_cast<int*>(A.column), const_cast<double*>(A.value),
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                            CUDA_R_64F),
          "cusparseCreateCsr");
    Buffer<double> placeholder(device, static_cast<std::size_t>(A.rows));
    check(cusparseCreateDnVec(&x_, rows_, placeholder.data(), CUDA_R_64F), "cusparseCreateDnVec");
    check(cusparseCreateDnVec(&y_, rows_, placeholder.data(), CUDA_R_64F), "cusparseCreateDnVec");
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, A_, x_, &kZero,
                                  y_, CUDA_R_64F, CUSPARSE_SPMV_CSR_ALG2, &bytes),
          "cusparseSpMV_bufferSize");
    work_ = Buffer<char>(device, bytes);
    check(cusparseSpMV_preprocess(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, A_, x_, &kZero,
                                  y_, CUDA_R_64F, CUSPARSE_SPMV_CSR_ALG2, work_.data()),
          "cusparseSpMV_preprocess");
  }
  ~CusparseProduct() override {
    static_cast<void>(cusparseDestroyDnVec(x_));
    static_cast<void>(cusparseDestroyDnVec(y_));
    static_cast<void>(cusparseDestroySpMat(A_));
  }
  CusparseProduct(const CusparseProduct&) = delete;
  CusparseProduct& operator=(const CusparseProduct&) = delete;

  void multiply(const double* x, double* y) override {
    check(cusparseDnVecSetValues(x_, const_cast<double*>(x)), "cusparseDnVecSetValues");
    check(cusparseDnVecSetValues(y_, y), "cusparseDnVecSetValues");
    check(cusparseSpMV(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, A_, x_, &kZero, y_,
                       CUDA_R_64F, CUSPARSE_SPMV_CSR_ALG2, work_.data()),
          "cusparseSpMV");
  }

 private:
  static constexpr double kOne = 1.0;
  static constexpr double kZero = 0.0;

  cusparseHandle_t handle_;
  int rows_;
  cusparseSpMatDescr_t A_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr;
  cusparseDnVecDescr_t y_ = nullptr;
  Buffer<char> work_;
};

// The double and the float routines under one name.
template <class T>
struct Routines;

template <>
struct Routines<double> {
  static constexpr auto potrf_size = cusolverDnDpotrf_bufferSize;
  static constexpr auto potrf = cusolverDnDpotrf;
  static constexpr auto potrs = cusolverDnDpotrs;
  static constexpr auto potrf_batched = cusolverDnDpotrfBatched;
  static constexpr auto potrs_batched = cusolverDnDpotrsBatched;
  static constexpr auto sparse_size = cusolverSpDcsrcholBufferInfo;
  static constexpr auto sparse_factor = cusolverSpDcsrcholFactor;
  static constexpr auto sparse_pivot = cusolverSpDcsrcholZeroPivot;
  static constexpr auto sparse_solve = cusolverSpDcsrcholSolve;
};

template <>
struct Routines<float> {
  static constexpr auto potrf_size = cusolverDnSpotrf_bufferSize;
  static constexpr auto potrf = cusolverDnSpotrf;
  static constexpr auto potrs = cusolverDnSpotrs;
  static constexpr auto potrf_batched = cusolverDnSpotrfBatched;
  static constexpr auto potrs_batched = cusolverDnSpotrsBatched;
  static constexpr auto sparse_size = cusolverSpScsrcholBufferInfo;
  static constexpr auto sparse_factor = cusolverSpScsrcholFactor;
  static constexpr auto sparse_pivot = cusolverSpScsrcholZeroPivot;
  static constexpr auto sparse_solve = cusolverSpScsrcholSolve;
};

constexpr cublasFillMode_t kLower = CUBLAS_FILL_MODE_LOWER;

template <class T>
class CusolverDense final : public DenseCholesky<T> {
 public:
  CusolverDense(Device& device, cusolverDnHandle_t handle, int n)
      : handle_(handle), n_(n), info_(device, 1) {
    int numbers = 0;
    check(Routines<T>::potrf_size(handle, kLower, n, nullptr, n, &numbers), "potrf_bufferSize");
    work_ = Buffer<T>(device, static_cast<std::size_t>(numbers));
  }
  int factorize(T* A) override {
    check(Routines<T>::potrf(handle_, kLower, n_, A, n_, work_.data(),
                             static_cast<int>(work_.size()), info_.data()),
          "cusolverDn potrf");
    int info = 0;
    info_.download(&info, 1);
    return info;
  }
  void solve(const T* A, T* x) override {
    check(Routines<T>::potrs(handle_, kLower, n_, 1, A, n_, x, n_, info_.data()),
          "cusolverDn potrs");
  }

 private:
  cusolverDnHandle_t handle_;
  int n_;
  Buffer<int> info_;
  Buffer<T> work_;
};

template <class T>
class CusolverDenseBatch final : public DenseCholesky<T> {
 public:
  CusolverDenseBatch(Device& device, cusolverDnHandle_t handle, int n, int batch)
      : handle_(handle),
        n_(n),
        host_(static_cast<std::size_t>(batch)),
        A_(device, host_.size()),
        x_(device, host_.size()),
        info_(device, host_.size()) {}
  int factorize(T* A) override {
    point(A_, A, static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_));
    check(Routines<T>::potrf_batched(handle_, kLower, n_, A_.data(), n_, info_.data(), batch()),
          "cusolverDn potrfBatched");
    std::vector<int> info(host_.size());
    info_.download(info.data(), info.size());
    for (std::size_t k = 0; k < info.size(); ++k) {
      if (info[k] > 0) return static_cast<int>(k) * n_ + info[k];
    }
    return 0;
  }
  void solve(const T* /*A*/, T* x) override {
    if (x != solved_) point(x_, x, static_cast<std::size_t>(n_));
    solved_ = x;
    check(Routines<T>::potrs_batched(handle_, kLower, n_, 1, A_.data(), n_, x_.data(), n_,
                                     info_.data(), batch()),
          "cusolverDn potrsBatched");
  }

 private:
  int batch() const { return static_cast<int>(host_.size()); }
  void point(Buffer<T*>& pointers, T* first, std::size_t stride) {
    for (std::size_t k = 0; k < host_.size(); ++k) host_[k] = first + k * stride;
    pointers.upload(host_.data());
  }

  cusolverDnHandle_t handle_;
  int n_;
  std::vector<T*> host_;
  Buffer<T*> A_, x_;
  Buffer<int> info_;
  const T* solved_ = nullptr;
};

template <class T>
class CusolverSparse final : public SparseCholesky<T> {
 public:
  CusolverSparse(Device& device, cusolverSpHandle_t handle, cusparseMatDescr_t descriptor,
                 const CsrPointers<T>& A)
      : handle_(handle), descriptor_(descriptor), A_(A), work_(device, 0) {
    check(cusolverSpCreateCsrcholInfo(&info_), "cusolverSpCreateCsrcholInfo");
    check(cusolverSpXcsrcholAnalysis(handle_, A.rows, A.nonzeros, descriptor_, A.row_begin,
                                     A.column, info_),
          "cusolverSpXcsrcholAnalysis");
    std::size_t internal = 0;
    std::size_t bytes = 0;
    check(Routines<T>::sparse_size(handle_, A.rows, A.nonzeros, descriptor_, A.value, A.row_begin,
                                   A.column, info_, &internal, &bytes),
          "cusolverSp csrcholBufferInfo");
    work_ = Buffer<char>(device, bytes);
  }
  ~CusolverSparse() override { static_cast<void>(cusolverSpDestroyCsrcholInfo(info_)); }
  CusolverSparse(const CusolverSparse&) = delete;
  CusolverSparse& operator=(const CusolverSparse&) = delete;

  std::string_view library() const override { return "cuSOLVER"; }
  int factorize() override {
    check(Routines<T>::sparse_factor(handle_, A_.rows, A_.nonzeros, descriptor_, A_.value,
                                     A_.row_begin, A_.column, info_, work_.data()),
          "cusolverSp csrcholFactor");
    int pivot = -1;
    check(Routines<T>::sparse_pivot(handle_, info_, T(0), &pivot), "cusolverSp csrcholZeroPivot");
    return pivot + 1;
  }
  void solve(const T* b, T* x) override {
    check(Routines<T>::sparse_solve(handle_, A_.rows, b, x, info_, work_.data()),
          "cusolverSp csrcholSolve");
  }

 private:
  cusolverSpHandle_t handle_;
  cusparseMatDescr_t descriptor_;
  CsrPointers<T> A_;
  csrcholInfo_t info_ = nullptr;
  Buffer<char> work_;
};

#if defined(NSN_WITH_CUDSS)

const char* words(cudssStatus_t status) {
  switch (status) {
    case CUDSS_STATUS_NOT_INITIALIZED:
      return "CUDSS_STATUS_NOT_INITIALIZED";
    case CUDSS_STATUS_ALLOC_FAILED:
      return "CUDSS_STATUS_ALLOC_FAILED";
    case CUDSS_STATUS_INVALID_VALUE:
      return "CUDSS_STATUS_INVALID_VALUE";
    case CUDSS_STATUS_NOT_SUPPORTED:
      return "CUDSS_STATUS_NOT_SUPPORTED";
    case CUDSS_STATUS_EXECUTION_FAILED:
      return "CUDSS_STATUS_EXECUTION_FAILED";
    case CUDSS_STATUS_INTERNAL_ERROR:
      return "CUDSS_STATUS_INTERNAL_ERROR";
    default:
      return "a cuDSS status";
  }
}

void check(cudssStatus_t status, const char* what) {
  if (status == CUDSS_STATUS_SUCCESS) return;
  const auto kind = status == CUDSS_STATUS_ALLOC_FAILED       ? DeviceError::Kind::kOutOfMemory
                    : status == CUDSS_STATUS_EXECUTION_FAILED ? DeviceError::Kind::kDeviceLost
                                                              : DeviceError::Kind::kOther;
  throw DeviceError(kind,
                    fmt::format("{}: {} ({})", what, words(status), static_cast<int>(status)));
}

template <class T>
class CudssSparse final : public SparseCholesky<T> {
 public:
  CudssSparse(cudssHandle_t handle, const CsrPointers<T>& A) : handle_(handle), rows_(A.rows) {
    check(cudssConfigCreate(&config_), "cudssConfigCreate");
    check(cudssDataCreate(handle_, &data_), "cudssDataCreate");
    check(create_csr(A), "cudssMatrixCreateCsr");
    check(cudssMatrixCreateDn(&b_, rows_, 1, rows_, nullptr, kType, CUDSS_LAYOUT_COL_MAJOR),
          "cudssMatrixCreateDn");
    check(cudssMatrixCreateDn(&x_, rows_, 1, rows_, nullptr, kType, CUDSS_LAYOUT_COL_MAJOR),
          "cudssMatrixCreateDn");
    check(cudssExecute(handle_, CUDSS_PHASE_ANALYSIS, config_, data_, A_, x_, b_),
          "cudssExecute analysis");
  }
  ~CudssSparse() override {
    static_cast<void>(cudssMatrixDestroy(A_));
    static_cast<void>(cudssMatrixDestroy(b_));
    static_cast<void>(cudssMatrixDestroy(x_));
    static_cast<void>(cudssDataDestroy(handle_, data_));
    static_cast<void>(cudssConfigDestroy(config_));
  }
  CudssSparse(const CudssSparse&) = delete;
  CudssSparse& operator=(const CudssSparse&) = delete;

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
  void solve(const T* b, T* x) override {
    check(cudssMatrixSetValues(b_, b), "cudssMatrixSetValues");
    check(cudssMatrixSetValues(x_, x), "cudssMatrixSetValues");
    check(cudssExecute(handle_, CUDSS_PHASE_SOLVE, config_, data_, A_, x_, b_),
          "cudssExecute solve");
  }

 private:
  static constexpr cudaDataType_t kType = std::is_same_v<T, double> ? CUDA_R_64F : CUDA_R_32F;

  // Version 1 names the type of the offsets, earlier ones do not; const differs, too.
  cudssStatus_t create_csr(const CsrPointers<T>& A) {
    int* const row_begin = const_cast<int*>(A.row_begin);
    int* const column = const_cast<int*>(A.column);
    T* const value = const_cast<T*>(A.value);
#if CUDSS_VERSION >= 10000
    return cudssMatrixCreateCsr(&A_, rows_, rows_, A.nonzeros, row_begin, nullptr, column, value,
                                CUDA_R_32I, CUDA_R_32I, kType, CUDSS_MTYPE_SPD, CUDSS_MVIEW_FULL,
                                CUDSS_BASE_ZERO);
#else
    return cudssMatrixCreateCsr(&A_, rows_, rows_, A.nonzeros, row_begin, nullptr, column, value,
                                CUDA_R_32I, kType, CUDSS_MTYPE_SPD, CUDSS_MVIEW_FULL,
                                CUDSS_BASE_ZERO);
#endif
  }

  cudssHandle_t handle_;
  int rows_;
  cudssConfig_t config_ = nullptr;
  cudssData_t data_ = nullptr;
  cudssMatrix_t A_ = nullptr;
  cudssMatrix_t b_ = nullptr;
  cudssMatrix_t x_ = nullptr;
  bool factorized_ = false;
};

#endif  // NSN_WITH_CUDSS

class CudaLibraries final : public Libraries {
 public:
  CudaLibraries(Device& device, cudaStream_t stream) : device_(device), stream_(stream) {}
  ~CudaLibraries() override {
    if (cusparse_ != nullptr) static_cast<void>(cusparseDestroy(cusparse_));
    if (dense_ != nullptr) static_cast<void>(cusolverDnDestroy(dense_));
    if (sparse_ != nullptr) static_cast<void>(cusolverSpDestroy(sparse_));
    if (descriptor_ != nullptr) static_cast<void>(cusparseDestroyMatDescr(descriptor_));
#if defined(NSN_WITH_CUDSS)
    if (cudss_ != nullptr) static_cast<void>(cudssDestroy(cudss_));
#endif
  }
  CudaLibraries(const CudaLibraries&) = delete;
  CudaLibraries& operator=(const CudaLibraries&) = delete;

  std::vector<int> order(int rows, const int* row_begin, const int* column) override;
  std::unique_ptr<CsrProduct> csr_product(const CsrPointers<double>& A) override {
    if (cusparse_ == nullptr) {
      check(cusparseCreate(&cusparse_), "cusparseCreate");
      check(cusparseSetStream(cusparse_, stream_), "cusparseSetStream");
    }
    return std::make_unique<CusparseProduct>(device_, cusparse_, A);
  }
  std::unique_ptr<DenseCholesky<double>> dense_double(int n, int batch) override {
    return make_dense<double>(n, batch);
  }
  std::unique_ptr<DenseCholesky<float>> dense_float(int n, int batch) override {
    return make_dense<float>(n, batch);
  }
  std::unique_ptr<SparseCholesky<double>> sparse(const CsrPointers<double>& A) override {
    return make_sparse(A);
  }
  std::unique_ptr<SparseCholesky<float>> sparse(const CsrPointers<float>& A) override {
    return make_sparse(A);
  }

 private:
  template <class T>
  std::unique_ptr<DenseCholesky<T>> make_dense(int n, int batch) {
    if (dense_ == nullptr) {
      check(cusolverDnCreate(&dense_), "cusolverDnCreate");
      check(cusolverDnSetStream(dense_, stream_), "cusolverDnSetStream");
    }
    if (batch > 1) return std::make_unique<CusolverDenseBatch<T>>(device_, dense_, n, batch);
    return std::make_unique<CusolverDense<T>>(device_, dense_, n);
  }

  template <class T>
  std::unique_ptr<SparseCholesky<T>> make_sparse(const CsrPointers<T>& A) {
#if defined(NSN_WITH_CUDSS)
    if (cudss_ == nullptr) {
      check(cudssCreate(&cudss_), "cudssCreate");
      check(cudssSetStream(cudss_, stream_), "cudssSetStream");
    }
    return std::make_unique<CudssSparse<T>>(cudss_, A);
#else
    create_sparse();
    return std::make_unique<CusolverSparse<T>>(device_, sparse_, descriptor_, A);
#endif
  }

  void create_sparse() {
    if (sparse_ == nullptr) {
      check(cusolverSpCreate(&sparse_), "cusolverSpCreate");
      check(cusolverSpSetStream(sparse_, stream_), "cusolverSpSetStream");
    }
    if (descriptor_ == nullptr) {
      check(cusparseCreateMatDescr(&descriptor_), "cusparseCreateMatDescr");
      check(cusparseSetMatType(descriptor_, CUSPARSE_MATRIX_TYPE_GENERAL), "cusparseSetMatType");
    }
  }

  Device& device_;
  cudaStream_t stream_;
  cusparseHandle_t cusparse_ = nullptr;
  cusolverDnHandle_t dense_ = nullptr;
  cusolverSpHandle_t sparse_ = nullptr;
  cusparseMatDescr_t descriptor_ = nullptr;
#if defined(NSN_WITH_CUDSS)
  cudssHandle_t cudss_ = nullptr;
#endif
};

std::vector<int> CudaLibraries::order([[maybe_unused]] int rows,
                                      [[maybe_unused]] const int* row_begin,
                                      [[maybe_unused]] const int* column) {
#if defined(NSN_WITH_CUDSS)
  return {};
#else
  create_sparse();
  std::vector<int> order(static_cast<std::size_t>(rows));
  check(cusolverSpXcsrsymamdHost(sparse_, rows, row_begin[rows], descriptor_, row_begin, column,
                                 order.data()),
        "cusolverSpXcsrsymamdHost");
  return order;
#endif
}

}  // namespace

std::unique_ptr<Libraries> make_cuda_libraries(Device& device, cudaStream_t stream) {
  return std::make_unique<CudaLibraries>(device, stream);
}

}  // namespace nsn::cuda
